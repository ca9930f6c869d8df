// Owns the commands `audit prove` and `audit head`: what a log says, signed, for others to keep. What is handed out was
// checked before, by what is in it alone. SPEC.md section 10 (#evidence).

import type { VerifiedEvidence } from '../../src/audit/index.ts';
import { readEvidence, verifyEvidence, writeEvidence } from '../../src/audit/index.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { writeJson } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import { keysOfNode } from './keys.ts';
import { hasAgentStore, openLog, withHomeLog } from './log.ts';
import { withReceipts } from './receipts.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { EXIT, failure } from '../kit/exit.ts';
import type { Role } from '../home/home.ts';
import { ROLES } from '../home/home.ts';
import { assertOwnStore } from '../home/store.ts';
import { OUT_OPTION, writeNewFile } from '../inspect/output.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';
import { isPrefix, onlyId } from '../kit/prefix.ts';
import { STORE_OPTION } from '../store/place.ts';

const MOST_RECEIPTS = 1_000;
const OPTIONS = { out: OUT_OPTION, store: STORE_OPTION, 'passphrase-file': PASSPHRASE_OPTION };

export const auditProveCommand: Action = {
  name: 'prove',
  summary: 'make evidence of a message that was received, or of a request that was answered',
  parameters: [{ name: 'ID', description: 'the id of a request or an event, or its beginning' }],
  options: {
    ...OPTIONS,
    as: {
      type: 'string',
      value: 'ROLE',
      description:
        'agent: only its log and its receipts; operator: only its receipts (default: both)',
    },
  },
  notes: [
    'Of what this agent received it is a proof from its log, of what was sent from here the receipt of\n' +
      'the agent that answered. It is one line of JSON with the keys that it takes, checked before it is\n' +
      'handed out. Who has it checks it with "a2a-sdl audit check".',
    'What the daemon writes with --evidence is something else, unsigned, for Assay: see "a2a-sdl evidence".',
  ],
  examples: ['a2a-sdl audit prove 019b2c66-8a44-7cc5-9d0e-3f1f2f0c9a11 --out evidence.json'],
  async run(context) {
    const { words, options } = context;
    const word = words[0]!;
    const role = options.oneOf('as', ROLES);
    assertOwnStore(role, options);
    const found = await evidenceOf(word, role, context);
    if (found !== undefined) return handOut(found, context);
    const id = isPrefix(word)
      ? onlyId(word, await idsLike(word, role, context), 'messages')
      : undefined;
    const meant = id === undefined ? undefined : await evidenceOf(id, role, context);
    if (meant !== undefined) return handOut(meant, context);
    throw failure('there is nothing on a message of this id, in the log or among the receipts', {
      code: 'NOT_RECORDED',
      next: 'an id is that of a request or an event, not that of its reply: see "a2a-sdl audit receipts"',
    });
  },
};

export const auditHeadCommand: Action = {
  name: 'head',
  summary: 'sign how long the log is now, and the hash over all of it',
  options: OPTIONS,
  notes: [
    'Keep it elsewhere: with "audit verify --witness" it shows whether the log was rewritten.',
  ],
  examples: ['a2a-sdl audit head --out head-of-monday.json'],
  run: (context) =>
    withHomeLog(context, async (log) => {
      const head = await (await openLog(log, context)).head();
      return handOut(writeEvidence({ head }, head.kid, log.identity.bundle), context);
    }),
};

async function evidenceOf(
  id: string,
  role: Role | undefined,
  context: CommandContext,
): Promise<JsonObject | undefined> {
  const proof = role === 'operator' ? undefined : await proofOf(id, context);
  return proof ?? receiptFor(id, rolesOf(role), context);
}

function rolesOf(role: Role | undefined): readonly Role[] {
  return role === undefined ? ['operator', 'agent'] : [role];
}

/** Ids that begin so, of late. */
async function idsLike(
  prefix: string,
  role: Role | undefined,
  context: CommandContext,
): Promise<string[]> {
  const ids: string[] = [];
  if (role !== 'operator' && (await hasAgentStore(context))) {
    ids.push(
      ...(await withHomeLog(context, async (log) => (await openLog(log, context)).findIds(prefix))),
    );
  }
  for (const owner of rolesOf(role)) {
    const { receipts } = await withReceipts(owner, context, (book) =>
      book.list({ limit: MOST_RECEIPTS }),
    );
    ids.push(...receipts.map(({ id }) => id));
  }
  return ids;
}

/** From the log of the home's agent, if it has one. */
async function proofOf(id: string, context: CommandContext): Promise<JsonObject | undefined> {
  if (!(await hasAgentStore(context))) return undefined;
  return withHomeLog(context, async (log) => {
    const proof = await (await openLog(log, context)).prove(id);
    return proof && writeEvidence({ proof }, proof.head.kid, log.identity.bundle);
  });
}

async function receiptFor(
  id: string,
  roles: readonly Role[],
  context: CommandContext,
): Promise<JsonObject | undefined> {
  for (const role of roles) {
    const [kept] = await withReceipts(role, context, (book) => book.find(id));
    if (kept !== undefined) return kept.evidence;
  }
  return undefined;
}

/** A document is JSON for people and programs alike. */
async function handOut(document: JsonObject, context: CommandContext): Promise<ExitCode> {
  const { options, terminal } = context;
  const { kind, isComplete } = await check(document, context);
  const out = options.text('out');
  if (out !== undefined) {
    await writeNewFile(out, new TextEncoder().encode(`${textOf(document)}\n`));
    terminal.result({ file: out, kind, self_contained: isComplete }, () => {
      terminal.note(`it is in ${out}`);
    });
  } else terminal.json(document);
  if (!terminal.isJson) {
    terminal.note(
      isComplete
        ? `checked: this ${kind} holds by itself, without the network, a peer book or a log`
        : `checked: this ${kind} holds by the peer book; another who checks it needs --sign-key`,
    );
  }
  return EXIT.ok;
}

/** By itself; of a key that only the peer book knows nothing else can speak, as of an agent whose id is a label. */
async function check(
  document: JsonObject,
  context: CommandContext,
): Promise<{ readonly kind: VerifiedEvidence['kind']; readonly isComplete: boolean }> {
  const { crypto } = context;
  const evidence = readEvidence(document)!;
  try {
    return { kind: (await verifyEvidence(evidence, crypto)).kind, isComplete: true };
  } catch (thrown) {
    if (!(thrown instanceof SdlError) || evidence.bundle !== undefined) throw thrown;
    const keys = await keysOfNode(evidence, [], context);
    return { kind: (await verifyEvidence(evidence, crypto, keys)).kind, isComplete: false };
  }
}

function textOf(document: JsonObject): string {
  return new TextDecoder().decode(writeJson(document));
}
