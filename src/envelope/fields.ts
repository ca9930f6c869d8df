// Owns how an envelope's members are checked and how a bad one is named. SPEC.md section 2 (#envelope-required).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject, LosslessNumber } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import { parseLaxTimestamp, parseTimestamp } from './timestamp.ts';

/** The error for the member at `path`, which is made of fixed names only and may go to the peer. */
export function malformed(path: string, what: string): SdlError {
  return new SdlError('ENVELOPE_INVALID', `${path} ${what}`.trim(), { details: { path } });
}

export function isText(value: JsonValue | undefined, maxLength: number): value is string {
  if (typeof value !== 'string' || value === '') return false;
  // Code units are never fewer than code points, so the count is needed only beyond the limit.
  return value.length <= maxLength || codePointLength(value, maxLength) <= maxLength;
}

export function requireText(value: JsonValue | undefined, maxLength: number, path: string): string {
  if (isText(value, maxLength)) return value;
  if (value === undefined) throw malformed(path, 'is missing');
  throw malformed(path, `must be text of 1 to ${maxLength} characters`);
}

export function requireObject(value: JsonValue | undefined, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw malformed(path, value === undefined ? 'is missing' : 'must be an object');
}

/** `mayBeLax` is asked only of a text that is no strict timestamp. @default never */
export function requireTimestamp(
  value: JsonValue | undefined,
  path: string,
  mayBeLax: () => boolean = () => false,
): void {
  if (typeof value === 'string') {
    if (parseTimestamp(value) !== undefined) return;
    if (parseLaxTimestamp(value) !== undefined && mayBeLax()) return;
  }
  throw malformed(path, 'must be a UTC timestamp such as 2026-01-31T12:00:00Z');
}

/** An integer by its lexeme: `1.0`, `1e2`, `-0` and `true` are none. */
export function isInteger(value: JsonValue | undefined): value is number | LosslessNumber {
  if (value instanceof LosslessNumber) return value.isInteger && value.lexeme !== '-0';
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}

/** Stops counting once the limit is passed: the text may be a megabyte. */
function codePointLength(text: string, limit: number): number {
  let length = 0;
  for (let at = 0; at < text.length && length <= limit; length += 1) {
    at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  }
  return length;
}
