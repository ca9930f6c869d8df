// Owns what remains of a value once its JCS form is trusted: the numbers that JCS writes, no others. SPEC.md section 4.3 (#jcs-merge).

import { SdlError } from '../errors.ts';
import { jcsNumber } from './canonical-jcs.ts';
import type { JsonArray, JsonObject, JsonValue } from './value.ts';
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

function mergedArray(elements: JsonArray): JsonArray {
  const merged = elements.map(mergeJcsNumbers);
  return merged.some((element, index) => !Object.is(element, elements[index])) ? merged : elements;
}

function mergedObject(members: JsonObject): JsonObject {
  const merged = newJsonObject();
  let isChanged = false;
  for (const name of Object.keys(members)) {
    merged[name] = mergeJcsNumbers(members[name]!);
    isChanged ||= !Object.is(merged[name], members[name]);
  }
  return isChanged ? merged : members;
}
