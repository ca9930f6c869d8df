// Owns how an envelope becomes the bytes of a message. SPEC.md sections 4.2 and 4.5 (#json-write, #cbor-canonical).

import { writeCbor } from '../codec/cbor/write.ts';
import { writeJson } from '../codec/json/write.ts';
import type { JsonValue } from '../codec/value.ts';
import type { Encoding } from './decode.ts';
import type { Envelope } from './types.ts';

/** An envelope is a JSON value; its type only has no room for the members that it does not know. */
export function envelopeValue(envelope: Envelope): JsonValue {
  return envelope as unknown as JsonValue;
}

export function encodeMessage(envelope: Envelope, encoding: Encoding): Uint8Array {
  const value = envelopeValue(envelope);
  if (encoding !== 'json' && encoding !== 'cbor') {
    throw new TypeError('"encoding" expected "json" or "cbor"');
  }
  return encoding === 'cbor' ? writeCbor(value) : writeJson(value);
}
