// Owns how plain objects become values of ours and back: numbers stay what they are, and nothing is dropped in silence.

import type { JsonObject, JsonValue } from '../../../../src/codec/index.ts';
import { LosslessNumber, isJsonArray } from '../../../../src/codec/index.ts';

/** Deeper than any message may be, so that the limits of the wire decide and no stack overflows. */
const DEEPEST = 512;

/** Throws a TypeError for what JSON does not have. What is `undefined` is not there. */
export function toValue(given: unknown, depth = 0): JsonValue {
  if (given === null || typeof given === 'string' || typeof given === 'boolean') return given;
  if (typeof given === 'number') return toNumber(given);
  if (given instanceof LosslessNumber) return given;
  if (typeof given !== 'object' || ArrayBuffer.isView(given) || depth > DEEPEST) {
    throw new TypeError('"data" and "metadata" expected JSON values');
  }
  if (Array.isArray(given)) return given.map((one: unknown) => toValue(one ?? null, depth + 1));
  return toObject(given as Readonly<Record<string, unknown>>, depth);
}

function toObject(given: Readonly<Record<string, unknown>>, depth: number): JsonObject {
  const entries = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, toValue(value, depth + 1)] as const);
  // Not by assignment: `__proto__` is a name like any other.
  return Object.fromEntries(entries);
}

function toNumber(given: number): JsonValue {
  if (!Number.isFinite(given)) throw new TypeError('a number that JSON does not have');
  const isUnsafe = Number.isInteger(given) && !Number.isSafeInteger(given);
  return isUnsafe && Math.abs(given) < 1e21 ? new LosslessNumber(JSON.stringify(given)) : given;
}

/** For programs: ordinary objects and the nearest doubles. */
export function toPlain(value: JsonValue): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof LosslessNumber) return value.toNumber();
  if (isJsonArray(value)) return value.map(toPlain);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toPlain(one)]));
}
