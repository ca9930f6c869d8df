// Owns when two values are the same to `test`: numbers by value, objects whatever their order. SPEC.md section 9 (#state).

import { equalNumbers } from '../codec/decimal.ts';
import type { JsonArray, JsonObject, JsonValue } from '../codec/value.ts';
import { LosslessNumber, isJsonArray, isJsonObject } from '../codec/value.ts';

/** Stops at the first difference, so it costs no more than the smaller value and one look at the other. */
export function equalValues(a: JsonValue, b: JsonValue): boolean {
  if (isNumber(a)) return isNumber(b) && equalNumbers(a, b);
  if (isJsonArray(a)) return isJsonArray(b) && equalArrays(a, b);
  if (isJsonObject(a)) return isJsonObject(b) && equalObjects(a, b);
  return a === b;
}

function isNumber(value: JsonValue): value is number | LosslessNumber {
  return typeof value === 'number' || value instanceof LosslessNumber;
}

function equalArrays(a: JsonArray, b: JsonArray): boolean {
  return a.length === b.length && a.every((element, index) => equalValues(element, b[index]!));
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equalValues(a[name]!, b[name]!))
  );
}
