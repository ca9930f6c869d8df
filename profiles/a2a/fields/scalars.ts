// Owns scalars of the table in JSON: what is accepted for each type, and how it is written. SPEC.md section 20
// (#a2a-input).

import type { JsonValue } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { FieldValue } from './read.ts';

const TIME = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const WHOLE = /^-?(?:0|[1-9]\d{0,15})$/;
const INT32 = 2 ** 31;

/** `undefined` for what is none of this type. Bytes come as bytes, times as milliseconds since the epoch. */
export function readScalar(type: string, value: JsonValue): FieldValue | undefined {
  // From protobuf, which has them as they are.
  if (type === 'bytes' && (value as FieldValue) instanceof Uint8Array) return value;
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'bytes':
      return typeof value === 'string' ? readBase64(value) : undefined;
    case 'int32': {
      const number = readWhole(value);
      return number !== undefined && number >= -INT32 && number < INT32 ? number : undefined;
    }
    case 'int64':
      return readWhole(value);
    case 'Timestamp':
      return typeof value === 'string' ? readTime(value) : undefined;
    case 'Struct':
      return isJsonObject(value) ? value : undefined;
    default:
      return value;
  }
}

export function writeScalar(type: string, value: FieldValue): JsonValue {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return writeBase64(value);
  return type === 'Timestamp' ? new Date(value as number).toISOString() : (value as JsonValue);
}

/** Numbers, and whole numbers as text: both are JSON of protobuf. */
function readWhole(value: JsonValue): number | undefined {
  if (typeof value === 'string' && !WHOLE.test(value)) return undefined;
  const isNumber = typeof value === 'number' || typeof value === 'string' || isLossless(value);
  const number = isNumber ? Number(value) : NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** A number whose text would change as a double, such as `1.0`. */
function isLossless(value: JsonValue): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isJsonObject(value)
  );
}

/** With or without padding, in either alphabet; nothing that decodes to the same bytes as another text. */
function readBase64(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined;
  const plain = text.replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_');
  const isPadded = plain.length !== text.length;
  if (isPadded && text.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(plain, 'base64url');
  return bytes.toString('base64url') === plain ? new Uint8Array(bytes) : undefined;
}

function writeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** What is finer than a millisecond counts as the next one: nobody asks for more than there is. */
function readTime(text: string): number | undefined {
  const [, seconds, fraction = '', zone] = TIME.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  const at = Date.parse(`${seconds}${zone}`.toUpperCase());
  return Number.isNaN(at) ? undefined : at + Math.ceil(Number(`0${fraction}`) * 1_000);
}
