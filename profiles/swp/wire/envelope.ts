// Owns the E1 envelope: eight fields in a fixed order, without tags; and what makes one that was read acceptable.
// SPEC.md section 19 (#swp-envelope, #swp-order, #swp-freshness).

import { ByteReader, ReadFault } from './byte-reader.ts';
import { ByteWriter, octetsLength, uvarintLength } from './byte-writer.ts';
import { SwpRefusal } from './refusal.ts';
import type { EnvelopeRules, Freshness, SwpSizes } from './rules.ts';
import { MAX_MSG_ID_BYTES, MIN_MSG_ID_BYTES } from './rules.ts';

interface Extension {
  readonly type: bigint;
  readonly value: Uint8Array;
}

export interface Envelope {
  readonly version: bigint;
  readonly profileId: bigint;
  readonly msgType: bigint;
  readonly flags: bigint;
  /** 0 for none. */
  readonly tsUnixMs: bigint;
  readonly msgId: Uint8Array;
  readonly extensions: readonly Extension[];
  readonly payload: Uint8Array;
}

export const VERSION = 1n;
const NO_EXTENSIONS: readonly Extension[] = Object.freeze([]);

/** The envelope in the body of a frame. Throws a refusal; octets of the body stay where they are. */
export function readEnvelope(body: Uint8Array, sizes: SwpSizes): Envelope {
  const reader = new ByteReader(body);
  try {
    return read(reader, sizes);
  } catch (thrown) {
    if (!(thrown instanceof ReadFault)) throw thrown;
    const { kind, message } = thrown;
    throw new SwpRefusal(
      'INVALID_FRAME',
      message,
      kind === 'uvarint' ? { detail: 'ERR_INVALID_UVARINT' } : {},
    );
  }
}

function read(reader: ByteReader, { maxExtBytes, maxPayloadBytes }: SwpSizes): Envelope {
  const version = reader.uvarint();
  // Before all else: another version may have another form.
  if (version !== VERSION) {
    throw new SwpRefusal('UNSUPPORTED_VERSION', 'only version 1 is spoken here');
  }
  const profileId = reader.uvarint();
  const msgType = reader.uvarint();
  const flags = reader.uvarint();
  const tsUnixMs = reader.uvarint();
  const msgId = reader.octets();
  const block = reader.octets();
  if (block.length > maxExtBytes) {
    throw new SwpRefusal('INVALID_ENVELOPE', `extensions of more than ${maxExtBytes} octets`, {
      detail: 'ERR_EXT_TOO_LARGE',
      cause: 'LIMIT_BYTES',
    });
  }
  const extensions = block.length === 0 ? NO_EXTENSIONS : readExtensions(block);
  const payload = reader.octets();
  if (payload.length > maxPayloadBytes) throw payloadTooLarge(maxPayloadBytes);
  const envelope: Envelope = {
    version,
    profileId,
    msgType,
    flags,
    tsUnixMs,
    msgId,
    extensions,
    payload,
  };
  if (reader.rest > 0) {
    throw new SwpRefusal('INVALID_FRAME', 'octets follow the payload', { envelope });
  }
  return envelope;
}

/** What they mean is nobody's business here, but all of them must be there. */
function readExtensions(block: Uint8Array): readonly Extension[] {
  const reader = new ByteReader(block);
  const extensions: Extension[] = [];
  while (reader.rest > 0) extensions.push({ type: reader.uvarint(), value: reader.octets() });
  return extensions;
}

function payloadTooLarge(most: number): SwpRefusal {
  return new SwpRefusal('INVALID_ENVELOPE', `a payload of more than ${most} octets`, {
    detail: 'ERR_PAYLOAD_TOO_LARGE',
    cause: 'LIMIT_BYTES',
  });
}

/** Throws a refusal for an envelope that was read and is not acceptable. */
export function judgeEnvelope(envelope: Envelope, rules: EnvelopeRules): void {
  const { profileId, msgType, msgId, payload, tsUnixMs } = envelope;
  if (!rules.profiles.has(profileId)) {
    throw new SwpRefusal('UNKNOWN_PROFILE', `there is no profile ${profileId} here`);
  }
  if (msgType === 0n) throw new SwpRefusal('INVALID_ENVELOPE', 'a message needs a type');
  if (msgId.length < MIN_MSG_ID_BYTES || msgId.length > MAX_MSG_ID_BYTES) {
    const words = `a msg_id has ${MIN_MSG_ID_BYTES} to ${MAX_MSG_ID_BYTES} octets`;
    throw new SwpRefusal('INVALID_ENVELOPE', words, { detail: 'ERR_MSG_ID_INVALID' });
  }
  if (payload.length > rules.maxPayloadBytes) throw payloadTooLarge(rules.maxPayloadBytes);
  if (rules.freshness !== undefined) judgeTime(tsUnixMs, rules.freshness);
}

function judgeTime(tsUnixMs: bigint, { isTimeRequired, skewMs, nowMs }: Freshness): void {
  if (tsUnixMs === 0n) {
    if (!isTimeRequired) return;
    throw new SwpRefusal('INVALID_ENVELOPE', 'a message needs its time', { cause: 'TIME_INVALID' });
  }
  const age = nowMs() - tsUnixMs;
  if ((age < 0n ? -age : age) <= skewMs) return;
  throw new SwpRefusal('INVALID_ENVELOPE', 'the time of the message is too far from now', {
    cause: 'TIME_INVALID',
  });
}

/** A whole frame: the length, then the envelope. */
export function writeFrame(envelope: Envelope): Uint8Array {
  const { version, profileId, msgType, flags, tsUnixMs, msgId, extensions, payload } = envelope;
  const numbers = [version, profileId, msgType, flags, tsUnixMs];
  const block = extensions.reduce(
    (sum, { type, value }) => sum + uvarintLength(type) + octetsLength(value.length),
    0,
  );
  const length =
    numbers.reduce((sum, value) => sum + uvarintLength(value), 0) +
    octetsLength(msgId.length) +
    octetsLength(block) +
    octetsLength(payload.length);
  const writer = new ByteWriter(4 + length);
  writer.uint32(length);
  for (const value of numbers) writer.uvarint(value);
  writer.octets(msgId);
  writer.uvarint(block);
  for (const { type, value } of extensions) {
    writer.uvarint(type);
    writer.octets(value);
  }
  writer.octets(payload);
  return writer.bytes;
}
