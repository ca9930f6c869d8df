// Owns when two values are the same to `test`: numbers by value, objects whatever their order. SPEC.md section 9 (#state).

import { equalNumbers, numberLength } from '../codec/decimal.ts';
import type { JsonArray, JsonObject, JsonValue } from '../codec/value.ts';
import { LosslessNumber, isJsonArray, isJsonObject } from '../codec/value.ts';
import { MEMBER_COST } from './extent.ts';

/** Told of the cost of each step before it is taken; throws to stop the comparison. */
type Charge = (cost: number) => void;

/** Digits that are compared in the time of one unit of cost, and so many units of equally long strings. */
const DIGITS_PER_COST = 4;
const UNITS_PER_COST = 16;

/** Stops at the first difference. */
export function equalValues(a: JsonValue, b: JsonValue, charge: Charge): boolean {
  charge(1);
  if (isNumber(a)) return isNumber(b) && equalNumberValues(a, b, charge);
  if (typeof a === 'string') return typeof b === 'string' && equalStrings(a, b, charge);
  if (isJsonArray(a)) return isJsonArray(b) && equalArrays(a, b, charge);
  if (isJsonObject(a)) return isJsonObject(b) && equalObjects(a, b, charge);
  return a === b;
}

function isNumber(value: JsonValue): value is number | LosslessNumber {
  return typeof value === 'number' || value instanceof LosslessNumber;
}

function equalNumberValues(
  a: number | LosslessNumber,
  b: number | LosslessNumber,
  charge: Charge,
): boolean {
  // Two plain numbers are compared as they are; any other pair digit by digit.
  if (typeof a !== 'number' || typeof b !== 'number') {
    charge((numberLength(a) + numberLength(b)) / DIGITS_PER_COST);
  }
  return equalNumbers(a, b);
}

function equalStrings(a: string, b: string, charge: Charge): boolean {
  if (a.length !== b.length) return false;
  charge(a.length / UNITS_PER_COST);
  return a === b;
}

function equalArrays(a: JsonArray, b: JsonArray, charge: Charge): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    if (!equalValues(a[index]!, b[index]!, charge)) return false;
  }
  return true;
}

function equalObjects(a: JsonObject, b: JsonObject, charge: Charge): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  charge(names.length * MEMBER_COST);
  return names.every((name) => Object.hasOwn(b, name) && equalValues(a[name]!, b[name]!, charge));
}
