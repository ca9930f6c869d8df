// Owns the kinds of value that `type` tells apart, as bits that a set of them can hold. SPEC.md section 5.2 (#schema-numbers).

import { isIntegral, numberLength } from '../../codec/decimal.ts';
import type { JsonNumber } from '../../codec/decimal.ts';
import type { JsonValue } from '../../codec/value.ts';
import { LosslessNumber } from '../../codec/value.ts';
import type { Work } from './work.ts';

const NULL = 1;
const BOOLEAN = 2;
export const NUMBER = 4;
export const STRING = 8;
export const ARRAY = 16;
export const OBJECT = 32;
/** Never the kind of a value: in a set it allows those numbers that have no fraction. */
const INTEGER = 64;

export const KINDS: ReadonlyMap<string, number> = new Map([
  ['null', NULL],
  ['boolean', BOOLEAN],
  ['number', NUMBER],
  ['integer', INTEGER],
  ['string', STRING],
  ['array', ARRAY],
  ['object', OBJECT],
]);

export function kindOf(value: JsonValue): number {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'number':
      return NUMBER;
    case 'boolean':
      return BOOLEAN;
    case 'object':
      if (value === null) return NULL;
      if (Array.isArray(value)) return ARRAY;
      return value instanceof LosslessNumber ? NUMBER : OBJECT;
    default:
      throw new TypeError(`"value" holds a ${typeof value}, which JSON does not have`);
  }
}

/** Does the set allow the value, which is of this kind? */
export function allowsKind(kinds: number, kind: number, value: JsonValue, work: Work): boolean {
  if ((kinds & kind) !== 0) return true;
  if (kind !== NUMBER || (kinds & INTEGER) === 0) return false;
  if (typeof value !== 'number') work.spend(6 + (numberLength(value as JsonNumber) >> 4));
  return isIntegral(value as JsonNumber);
}
