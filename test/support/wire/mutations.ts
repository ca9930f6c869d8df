// A document with exactly one thing in it changed: a value, a member left out, a member too many.

import * as fc from 'fast-check';

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { LosslessNumber, isJsonArray, isJsonObject } from '../../../src/codec/value.ts';

/** Every document that is one step away, for a random few of the values to step to. */
export function mutantsOf(document: JsonObject): fc.Arbitrary<JsonValue> {
  return fc.tuple(fc.nat(), fc.string({ minLength: 1, maxLength: 12 })).map(([pick, text]) => {
    const mutants = allMutants(document, text);
    return mutants[pick % mutants.length]!;
  });
}

/** Every one of them, for one text to step to. */
export function allMutants(value: JsonValue, text: string): JsonValue[] {
  if (typeof value === 'string') return [`${value}${text}`, value.slice(1), text, 1, null];
  if (typeof value === 'number') {
    return [value + 1, -value - 1, String(value), true, new LosslessNumber(`${value}.0`)];
  }
  if (isJsonArray(value)) {
    const changed = value.flatMap((element, at) => [
      ...allMutants(element, text).map((mutant) => value.toSpliced(at, 1, mutant)),
      value.toSpliced(at, 1),
    ]);
    return [...changed, [...value, text], {}];
  }
  if (!isJsonObject(value)) return [text];
  const changed = Object.keys(value).flatMap((name) => {
    const { [name]: _, ...others } = value;
    const withMember = (mutant: JsonValue): JsonObject => ({ ...value, [name]: mutant });
    return allMutants(value[name]!, text).map(withMember).concat(others);
  });
  return [...changed, { ...value, [`+${text}`]: text }, []];
}
