// Owns how the members of a signed document are checked: closed lists, safe integers, moments. SPEC.md section 10 (#doc-signature).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { isInteger, malformed, requireObject, requireTimestamp } from '../../envelope/fields.ts';
import { parseTimestamp } from '../../envelope/timestamp.ts';

/** An object without members outside the list. Members that must be there are for the caller to ask for. */
export function requireMembers(
  value: JsonValue | undefined,
  members: readonly string[],
  path: string,
): JsonObject {
  const object = requireObject(value, path);
  // The unknown name itself is the sender's text and stays out of the error.
  if (Object.keys(object).some((name) => !members.includes(name))) {
    throw malformed(path, `must have no members but ${members.join(', ')}`);
  }
  return object;
}

/** Safe integers in their one spelling: JCS would write `1.0` as `1`, and larger ones not at all. */
export function requireCount(value: JsonValue | undefined, path: string): number {
  if (typeof value === 'number' && isInteger(value) && value >= 0) return value;
  throw malformed(path, 'must be an integer from 0 to 9007199254740991');
}

/** Milliseconds since the epoch. */
export function requireMoment(value: JsonValue | undefined, path: string): number {
  requireTimestamp(value, path);
  return parseTimestamp(value as string)!;
}
