// Owns requests that another dialect carries: judged by the same checks as on any transport, answered one message at a
// time, in the one form that survives being written anew on the way. SPEC.md section 22 (#sealed-checks).

import type { JsonObject } from '../codec/value.ts';
import { encodeUtf8 } from '../codec/utf8.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { EnvelopeBuilder } from '../envelope/build.ts';
import type { Envelope } from '../envelope/types.ts';
import { uuidV8 } from '../envelope/uuid.ts';
import { SdlError, toSdlError } from '../errors.ts';
import { callOf } from '../pipeline/call-of.ts';
import type { CheckServices, Snapshot } from '../pipeline/passage.ts';
import { Passage } from '../pipeline/passage.ts';
import type { PreparedMessage } from '../pipeline/prepare-message.ts';
import { prepareMessage } from '../pipeline/prepare-message.ts';
import { withReceipt } from '../pipeline/reply-receipt.ts';
import type { Refusal } from '../pipeline/run-stages.ts';
import { runStages, runStagesFrom, settleRefusal } from '../pipeline/run-stages.ts';
import type { Contact } from '../security/peers/contact-entry.ts';
import { isEncrypted } from '../security/message/mode.ts';
import { usableKeys } from '../security/peers/keys.ts';
import type { Peer } from '../security/peers/peer.ts';
import { strangerIn, withOwnKeys } from '../security/peers/resolve-sender.ts';
import type { CarriedAnswer, CarriedRequest, OpenedRequest } from '../transport.ts';
import { carriedUse, refusalIn, refusedEnd } from './carried-end.ts';
import { carriedMessage } from './carried-value.ts';
import type { RequestFacts } from './request-facts.ts';
import { assertAnswerable, factsOf, readFacts, writeFacts } from './request-facts.ts';

export interface CarriedServices extends CheckServices {
  readonly builder: EnvelopeBuilder;
  readonly snapshot: () => Snapshot;
}

/** Throws the error of the check that it fails. A retry passes all of them but `audit`, where it is already. */
export async function openRequest(
  { bytes, peer, ticket, contentTypes, right }: CarriedRequest,
  services: CarriedServices,
): Promise<OpenedRequest> {
  const checks = { ...services, handledTypes: contentTypes, rightFor: () => right };
  const message = carriedMessage(bytes, peer, services.limits);
  const passage = new Passage(message, checks, services.snapshot());
  passage.ticket = { ...ticket, claim: (agentId) => ticket.claim(agentId), awaitedUntil: nothing };
  const refusal = await judge(passage);
  if (refusal !== undefined) {
    await settleRefusal(passage, refusal, async () => refusedEnd(refusal.error));
    throw refusal.error;
  }
  const { envelope, replayVerdict, payload } = passage;
  const facts = factsOf(passage);
  return {
    id: envelope.id,
    ct: envelope.ct,
    payload,
    agentId: envelope.from.agent_id,
    mode: facts.mode,
    key: repeatKey(envelope),
    use: carriedUse(replayVerdict!),
    facts: writeFacts(facts),
    call: (call) => callOf(passage, call),
  };
}

async function judge(passage: Passage): Promise<Refusal | undefined> {
  const refusal = await runStages(passage);
  if (refusal !== undefined) return refusal;
  try {
    assertAnswerable(passage);
    // Without a nonce a repeat could not be told from a request.
    if (passage.replayVerdict === undefined) {
      throw new SdlError('ENVELOPE_INVALID', '/sec/replay is missing');
    }
  } catch (thrown) {
    return { stage: 'replay', error: toSdlError(thrown) };
  }
  if (passage.replayVerdict.kind === 'new') return undefined;
  const kept = await passage.replayVerdict.reply.then(refusalIn, () => undefined);
  if (kept !== undefined) return { stage: 'replay', error: kept };
  return runStagesFrom(passage, 'session', 'authorize');
}

function repeatKey({ id, sec }: Envelope): string {
  const words = ['carried', sec!.kid!, sec!.replay!.nonce, id];
  return uuidV8(sha256(encodeUtf8(JSON.stringify(words))));
}

/** Signed over JCS: what carries it may order members and write numbers as it likes. */
export async function sealAnswer(
  value: JsonObject,
  { ct, payload, type, n, hasReceipt = true }: CarriedAnswer,
  services: CarriedServices,
): Promise<PreparedMessage> {
  const facts = readFacts(value);
  const { id, mode, inputHash, auditSeq, knows } = facts;
  const snapshot = services.snapshot();
  const contact = await services.contacts.get(facts.from.agent_id);
  const built = services.builder.reply(facts, { ct, payload }, type);
  // Who carries it need not know what the agent can do.
  const reply = { ...built, cap: { ...built.cap, tools: [] } };
  const request =
    auditSeq === undefined ? undefined : { id, req: value['req'] as string, auditSeq };
  const sealed = await prepareMessage(
    reply,
    {
      encoding: 'json',
      identity: snapshot.identity,
      nowMs: snapshot.nowMs,
      form: 'jcs',
      encryptTo: isEncrypted(mode) ? receiverOf(facts, contact, snapshot) : undefined,
      bundles: { theirs: contact?.bundle, oursSeq: knows },
      answersInput: inputHash,
      number: n,
      ...(type === 'res' &&
        hasReceipt &&
        request && {
          complete: (encrypted) =>
            withReceipt(encrypted, { ...request, verdict: 'ok' }, { ...services, ...snapshot }),
        }),
    },
    services,
  );
  assertCarriable(sealed);
  assertFits(sealed, Math.min(services.limits.maxBytes, facts.maxBytes ?? Infinity));
  return sealed;
}

/** Its sender with the newest keys that are known of it. */
function receiverOf(
  { from, encryptionKey }: RequestFacts,
  contact: Contact | undefined,
  { peers, nowMs }: Snapshot,
): Peer {
  const entry = peers.find(from.agent_id) ?? strangerIn(peers, from.agent_id);
  if (entry.revoked) throw new SdlError('SENDER_REFUSED', `${from.agent_id} is revoked`);
  const peer = withOwnKeys(entry, contact?.bundle, nowMs);
  const isKnown = usableKeys(peer.encryptionKeys, nowMs).length > 0;
  if (isKnown || encryptionKey === undefined) return peer;
  return { ...peer, encryptionKeys: [encryptionKey] };
}

/** What JCS cannot write exactly was signed in another form, and is in clear: a double on the way would change it. */
export function assertCarriable({ envelope }: PreparedMessage): void {
  if (envelope.sec?.sig?.canon === 'jcs') return;
  throw new SdlError('NUMBER_INEXACT', 'a number in it does not survive other dialects in clear');
}

export function assertFits({ bytes }: PreparedMessage, maxBytes: number): void {
  if (bytes.length <= maxBytes) return;
  throw new SdlError(
    'LIMIT_BYTES',
    `the message has ${bytes.length} bytes, and at most ${maxBytes} are taken`,
    { details: { limit: maxBytes } },
  );
}

const nothing = (): void => undefined;
