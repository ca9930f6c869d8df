// Owns equality of values by text: two values are equal exactly when their keys are. SPEC.md section 4.1 (#values-equality).

import type { JsonNumber } from '../../codec/decimal.ts';
import { numberKey } from '../../codec/decimal.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../codec/value.ts';
import { SdlError } from '../../errors.ts';
import { ARRAY, NUMBER, OBJECT, kindOf } from './kind.ts';
import { memberNames } from './member-names.ts';
import type { Work } from './work.ts';

/** Deeper than any reader goes. */
const MAX_DEPTH = 512;

/** Numbers by value, members in any order. What it costs is spent before it is done. */
export function valueKey(value: JsonValue, work: Work): string {
  return write(value, work, 0);
}

function write(value: JsonValue, work: Work, depth: number): string {
  work.spend(2);
  if (typeof value === 'string') return writeText(value, work);
  const kind = kindOf(value);
  if (kind === NUMBER) return writeNumber(value as JsonNumber, work);
  if (kind !== ARRAY && kind !== OBJECT) return JSON.stringify(value);
  work.spend(2);
  if (depth >= MAX_DEPTH) {
    throw new SdlError('SCHEMA_WORK', `a value to compare is nested deeper than ${MAX_DEPTH}`);
  }
  return kind === ARRAY
    ? writeArray(value as JsonArray, work, depth + 1)
    : writeObject(value as JsonObject, work, depth + 1);
}

/** With the length in front, the text needs no end mark and so no escapes. */
function writeText(text: string, work: Work): string {
  work.spend(text.length >> 4);
  return `"${text.length}:${text}`;
}

function writeNumber(value: JsonNumber, work: Work): string {
  if (typeof value !== 'number') work.spend(8 + (value.lexeme.length >> 2));
  return `${numberKey(value)};`;
}

function writeArray(elements: JsonArray, work: Work, depth: number): string {
  let key = '[';
  for (const element of elements) key += write(element, work, depth);
  return `${key}]`;
}

function writeObject(members: JsonObject, work: Work, depth: number): string {
  const names = memberNames(members, work);
  let length = 0;
  for (const name of names) length += 1 + (name.length >> 4);
  // Sorting looks at every name once for each halving.
  work.spend(length * Math.ceil(Math.log2(names.length + 1)));
  let key = '{';
  for (const name of names.toSorted()) {
    key += writeText(name, work) + write(members[name]!, work, depth);
  }
  return `${key}}`;
}
