// Owns what must be known of a request to answer it later, perhaps after a restart or at another node: plain JSON.
// SPEC.md sections 6 and 8 (#sec-reply-strength, #x-req).

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { isIdentity, isTrace } from '../envelope/shape.ts';
import type { Identity, SecurityMode, Trace } from '../envelope/types.ts';
import { SdlError } from '../errors.ts';
import { announcedMaxBytes, knownSeq } from '../pipeline/announced.ts';
import type { Passage } from '../pipeline/passage.ts';
import { isSigned, modeOf } from '../security/message/mode.ts';
import { usableKeys } from '../security/peers/keys.ts';
import type { PeerKey } from '../security/peers/peer.ts';

export interface RequestFacts {
  readonly id: string;
  readonly from: Identity;
  readonly mode: SecurityMode;
  /** The SHA-256 of its signing input. */
  readonly inputHash: Uint8Array;
  readonly trace?: Trace;
  /** The `seq` of the newest of our bundles that its sender has. */
  readonly knows?: number;
  /** What its sender says that it takes. */
  readonly maxBytes?: number;
  /** Where the audit log has it. */
  readonly auditSeq?: number;
  /** To encrypt answers to where nothing else is known of its sender by then. */
  readonly encryptionKey?: PeerKey;
}

/** Of a request whose signature holds. */
export function factsOf(passage: Passage): RequestFacts {
  const { envelope, inputHash, auditSeq, sender, snapshot } = passage;
  const { id, from, trace } = envelope;
  const knows = knownSeq(envelope);
  const maxBytes = announcedMaxBytes(envelope);
  const [encryptionKey] = usableKeys(sender.peer.encryptionKeys, snapshot.nowMs);
  return {
    id,
    from,
    mode: modeOf(envelope),
    inputHash: inputHash!,
    ...(trace && { trace }),
    ...(knows !== undefined && { knows }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(auditSeq !== undefined && { auditSeq }),
    ...(encryptionKey && { encryptionKey }),
  };
}

export function writeFacts(facts: RequestFacts): JsonObject {
  const { id, from, mode, inputHash, trace, knows, maxBytes, auditSeq, encryptionKey } = facts;
  const { agent_id, name, instance, role } = from;
  return {
    id,
    from: { agent_id, name, instance, role },
    mode,
    req: encodeBase64url(inputHash),
    ...(trace && { trace: traceValue(trace) }),
    ...(knows !== undefined && { knows }),
    ...(maxBytes !== undefined && { max_bytes: maxBytes }),
    ...(auditSeq !== undefined && { audit: auditSeq }),
    ...(encryptionKey && { enc: keyValue(encryptionKey) }),
  };
}

/** Throws INTERNAL for what {@link writeFacts} has not written. */
export function readFacts(value: JsonObject): RequestFacts {
  const { id, from, mode, req, trace, knows, max_bytes: maxBytes, audit, enc } = value;
  const inputHash = typeof req === 'string' ? decodeBase64url(req) : undefined;
  const isRead =
    typeof id === 'string' &&
    isIdentity(from) &&
    (mode === 'sig' || mode === 'enc+sig') &&
    inputHash !== undefined;
  if (!isRead) throw new SdlError('INTERNAL', 'the facts of a request cannot be read');
  const encryptionKey = keyOf(enc);
  return {
    id,
    from,
    mode,
    inputHash,
    ...(isTrace(trace) && { trace }),
    ...(typeof knows === 'number' && { knows }),
    ...(typeof maxBytes === 'number' && { maxBytes }),
    ...(typeof audit === 'number' && { auditSeq: audit }),
    ...(encryptionKey && { encryptionKey }),
  };
}

/** A request that nothing proves has no answer of this kind. */
export function assertAnswerable({ isProven, envelope }: Passage): void {
  if (envelope.type !== 'req') {
    throw new SdlError('ADDRESS_WRONG', 'it is not a request');
  }
  if (!isProven || !isSigned(modeOf(envelope))) {
    throw new SdlError('MODE_REFUSED', 'the message is not signed');
  }
}

function traceValue({ root_id, span_id, parent_span_id, hops }: Trace): JsonObject {
  return { root_id, span_id, ...(parent_span_id !== undefined && { parent_span_id }), hops };
}

function keyValue({ kid, key, notAfter }: PeerKey): JsonObject {
  return {
    kid,
    key: encodeBase64url(key),
    ...(notAfter !== undefined && { not_after: notAfter }),
  };
}

function keyOf(value: JsonValue | undefined): PeerKey | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kid, key, not_after: notAfter } = value;
  const bytes = typeof key === 'string' ? decodeBase64url(key) : undefined;
  if (typeof kid !== 'string' || bytes === undefined) return undefined;
  return { kid, key: bytes, ...(typeof notAfter === 'number' && { notAfter }) };
}
