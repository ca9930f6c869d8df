// Owns how JSON becomes the members of a message: each checked by the table, with the path of all that is wrong. What
// the table does not name is ignored. SPEC.md section 20 (#a2a-input).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { Violation } from '../errors/a2a-error.ts';
import { invalidInput } from '../errors/a2a-error.ts';
import { readScalar } from './scalars.ts';
import type { Field, Table } from './table.ts';

/** A member: bytes, times in milliseconds, enums by name, everything else as JSON. */
export type FieldValue = JsonValue | Uint8Array | Fields | readonly FieldValue[];

/** The members of a message that are there. */
export interface Fields {
  readonly [json: string]: FieldValue | undefined;
}

/** How many faults are told of one message. */
const MAX_VIOLATIONS = 20;
const MAP_TYPE = /^map<string,(\w+)>$/;

/** Throws INVALID_PARAMS with the path of every fault. @param where the path of the value itself. */
export function readFields(
  table: Table,
  message: string,
  value: JsonValue | undefined,
  where = '',
): Fields {
  const reader = new Reader(table);
  const fields = reader.message(message, value ?? null, where);
  if (reader.violations.length > 0) throw invalidInput(reader.violations);
  return fields;
}

class Reader {
  readonly #table: Table;
  readonly violations: Violation[] = [];

  constructor(table: Table) {
    this.#table = table;
  }

  message(name: string, value: JsonValue, where: string): Fields {
    const fields: Record<string, FieldValue | undefined> = {};
    if (!isJsonObject(value)) {
      this.#wrong(where, 'expected an object');
      return fields;
    }
    const chosen = new Map<string, string>();
    for (const field of this.#table.messages[name]!) {
      const { json, oneof, isRequired } = field;
      const path = where === '' ? json : `${where}.${json}`;
      const given = memberOf(value, field);
      const read = given === undefined ? undefined : this.#field(field, given, path);
      if (isRequired && given === undefined) this.#wrong(path, 'is required');
      else if (isRequired && isEmpty(read)) this.#wrong(path, 'must not be empty');
      if (given === undefined) continue;
      fields[json] = read;
      if (oneof === undefined) continue;
      const other = chosen.get(oneof);
      if (other !== undefined) this.#wrong(path, `cannot stand beside ${other}`);
      chosen.set(oneof, json);
    }
    return fields;
  }

  #field(field: Field, value: JsonValue, path: string): FieldValue | undefined {
    const { type, isRepeated } = field;
    if (isRepeated) {
      if (!Array.isArray(value)) return this.#wrong(path, 'expected an array');
      const items = value as readonly JsonValue[];
      return items.map((item, at) => this.#value(type, item, `${path}[${at}]`) ?? null);
    }
    const [, inner] = MAP_TYPE.exec(type) ?? [];
    if (inner === undefined) return this.#value(type, value, path);
    if (!isJsonObject(value)) return this.#wrong(path, 'expected an object');
    return Object.fromEntries(
      Object.keys(value).map((key) => [key, this.#value(inner, value[key]!, `${path}.${key}`)]),
    );
  }

  #value(type: string, value: JsonValue, path: string): FieldValue | undefined {
    if (Object.hasOwn(this.#table.messages, type)) return this.message(type, value, path);
    const names = this.#table.enums[type];
    const read = names === undefined ? readScalar(type, value) : readEnum(names, value);
    return read === undefined
      ? this.#wrong(path, `expected ${names === undefined ? wordsFor(type) : `a ${type}`}`)
      : read;
  }

  #wrong(field: string, description: string): undefined {
    if (this.violations.length < MAX_VIOLATIONS) this.violations.push({ field, description });
  }
}

/** `null` is no value, but where any value may stand. */
function memberOf(value: JsonObject, { json, type }: Field): JsonValue | undefined {
  const member = value[json];
  return member === null && type !== 'Value' ? undefined : member;
}

function isEmpty(value: FieldValue | undefined): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

/** By name or by number. The one that stands for nothing is no value. */
function readEnum(names: Readonly<Record<string, number>>, value: JsonValue): string | undefined {
  if (typeof value === 'string') return Object.hasOwn(names, value) ? value : undefined;
  return Object.keys(names).find((name) => names[name] === value);
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  bytes: 'base64',
  bool: 'true or false',
  int32: 'a whole number of 32 bits',
  int64: 'a whole number',
  Timestamp: 'a time such as 2026-01-31T12:00:00Z',
  Struct: 'an object',
  Value: 'a value',
};

function wordsFor(type: string): string {
  return WORDS[type] ?? type;
}
