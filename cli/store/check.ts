// Owns the command `store check`: whether a store is whole: its tables, its tasks, its audit log. It changes nothing.

import { verifyAuditLog } from '../../src/audit/index.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { auditedNodes, checkTasks } from '../../src/internal.ts';
import type { Store } from '../../src/stores/index.ts';
import { signingKeysOf } from '../audit/log.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { openDirectory, openIdentity } from '../home/identities.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';
import { STORE_OPTION, storePlace, withStore } from './place.ts';

interface Part {
  /** A line for people. */
  readonly shown: string;
  readonly document: JsonObject;
  readonly problems: readonly string[];
}

export const storeCheckCommand: Action = {
  name: 'check',
  summary: 'say whether a store is whole: its tables, its tasks, its audit log',
  options: { store: STORE_OPTION, 'passphrase-file': PASSPHRASE_OPTION },
  notes: [
    'Reads all of it and changes nothing; the daemon may go on running. The audit log is checked by the keys\n' +
      'of this home; "a2a-sdl audit verify" says more of it. Exit code 1 when something is wrong.',
  ],
  examples: ['a2a-sdl store check', 'a2a-sdl store check --store @postgres.url --json'],
  async run(context) {
    const place = await storePlace(context);
    const { found: version } = await place.version();
    const parts = await withStore(place, async (store) => ({
      tables: tablesPart(version, await place.problems()),
      tasks: await tasksPart(store),
      audit: await auditPart(store, context),
    }));
    const problems = Object.values(parts).flatMap((part) => part.problems);
    const isWhole = problems.length === 0;
    const documents = Object.entries(parts).map(([name, { document }]) => [name, document]);
    const result = { ok: isWhole, store: place.shown, ...Object.fromEntries(documents) };
    context.terminal.result(result, () => {
      const { terminal } = context;
      terminal.print(isWhole ? 'the store is whole' : 'the store is not whole');
      terminal.table([
        ['store', place.shown],
        ...Object.entries(parts).map(([name, { shown }]) => [name, shown]),
      ]);
      if (!isWhole) terminal.print();
      for (const problem of problems) terminal.print(problem);
    });
    return isWhole ? EXIT.ok : EXIT.failed;
  },
};

function tablesPart(version: number, problems: readonly string[]): Part {
  return { shown: `version ${version}`, document: { version, problems }, problems };
}

async function tasksPart(store: Store): Promise<Part> {
  const { tasks, open, problems } = await checkTasks(store);
  return {
    shown: `${tasks}, ${open} of them open`,
    document: { tasks, open, problems: problems.map(({ key, what }) => ({ key, what })) },
    problems: problems.map(({ key, what }) => `task ${key}: ${what}`),
  };
}

async function auditPart(store: Store, context: CommandContext): Promise<Part> {
  if (!(await openDirectory(context).list()).includes('agent')) {
    return notChecked('not checked: this home has no agent');
  }
  const identity = await openIdentity(context, 'agent');
  const nodes = await auditedNodes(store);
  const others = nodes.filter((node) => node !== identity.agentId);
  if (others.length > 0 && others.length === nodes.length) {
    const whose = `not checked: it is that of ${others.join(', ')}, and not of the agent of this home`;
    return notChecked(`${whose}; check it with the home of that agent`);
  }
  const report = await verifyAuditLog({
    store,
    node: identity.agentId,
    crypto: context.crypto,
    publicKeys: signingKeysOf(identity),
  });
  const { size, unanswered } = report;
  const problems = report.problems.map(({ seq, what }) => ({ seq, what }));
  const left = others.length === 0 ? '' : `; not checked: those of ${others.join(', ')}`;
  return {
    shown: `${size} entries${left}`,
    document: {
      checked: true,
      node: identity.agentId,
      size,
      unanswered,
      problems,
      ...(others.length > 0 && { not_checked: others }),
    },
    problems: problems.map(({ seq, what }) => `audit log at ${seq}: ${what}`),
  };
}

function notChecked(reason: string): Part {
  return { shown: reason, document: { checked: false, reason }, problems: [] };
}
