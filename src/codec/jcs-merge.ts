// Owns what remains of a value once its JCS form is trusted: the numbers that JCS writes, no others. SPEC.md section 4.3 (#jcs-merge).

import { SdlError } from '../errors.ts';
import { jcsNumber } from './canonical-jcs.ts';
import type { JsonArray, JsonObject, JsonValue, MutableJsonObject } from './value.ts';
import { LosslessNumber, isJsonArray, newJsonObject } from './value.ts';
import { numberFromLexeme } from './number-text.ts';

/** The same value with every number replaced by the one that its JCS text denotes. Shares what does not change. */
export function mergeJcsNumbers(value: JsonValue): JsonValue {
  if (typeof value === 'number') return Object.is(value, -0) ? 0 : value;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof LosslessNumber) return mergedNumber(value);
  return isJsonArray(value) ? mergedArray(value) : mergedObject(value);
}

function mergedNumber(value: LosslessNumber): JsonValue {
  const text = jcsNumber(value);
  if (text === undefined) {
    throw new SdlError('NUMBER_INEXACT', 'a number has no exact RFC 8785 form');
  }
  return numberFromLexeme(text);
}

// Hardly any message holds such a number, so nothing is copied before the first one is found.

function mergedArray(elements: JsonArray): JsonArray {
  let merged: JsonValue[] | undefined;
  for (const [index, before] of elements.entries()) {
    const element = mergeJcsNumbers(before);
    if (Object.is(element, before)) continue;
    merged ??= [...elements];
    merged[index] = element;
  }
  return merged ?? elements;
}

function mergedObject(members: JsonObject): JsonObject {
  let merged: MutableJsonObject | undefined;
  for (const name of Object.keys(members)) {
    const before = members[name]!;
    const member = mergeJcsNumbers(before);
    if (Object.is(member, before)) continue;
    merged ??= copyOf(members);
    merged[name] = member;
  }
  return merged ?? members;
}

function copyOf(members: JsonObject): MutableJsonObject {
  const copy = newJsonObject();
  for (const name of Object.keys(members)) copy[name] = members[name]!;
  return copy;
}
