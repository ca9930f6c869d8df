// Owns the check `decode`: bytes of a known encoding become a value within the limits. SPEC.md section 13 (#checks).

import { readCbor } from '../codec/cbor-read.ts';
import { readJsonMarking } from '../codec/json-read.ts';
import { decodeUtf8, encodeUtf8 } from '../codec/utf8.ts';
import type { JsonValue } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { DEFAULT_LIMITS } from '../limits.ts';

export type Encoding = 'json' | 'cbor';

export interface Decoded {
  readonly value: JsonValue;
  /** The text of the member `schema`, where it could be cut out of the bytes: a key for remembered verdicts. */
  readonly descriptorText?: string | undefined;
}

const SCHEMA_MEMBER = encodeUtf8('schema');

export function decodeMessage(
  bytes: Uint8Array,
  encoding: Encoding,
  limits: Limits = DEFAULT_LIMITS,
): Decoded {
  switch (encoding) {
    case 'json': {
      const { value, marked } = readJsonMarking(bytes, limits, SCHEMA_MEMBER);
      return { value, descriptorText: marked && decodeUtf8(marked) };
    }
    case 'cbor':
      return { value: readCbor(bytes, limits) };
    default:
      throw new SdlError('ENCODING_UNSUPPORTED', 'messages are JSON or CBOR', {
        details: { supported: ['json', 'cbor'] },
      });
  }
}
