// Owns the check `decode`: bytes of a known encoding become a value within the limits. SPEC.md section 13 (#checks).

import { readCborMarking } from '../codec/cbor-read.ts';
import { readJsonMarking } from '../codec/json-read.ts';
import { encodeUtf8 } from '../codec/utf8.ts';
import type { JsonValue } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { resolveLimits } from '../limits.ts';

export type Encoding = 'json' | 'cbor';

export interface Decoded {
  readonly value: JsonValue;
  /** The bytes of the member `schema` as text, where they could be cut out: a key for remembered verdicts. */
  readonly descriptorText?: string | undefined;
}

const SCHEMA_MEMBER = 'schema';
const SCHEMA_MEMBER_BYTES = encodeUtf8(SCHEMA_MEMBER);

/** Any bytes become text, different ones different text. */
const latin1 = new TextDecoder('latin1');

export function decodeMessage(
  bytes: Uint8Array,
  encoding: Encoding,
  limits?: Partial<Limits>,
): Decoded {
  const resolved = resolveLimits(limits);
  switch (encoding) {
    case 'json': {
      const { value, marked } = readJsonMarking(bytes, resolved, SCHEMA_MEMBER_BYTES);
      return { value, descriptorText: marked && latin1.decode(marked) };
    }
    case 'cbor': {
      const { value, marked } = readCborMarking(bytes, resolved, SCHEMA_MEMBER);
      // An object starts with "{" in JSON and never does in CBOR, so the two cannot be taken for each other.
      return { value, descriptorText: marked && latin1.decode(marked) };
    }
    default:
      throw new SdlError('ENCODING_UNSUPPORTED', 'messages are JSON or CBOR', {
        details: { supported: ['json', 'cbor'] },
      });
  }
}
