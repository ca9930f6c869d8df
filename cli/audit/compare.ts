// Owns the comparison of messages with what a receipt or a proof says of them: it holds hashes, and only who has the
// messages can tell what they are of. SPEC.md section 10 (#audit, #receipt).

import type { VerifiedEvidence } from '../../src/audit/index.ts';
import { answerHash, auditHash } from '../../src/audit/index.ts';
import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import type { Envelope, SigningForm } from '../../src/envelope/index.ts';
import { decodeMessage } from '../../src/envelope/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { CryptoProvider } from '../../src/security/index.ts';
import { signingInput, signingInputOfText } from '../../src/security/index.ts';
import { readEnvelope } from './evidence.ts';
import type { CommandContext, CommandOption } from '../kit/command.ts';
import { failure, usageError } from '../kit/exit.ts';
import { readFileBytes } from '../kit/input.ts';
import type { GivenMessage } from '../inspect/options.ts';
import { toMessage } from '../inspect/options.ts';

export const COMPARE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  request: { type: 'string', value: 'FILE', description: 'the request that it has to belong to' },
  reply: { type: 'string', value: 'FILE', description: 'the reply that it has to belong to' },
};

/** What a document says of exchanges. */
interface Claims {
  readonly kind: 'receipt' | 'proof';
  readonly node: string;
  readonly requests: readonly string[];
  readonly answers: readonly string[];
}

const FORMS: readonly SigningForm[] = ['jcs', 'python', 'cbor'];

/** What of the messages agrees with the document. Throws where something does not. */
export async function compareMessages(
  verified: VerifiedEvidence,
  carrying: Envelope | undefined,
  { options, crypto }: CommandContext,
): Promise<string[]> {
  const [requestPath, replyPath] = [options.text('request'), options.text('reply')];
  const claims = claimsOf(verified);
  if (claims === undefined) {
    if (requestPath === undefined && replyPath === undefined) return [];
    throw usageError('a head speaks of no message', 'leave --request and --reply out');
  }
  const agreed: string[] = [];
  if (carrying !== undefined) agreed.push(...compareReply(claims, carrying, crypto));
  if (replyPath !== undefined) {
    const { bytes, encoding } = await readGiven(replyPath);
    const reply = readEnvelope(decodeMessage(bytes, encoding));
    agreed.push(...compareReply(claims, reply, crypto));
  }
  if (requestPath !== undefined) {
    agreed.push(...compareRequest(claims, await readGiven(requestPath), crypto));
  }
  return [...new Set(agreed)];
}

function claimsOf(verified: VerifiedEvidence): Claims | undefined {
  if (verified.kind === 'receipt') {
    const { node, req, res } = verified.receipt;
    return { kind: 'receipt', node, requests: [req], answers: [res] };
  }
  if (verified.kind === 'head') return undefined;
  const { head, entries } = verified.proof;
  return {
    kind: 'proof',
    node: head.node,
    requests: entries.flatMap(({ entry }) => (entry.kind === 'operation' ? [] : [entry.req])),
    answers: entries.flatMap(({ entry }) => (entry.kind === 'reply' ? [entry.res] : [])),
  };
}

function compareReply(claims: Claims, reply: Envelope, { sha256 }: CryptoProvider): string[] {
  assertSame(claims, 'reply', 'sender', reply.from.agent_id === claims.node);
  const claimed = reply.sec?.x?.['req'];
  if (claimed !== undefined) {
    const isThere = typeof claimed === 'string' && claims.requests.includes(claimed);
    assertSame(claims, 'reply', 'request', isThere);
  }
  assertSame(claims, 'reply', 'payload', claims.answers.includes(answerHash(reply, sha256)));
  return ['sender', ...(claimed === undefined ? [] : ['request']), 'payload'];
}

function compareRequest(
  claims: Claims,
  { bytes, encoding }: GivenMessage,
  crypto: CryptoProvider,
): string[] {
  const value = decodeMessage(bytes, encoding);
  const request = readEnvelope(value);
  assertSame(claims, 'request', 'receiver', request.to.agent_id === claims.node);
  const hashes = requestHashes(value, request, bytes, crypto);
  const isThere = hashes.some((hash) => claims.requests.includes(hash));
  assertSame(claims, 'request', 'signed text', isThere);
  return ['receiver', 'request'];
}

/** Of every form in which it may be signed: which one was is known to its signer. */
function requestHashes(
  value: JsonValue,
  { sec }: Envelope,
  bytes: Uint8Array,
  { sha256 }: CryptoProvider,
): string[] {
  if (sec?.sig === undefined) return [auditHash(bytes, sha256)];
  const inputs = FORMS.map((form) => inputIn(value as JsonObject, form));
  inputs.push(signingInputOfText(bytes, sec.sig.value));
  return inputs.flatMap((input) => (input === undefined ? [] : [auditHash(input, sha256)]));
}

/** `undefined` where this form cannot write the message. */
function inputIn(value: JsonObject, form: SigningForm): Uint8Array | undefined {
  try {
    return signingInput(value, form);
  } catch (thrown) {
    if (thrown instanceof SdlError) return undefined;
    throw thrown;
  }
}

async function readGiven(path: string): Promise<GivenMessage> {
  return toMessage(await readFileBytes(path));
}

function assertSame(claims: Claims, message: string, what: string, isSame: boolean): void {
  if (isSame) return;
  throw failure(`the ${claims.kind} is not for this ${message}: its ${what} is another`, {
    code: 'RECEIPT_MISMATCH',
  });
}
