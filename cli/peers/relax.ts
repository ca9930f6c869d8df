// Owns the command `peers relax`: lets a peer start anew that has to speak less securely than before.
// SPEC.md section 6 (#sec-reply-strength).

import { createContacts, createModeLatch, createSealedLatch } from '../../src/security/index.ts';
import type { Store } from '../../src/stores/index.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { EXIT, failure } from '../kit/exit.ts';
import { assertOwnStore, storeElsewhere, withHomeStore } from '../home/store.ts';
import { a2aAddressOf, relaxAgentAt } from '../a2a/relax.ts';
import { ROLES } from '../home/home.ts';
import { BOOK_OPTION, openPeer } from './book.ts';
import { STORE_OPTION, storePlace, withStore } from '../store/place.ts';

export const peersRelaxCommand: Action = {
  name: 'relax',
  summary: 'accept a weaker mode from a peer than it has spoken before',
  parameters: [
    {
      name: 'PEER',
      description: 'its name, its agent id or the beginning of that, or the URL of an A2A agent',
    },
  ],
  options: {
    as: BOOK_OPTION,
    store: STORE_OPTION,
  },
  notes: [
    'A peer that has once spoken encrypted is refused when it stops, since that may be somebody in\n' +
      'between. Its minimum mode ("peers set --min-mode") counts on. The same holds for a peer that has\n' +
      'sealed its messages of official A2A, and for "peers set --sealed"; and for one that has numbered\n' +
      'the events of its answers and runs an older version again.',
    'An A2A agent that was once reached sealed is refused when it cannot be any more. It is relaxed for the\n' +
      'command line; with --as agent for the daemon, whose tasks it does.',
  ],
  examples: [
    'a2a-sdl peers relax alice',
    'a2a-sdl peers relax travel',
    'a2a-sdl peers relax alice --store postgres://agent@db/agent',
  ],
  async run(context) {
    const { words, options, terminal, crypto, now } = context;
    const url = await a2aAddressOf(words[0]!, context);
    if (url !== undefined) return relaxAgent(url, context);
    const { role, entry } = await openPeer(context, words[0]!);
    const { agentId, name } = entry;
    assertOwnStore(role, options);
    const relax = async (store: Store): Promise<void> => {
      await createModeLatch(store).reset(agentId);
      await createSealedLatch(store).reset(agentId);
      await createContacts(store, { crypto, now }).relax(agentId);
    };
    if (role === 'operator') await withHomeStore(role, context, relax);
    else {
      await assertDaemonStore(context);
      await withStore(await storePlace(context), relax);
    }
    terminal.result({ agent_id: agentId, relaxed: true }, () => {
      terminal.print(`${name ?? agentId} may speak in a weaker mode again`);
    });
    return EXIT.ok;
  },
};

/** What the command line has learned of it; with --as agent what the daemon has, which it does tasks for. */
async function relaxAgent(url: string, context: CommandContext): Promise<ExitCode> {
  const { options, terminal } = context;
  const role = options.oneOf('as', ROLES) ?? 'operator';
  assertOwnStore(role, options);
  const relax = (store: Store): Promise<boolean> => relaxAgentAt(url, store);
  if (role === 'agent') await assertDaemonStore(context);
  const wasSealed =
    role === 'operator'
      ? await withHomeStore(role, context, relax)
      : await withStore(await storePlace(context), relax);
  terminal.result({ card_url: url, relaxed: wasSealed }, () => {
    terminal.print(
      wasSealed
        ? `the agent at ${url} may be spoken to without sealing again`
        : `no agent was reached sealed at ${url} by the ${role}`,
    );
  });
  return EXIT.ok;
}

/** What is relaxed in a store that the daemon does not use would change nothing. */
async function assertDaemonStore({ options, home }: CommandContext): Promise<void> {
  if (options.text('store') !== undefined) return;
  const elsewhere = await storeElsewhere(home);
  if (elsewhere === undefined) return;
  throw failure(elsewhere.fact, { code: 'STORE_ELSEWHERE', next: elsewhere.next });
}
