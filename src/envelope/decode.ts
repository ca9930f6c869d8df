// Owns the check `decode`: bytes of a known encoding become a value within the limits. SPEC.md section 13 (#checks).

import { readCborMarking } from '../codec/cbor/read.ts';
import { readJsonMarking } from '../codec/json/read.ts';
import { encodeUtf8 } from '../codec/utf8.ts';
import type { JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { resolveLimits } from '../limits.ts';
import { rememberOrigin } from '../schema/descriptor-origin.ts';

export type Encoding = 'json' | 'cbor';

const SCHEMA_MEMBER = 'schema';
const SCHEMA_MEMBER_BYTES = encodeUtf8(SCHEMA_MEMBER);

/** Any bytes become text, different ones different text. */
const latin1 = new TextDecoder('latin1');

/** Reads one message. Nothing of it is checked yet but that it can be read. */
export function decodeMessage(
  bytes: Uint8Array,
  encoding: Encoding,
  limits?: Partial<Limits>,
): JsonValue {
  const { value, marked } = read(bytes, encoding, resolveLimits(limits));
  const descriptor = isJsonObject(value) ? value[SCHEMA_MEMBER] : undefined;
  if (isJsonObject(descriptor)) {
    // An object starts with "{" in JSON and never does in CBOR, so the two cannot be taken for each other.
    const text = marked && latin1.decode(marked);
    rememberOrigin(descriptor, { text, messageBytes: bytes.length });
  }
  return value;
}

function read(
  bytes: Uint8Array,
  encoding: Encoding,
  limits: Limits,
): { value: JsonValue; marked: Uint8Array | undefined } {
  switch (encoding) {
    case 'json':
      return readJsonMarking(bytes, limits, SCHEMA_MEMBER_BYTES);
    case 'cbor':
      return readCborMarking(bytes, limits, SCHEMA_MEMBER);
    default:
      throw new SdlError('ENCODING_UNSUPPORTED', 'messages are JSON or CBOR', {
        details: { supported: ['json', 'cbor'] },
      });
  }
}
