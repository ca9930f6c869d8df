// Owns when two offers are the same: the task that a key names, and the fingerprint of what is asked.
// SPEC.md section 18 (#steerqa-idempotency).

import { createHash } from 'node:crypto';

import { LosslessNumber, isJsonArray, isJsonObject, writeJcs } from '../../src/codec/index.ts';
import type { JsonObject, JsonValue } from '../../src/door/index.ts';
import { SdlError } from '../../src/door/index.ts';
import { agentNameOf } from './messages.ts';

/** A repeated offer has these anew. */
const FRESH: ReadonlySet<string> = new Set(['issued_at', 'ttl', 'trace_id']);

/** SHA-256 of the JCS of what is asked, whatever else stands in it. */
export function fingerprintOf(offer: JsonObject): string {
  const asked = Object.fromEntries(Object.entries(offer).filter(([name]) => !FRESH.has(name)));
  return createHash('sha256').update(canonical(asked)).digest('hex');
}

/** The id of the task that does it; of another agent or with another key it is another one. */
export function taskIdOf(offer: JsonObject): string {
  const name = agentNameOf(offer['agent_version'] as string);
  const scope = writeJcs([name, offer['idempotency_key'] as string]);
  return `steerqa:${createHash('sha256').update(scope).digest('base64url')}`;
}

function canonical(value: JsonValue): Uint8Array {
  try {
    return writeJcs(value);
  } catch (thrown) {
    if (!(thrown instanceof SdlError) || thrown.code !== 'NUMBER_INEXACT') throw thrown;
    return writeJcs(named(value));
  }
}

/**
 * Numbers that no double holds, such as long seeds, count by their text: two of them must not become one. Every object
 * is wrapped too, so that none looks like such a number.
 */
function named(value: JsonValue): JsonValue {
  if (value instanceof LosslessNumber) return isExact(value) ? value : { number: value.lexeme };
  if (isJsonArray(value)) return value.map(named);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, named(inner)]);
  return { members: Object.fromEntries(members) as JsonObject };
}

function isExact(number: LosslessNumber): boolean {
  try {
    writeJcs(number);
    return true;
  } catch {
    return false;
  }
}
