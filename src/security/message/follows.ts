// Owns `sec.x.follows`, which ties a further message to what it goes on from. SPEC.md section 22 (#sealed-follows).

import { decodeBase64url } from '../../codec/base64url.ts';
import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { malformed, requireObject } from '../../envelope/fields.ts';
import type { Envelope } from '../../envelope/types.ts';

/** What a request goes on from. */
export interface Follows {
  /** The base64url SHA-256 of the signing input of a request before it. */
  readonly req: string;
  /** The number of the last answer to that. @default its sender has seen none */
  readonly n?: number;
}

const PATH = '/sec/x/follows';
const HASH_BYTES = 32;

/** `undefined` where it begins something new. Throws ENVELOPE_INVALID for what it cannot be. */
export function readFollows({ sec }: Envelope): Follows | undefined {
  const value = sec?.x?.['follows'];
  if (value === undefined) return undefined;
  const follows = followsIn(requireObject(value, PATH));
  if (follows !== undefined) return follows;
  throw malformed(PATH, 'must be the hash of a request and perhaps the number of its last answer');
}

/** `undefined` for anything else. */
export function followsIn(value: Readonly<Record<string, unknown>>): Follows | undefined {
  const { req, n, ...others } = value;
  const isHash = typeof req === 'string' && decodeBase64url(req)?.length === HASH_BYTES;
  const isNumber = n === undefined || (Number.isSafeInteger(n) && (n as number) >= 0);
  if (!isHash || !isNumber || Object.keys(others).length > 0) return undefined;
  return { req, ...(n !== undefined && { n: n as number }) };
}

export function writeFollows({ req, n }: Follows): JsonObject {
  const number: Record<string, JsonValue> = n === undefined ? {} : { n };
  return { req, ...number };
}
