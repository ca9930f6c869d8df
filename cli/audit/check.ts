// Owns the command `audit check`: what a proof, a receipt or a head proves, and by whose key, without the log.
// SPEC.md section 10 (#evidence).

import type {
  Receipt,
  SignedHead,
  VerifiedEvidence,
  VerifiedProof,
} from '../../src/audit/index.ts';
import { verifyEvidence } from '../../src/audit/index.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { COMPARE_OPTIONS, compareMessages } from './compare.ts';
import { readGivenEvidence } from './evidence.ts';
import { keysOfNode } from './keys.ts';
import { describeHead } from './verify.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import {
  ENCODING_OPTION,
  SIGN_KEY_OPTION,
  readGivenKeys,
  readMessage,
} from '../inspect/options.ts';
import { STORE_OPTION } from '../store/place.ts';

export const auditCheckCommand: Action = {
  name: 'check',
  summary: 'check a proof, a receipt, a head or a reply with a receipt',
  parameters: [{ name: 'FILE', description: 'the document or the reply, or - for stdin' }],
  options: {
    ...COMPARE_OPTIONS,
    'sign-key': { ...SIGN_KEY_OPTION, description: 'a public key of the node whose log it is' },
    encoding: ENCODING_OPTION,
    store: STORE_OPTION,
  },
  notes: [
    'It needs neither the log nor the network. A document of "audit prove" brings the keys of the node,\n' +
      'and they prove themselves by its id. For one without keys they are those given, else those that\n' +
      'this home knows; the signature of a reply itself is for "a2a-sdl verify".',
    'What the daemon writes with --evidence is something else, unsigned, for Assay: see "a2a-sdl evidence".',
  ],
  examples: [
    'a2a-sdl audit check evidence.json',
    'a2a-sdl audit check evidence.json --request request.json --reply reply.json',
    'a2a-sdl audit check reply.json --sign-key K1=node.pem --json',
  ],
  async run(context) {
    const { evidence, reply } = readGivenEvidence(await readMessage(context));
    const { signing } = await readGivenKeys(context);
    const keys = await keysOfNode(evidence, signing, context);
    const verified = await verifyEvidence(evidence, context.crypto, keys);
    const compared = await compareMessages(verified, reply, context);
    show(verified, compared, context);
    return EXIT.ok;
  },
};

function show(
  verified: VerifiedEvidence,
  compared: readonly string[],
  { terminal }: CommandContext,
): void {
  const result = { ok: true, kind: verified.kind, ...documentOf(verified) };
  terminal.result(verified.kind === 'head' ? result : { ...result, compared }, () => {
    switch (verified.kind) {
      case 'proof':
        showProof(verified.proof, terminal);
        break;
      case 'head':
        terminal.print(`proven: this is a head of the log of ${verified.head.node}`);
        terminal.print(describeHead(verified.head));
        return;
      case 'receipt':
        showReceipt(verified.receipt, verified.kid, terminal);
        break;
      default:
        throw new TypeError('"kind" expected proof, head or receipt');
    }
    if (compared.length > 0) terminal.print(`the messages agree with it: ${compared.join(', ')}`);
    else if (verified.kind === 'receipt')
      terminal.note(
        'whether these are the hashes of your messages is for you to compare: --request, --reply',
      );
  });
}

function documentOf(verified: VerifiedEvidence): JsonObject {
  if (verified.kind === 'head') return signedBy(verified.head);
  if (verified.kind === 'proof') {
    const { id, head, entries } = verified.proof;
    return { ...signedBy(head), id, entries: entries.map(listed) };
  }
  const { node, seq, verdict, req, res, head } = verified.receipt;
  return { node, kid: verified.kid, seq, verdict, req, res, head };
}

function showProof(
  { id, head, entries }: VerifiedProof,
  terminal: CommandContext['terminal'],
): void {
  terminal.print(`proven: the log of ${head.node} holds this on the message ${id}`);
  terminal.table(entries.map(({ seq, entry }) => [`at ${seq}`, entry.ts, entryWords(entry)]));
  terminal.print(`by the head: ${describeHead(head)}`);
}

function entryWords(entry: VerifiedProof['entries'][number]['entry']): string {
  if (entry.kind === 'reply') return `reply ${entry.id}, ${entry.verdict}`;
  if (entry.kind !== 'operation') return `${entry.kind} ${entry.ct} from ${entry.from}`;
  return `${entry.operation} by ${entry.face} from ${entry.from}, ${entry.verdict}`;
}

function showReceipt(
  { node, verdict, req, res, seq, head }: Receipt,
  kid: string,
  terminal: CommandContext['terminal'],
): void {
  terminal.print(`proven: ${node} has logged this answer`);
  terminal.table([
    ['verdict', verdict],
    ['request', req],
    ['answer', res],
    ['entry', `${seq} of ${head.size}`],
    ['root', head.root],
    ['time', head.time],
    ['signed by', kid],
  ]);
}

function listed({ seq, entry }: VerifiedProof['entries'][number]): JsonObject {
  return { seq, ...(entry as object as JsonObject) };
}

function signedBy({ node, kid, size, root, time }: SignedHead): JsonObject {
  return { node, kid, head: { size, root, time } };
}
