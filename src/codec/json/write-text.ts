// Owns JSON as text for who sends text: the same as the writer's, by the quickest way that cannot differ from it.

import { decodeUtf8 } from '../utf8.ts';
import type { JsonArray, JsonObject, JsonValue, LosslessNumber } from '../value.ts';
import { isPlainNumber } from '../value.ts';
import { writeJson } from './write.ts';

/** What {@link writeJson} writes, as text. JSON.stringify writes it where it cannot differ. */
export function writeJsonText(value: JsonValue): string {
  return isPlain(value, 0) ? JSON.stringify(value) : decodeUtf8(writeJson(value));
}

/** Deeper than messages are; what is deeper, or holds itself, is left to the writer that says what is wrong. */
const MAX_PLAIN_DEPTH = 64;
const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Every number is its own text, and nothing is there that the writer would refuse. */
function isPlain(value: JsonValue, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return isWellFormed(value);
    case 'number':
      return isPlainNumber(value) && !Object.is(value, -0);
    case 'boolean':
      return true;
    case 'object':
      return value === null || (depth < MAX_PLAIN_DEPTH && isPlainContainer(value, depth + 1));
    default:
      return false;
  }
}

/** Most text has none at all, which is found out at once. */
function isWellFormed(text: string): boolean {
  return !SURROGATE.test(text) || !LONE_SURROGATE.test(text);
}

function isPlainContainer(value: LosslessNumber | JsonArray | JsonObject, depth: number): boolean {
  if (Array.isArray(value)) {
    const elements = value as JsonArray;
    // By index: a hole must show.
    for (let at = 0; at < elements.length; at += 1) {
      if (!isPlain(elements[at]!, depth)) return false;
    }
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const members = value as JsonObject;
  for (const name of Object.keys(members)) {
    if (!isWellFormed(name) || !isPlain(members[name]!, depth)) return false;
  }
  return true;
}
