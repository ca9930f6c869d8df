// Owns the command `audit check`: what a proof, a receipt or a head proves, and by whose key, without the log.
// SPEC.md section 10 (#audit).

import type { NodeKeys, Receipt, SignedHead } from '../src/audit/index.ts';
import { payloadHash, verifyHead, verifyProof, verifyReceipt } from '../src/audit/index.ts';
import type { Envelope, JsonObject } from '../src/index.ts';
import { SdlError } from '../src/index.ts';
import type { AuditEvidence } from './audit-evidence.ts';
import { readEvidence } from './audit-evidence.ts';
import { keysOfNode } from './audit-keys.ts';
import { describeHead } from './audit-verify.ts';
import type { Action, CommandContext } from './command.ts';
import type { ExitCode } from './exit.ts';
import { EXIT, failure } from './exit.ts';
import { ENCODING_OPTION, SIGN_KEY_OPTION, readGivenKeys, readMessage } from './inspect-options.ts';

export const auditCheckCommand: Action = {
  name: 'check',
  summary: 'check a proof, a receipt, a head or a reply with a receipt',
  parameters: [{ name: 'FILE', description: 'the document or the reply, or - for stdin' }],
  options: {
    'sign-key': { ...SIGN_KEY_OPTION, description: 'a public key of the node whose log it is' },
    encoding: ENCODING_OPTION,
  },
  notes: [
    'It needs no log. The keys of the node are those given, else those that this home knows of it\n' +
      'or that it proves by its id; the signature of a reply itself is for "a2a-sdl verify".',
  ],
  examples: [
    'a2a-sdl audit check proof.json',
    'a2a-sdl audit check reply.json --sign-key K1=node.pem --json',
  ],
  async run(context) {
    const evidence = readEvidence(await readMessage(context));
    const { signing } = await readGivenKeys(context);
    const keys = await keysOfNode(evidence, signing, context);
    switch (evidence.kind) {
      case 'proof':
        return checkProof(evidence, keys, context);
      case 'head':
        return checkHead(evidence, keys, context);
      case 'receipt':
        return checkReceipt(evidence, keys, context);
      default:
        throw new TypeError('"kind" expected proof, head or receipt');
    }
  },
};

async function checkProof(
  { document }: AuditEvidence,
  keys: NodeKeys,
  { crypto, terminal }: CommandContext,
): Promise<ExitCode> {
  const { id, head, entries } = await verifyProof(document, keys, crypto);
  const result = { ok: true, kind: 'proof', ...signedBy(head), id, entries: listed(entries) };
  terminal.result(result, () => {
    terminal.print(`proven: the log of ${head.node} holds this on the message ${id}`);
    terminal.table(
      entries.map(({ seq, entry }) => [
        `at ${seq}`,
        entry.ts,
        entry.kind === 'reply'
          ? `reply ${entry.id}, ${entry.verdict}`
          : `${entry.kind} ${entry.ct} from ${entry.from}`,
      ]),
    );
    terminal.print(`by the head: ${describeHead(head)}`);
  });
  return EXIT.ok;
}

async function checkHead(
  { document }: AuditEvidence,
  keys: NodeKeys,
  { crypto, terminal }: CommandContext,
): Promise<ExitCode> {
  const head = await verifyHead(document, keys, crypto);
  terminal.result({ ok: true, kind: 'head', ...signedBy(head) }, () => {
    terminal.print(`proven: this is a head of the log of ${head.node}`);
    terminal.print(describeHead(head));
  });
  return EXIT.ok;
}

async function checkReceipt(
  evidence: AuditEvidence,
  keys: NodeKeys,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { receipt, kid } = await signerOfReceipt(evidence.document, keys, context);
  const { reply } = evidence;
  const compared = reply === undefined ? [] : compareWithReply(receipt, reply, context);
  const { node, seq, verdict, req, res, head } = receipt;
  const result = { ok: true, kind: 'receipt', node, kid, seq, verdict, req, res, head, compared };
  terminal.result(result, () => {
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
    if (reply === undefined) {
      terminal.note('whether these are the hashes of your messages is for you to compare');
    } else {
      terminal.print(`the reply agrees with it: ${compared.join(', ')}`);
    }
  });
  return EXIT.ok;
}

/** A receipt names no key, so each is tried by itself. */
async function signerOfReceipt(
  document: JsonObject,
  { node, publicKeys }: NodeKeys,
  { crypto }: CommandContext,
): Promise<{ readonly receipt: Receipt; readonly kid: string }> {
  let refusal: unknown;
  for (const [kid, key] of publicKeys) {
    try {
      const keys = { node, publicKeys: new Map([[kid, key]]) };
      return { receipt: await verifyReceipt(document, keys, crypto), kid };
    } catch (thrown) {
      if (!(thrown instanceof SdlError)) throw thrown;
      refusal = thrown;
    }
  }
  throw refusal;
}

/** What of the reply the receipt speaks of, and agrees with. Throws where it does not. */
function compareWithReply(
  receipt: Receipt,
  { from, sec, payload }: Envelope,
  { crypto }: CommandContext,
): string[] {
  assertSame('sender', from.agent_id === receipt.node);
  const claimed = sec?.x?.['req'];
  if (claimed !== undefined) assertSame('request', claimed === receipt.req);
  // Of what is encrypted the ciphertext counts.
  const answer = (sec?.enc as JsonObject | undefined) ?? payload;
  assertSame('payload', payloadHash(answer, crypto.sha256) === receipt.res);
  return ['sender', ...(claimed === undefined ? [] : ['request']), 'payload'];
}

function assertSame(what: string, isSame: boolean): void {
  if (isSame) return;
  throw failure(`the receipt is not for this reply: its ${what} is another`, {
    code: 'RECEIPT_MISMATCH',
  });
}

function signedBy({ node, kid, size, root, time }: SignedHead): JsonObject {
  return { node, kid, head: { size, root, time } };
}

function listed(
  entries: readonly { readonly seq: number; readonly entry: object }[],
): JsonObject[] {
  return entries.map(({ seq, entry }) => ({ seq, ...(entry as JsonObject) }));
}
