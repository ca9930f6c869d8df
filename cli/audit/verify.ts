// Owns the command `audit verify`: the whole log, every entry and every head. SPEC.md section 10 (#audit).

import type { SignedHead } from '../../src/audit/index.ts';
import { logNames, verifyAuditLog, verifyHead } from '../../src/audit/index.ts';
import { readJson } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import { WITNESS_OPTION, readWitnesses } from './evidence.ts';
import type { HomeLog } from './log.ts';
import { withHomeLog } from './log.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { SIGN_KEY_OPTION, readGivenKeys } from '../inspect/options.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';
import { STORE_OPTION } from '../store/place.ts';

export const auditVerifyCommand: Action = {
  name: 'verify',
  summary: 'check the whole log of this home',
  options: {
    witness: WITNESS_OPTION,
    'sign-key': {
      ...SIGN_KEY_OPTION,
      description: 'a public key that signed heads before it was rotated out',
    },
    store: STORE_OPTION,
    'passphrase-file': PASSPHRASE_OPTION,
  },
  notes: [
    'That a log was cut back together with its heads shows only against what others have kept of it:\n' +
      'give that with --witness. The daemon may go on running.',
  ],
  examples: ['a2a-sdl audit verify', 'a2a-sdl audit verify --witness head-of-monday.json --json'],
  async run(context) {
    const { terminal } = context;
    const witnesses = await readWitnesses(context);
    const { signing } = await readGivenKeys(context);
    return withHomeLog(context, async (log) => {
      const { store, keys } = log;
      const own = {
        node: keys.node,
        publicKeys: new Map([
          ...signing.map(({ kid, key }): [string, Uint8Array] => [kid, key]),
          ...keys.publicKeys,
        ]),
      };
      const head = await lastHead({ ...log, keys: own }, context);
      const report = await verifyAuditLog({
        ...own,
        store,
        crypto: context.crypto,
        heads: witnesses.flatMap(({ kind, document }) => {
          if (kind === 'receipt') return [];
          return kind === 'head' ? [document] : [document['head']!];
        }),
        receipts: witnesses.flatMap(({ kind, document }) => (kind === 'receipt' ? [document] : [])),
      });
      const { ok, size, problems, unanswered } = report;
      const result = {
        ok,
        node: keys.node,
        size,
        unanswered,
        head: head ?? null,
        witnesses: witnesses.length,
        problems: problems.map((problem) => ({ ...problem })),
      };
      terminal.result(result, () => {
        terminal.print(ok ? 'the log is whole' : 'the log is not what was signed');
        terminal.table([
          ['node', keys.node],
          ['entries', String(size)],
          ['unanswered', String(unanswered)],
          ['last head', head === undefined ? 'none that holds' : describeHead(head)],
          ['witnesses', String(witnesses.length)],
        ]);
        if (!ok) terminal.print();
        for (const { seq, what } of problems) terminal.print(`at ${seq}: ${what}`);
        if (problems.some(({ what }) => what.includes('key that is not known'))) {
          terminal.note('keys that were rotated out are given with --sign-key KID=KEY');
        }
      });
      return ok ? EXIT.ok : EXIT.failed;
    });
  },
};

export function describeHead({ size, root, time, kid }: SignedHead): string {
  return `size ${size}, root ${root}, ${time}, signed by ${kid}`;
}

/** The last one that is kept; `undefined` where there is none, or none that holds, which the report then says. */
async function lastHead(
  { store, keys }: HomeLog,
  { crypto }: CommandContext,
): Promise<SignedHead | undefined> {
  const { heads } = logNames(keys.node, crypto.sha256);
  const [last] = await store.read(heads, Math.max(0, (await store.length(heads)) - 1), 1);
  if (last === undefined) return undefined;
  try {
    return await verifyHead(readJson(last.value), keys, crypto);
  } catch (thrown) {
    if (thrown instanceof SdlError) return undefined;
    throw thrown;
  }
}
