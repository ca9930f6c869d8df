// Owns the form in which a reply is kept for retries. SPEC.md section 7 (#replay-retry).

import { SdlError } from '../errors.ts';
import type { Reply } from '../transport.ts';

/** The first byte; the message follows. Nothing at all stands for an event, which has no reply. */
const JSON_REPLY = 1;
const CBOR_REPLY = 2;
/** Added to the first byte of a reply of a task: its generation follows, then the message. */
const WITH_GENERATION = 2;
const GENERATION_BYTES = 8;

export function storedReply(reply: Reply | undefined): Uint8Array {
  if (reply === undefined) return new Uint8Array(0);
  const { bytes, encoding, generation } = reply;
  const start = 1 + (generation === undefined ? 0 : GENERATION_BYTES);
  const stored = new Uint8Array(start + bytes.length);
  stored[0] = encoding === 'json' ? JSON_REPLY : CBOR_REPLY;
  if (generation !== undefined) {
    stored[0] += WITH_GENERATION;
    new DataView(stored.buffer).setBigUint64(1, BigInt(generation));
  }
  stored.set(bytes, start);
  return stored;
}

export function readStoredReply(stored: Uint8Array): Reply | undefined {
  if (stored.length === 0) return undefined;
  const [first = 0] = stored;
  const hasGeneration = first > CBOR_REPLY;
  const kind = hasGeneration ? first - WITH_GENERATION : first;
  if (kind !== JSON_REPLY && kind !== CBOR_REPLY) {
    throw new SdlError('INTERNAL', 'the stored reply of a request cannot be read');
  }
  const encoding = kind === JSON_REPLY ? 'json' : 'cbor';
  const reply = { encoding, type: 'res', status: 200 } as const;
  if (!hasGeneration) return { ...reply, bytes: stored.slice(1) };
  const view = new DataView(stored.buffer, stored.byteOffset);
  const generation = Number(view.getBigUint64(1));
  return { ...reply, bytes: stored.slice(1 + GENERATION_BYTES), generation };
}
