// Owns the form in which a reply is kept for retries. SPEC.md section 7 (#replay-retry).

import { SdlError } from '../errors.ts';
import type { Reply } from '../transport.ts';

/** The first byte; the message follows. Nothing at all stands for an event, which has no reply. */
const JSON_REPLY = 1;
const CBOR_REPLY = 2;

export function storedReply(reply: Reply | undefined): Uint8Array {
  if (reply === undefined) return new Uint8Array(0);
  const stored = new Uint8Array(1 + reply.bytes.length);
  stored[0] = reply.encoding === 'json' ? JSON_REPLY : CBOR_REPLY;
  stored.set(reply.bytes, 1);
  return stored;
}

export function readStoredReply(stored: Uint8Array): Reply | undefined {
  if (stored.length === 0) return undefined;
  const [kind] = stored;
  if (kind !== JSON_REPLY && kind !== CBOR_REPLY) {
    throw new SdlError('INTERNAL', 'the stored reply of a request cannot be read');
  }
  const encoding = kind === JSON_REPLY ? 'json' : 'cbor';
  return { bytes: stored.slice(1), encoding, type: 'res', status: 200 };
}
