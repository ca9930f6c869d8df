// Owns how JSON becomes the members of a message: each checked by the table, with the path of all that is wrong. What
// the table does not name is ignored. SPEC.md section 20 (#a2a-input).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { Violation } from '../errors/a2a-error.ts';
import { invalidInput } from '../errors/a2a-error.ts';
import type { FieldPlan, MessagePlan, ValuePlan } from './plan.ts';
import { planOf } from './plan.ts';
import { readScalar } from './scalars.ts';
import type { Table } from './table.ts';

/** A member: bytes, times in milliseconds, enums by name, everything else as JSON. */
export type FieldValue = JsonValue | Uint8Array | Fields | readonly FieldValue[];

/** The members of a message that are there. */
export interface Fields {
  readonly [json: string]: FieldValue | undefined;
}

/** How many faults are told of one message. */
const MAX_VIOLATIONS = 20;

/** Throws INVALID_PARAMS with the path of every fault. @param where the path of the value itself. */
export function readFields(
  table: Table,
  message: string,
  value: JsonValue | undefined,
  where = '',
): Fields {
  const reader = new Reader(false);
  const fields = reader.message(planOf(table, message), value ?? null, where);
  if (reader.violations.length > 0) throw invalidInput(reader.violations);
  return fields;
}

/** What an agent says of itself and its tasks: members may be missing, and names of enums and moments may be others. */
export function readTold(
  table: Table,
  message: string,
  value: JsonValue | undefined,
): { readonly fields: Fields; readonly violations: readonly Violation[] } {
  const reader = new Reader(true);
  const fields = reader.message(planOf(table, message), value ?? null, '');
  return { fields, violations: reader.violations };
}

class Reader {
  readonly #isLenient: boolean;
  readonly violations: Violation[] = [];

  constructor(isLenient: boolean) {
    this.#isLenient = isLenient;
  }

  message(plan: MessagePlan, value: JsonValue, where: string): Fields {
    const fields: Record<string, FieldValue | undefined> = {};
    if (!isJsonObject(value)) {
      this.#wrong(where, 'expected an object');
      return fields;
    }
    let chosen: Map<string, string> | undefined;
    for (const field of plan.fields) {
      const { json, oneof } = field;
      const isRequired = field.isRequired && !this.#isLenient;
      const given = memberOf(value, field);
      if (given === undefined) {
        if (isRequired) this.#wrong(pathOf(where, json), 'is required');
        continue;
      }
      const path = pathOf(where, json);
      const read = this.#field(field, given, path);
      if (isRequired && isEmpty(read)) this.#wrong(path, 'must not be empty');
      fields[json] = read;
      if (oneof === undefined) continue;
      chosen ??= new Map();
      const other = chosen.get(oneof);
      if (other !== undefined) this.#wrong(path, `cannot stand beside ${other}`);
      chosen.set(oneof, json);
    }
    return fields;
  }

  #field(field: FieldPlan, value: JsonValue, path: string): FieldValue | undefined {
    if (!field.isRepeated) return this.#value(field.value, value, path);
    if (!Array.isArray(value)) return this.#wrong(path, 'expected an array');
    const items = value as readonly JsonValue[];
    return items.map((item, at) => this.#value(field.value, item, `${path}[${at}]`) ?? null);
  }

  #value(plan: ValuePlan, value: JsonValue, path: string): FieldValue | undefined {
    switch (plan.kind) {
      case 'message':
        return this.message(plan.message, value, path);
      case 'map':
        return this.#map(plan.inner, value, path);
      case 'enum':
        return (
          readEnum(plan.names, value) ??
          (this.#isLenient && typeof value === 'string'
            ? value
            : this.#wrong(path, `expected a ${plan.type}`))
        );
      default: {
        const read = readScalar(plan.type, value);
        if (read !== undefined) return read;
        const isLet = this.#isLenient && plan.type === 'Timestamp' && typeof value === 'string';
        return isLet ? undefined : this.#wrong(path, `expected ${wordsFor(plan.type)}`);
      }
    }
  }

  #map(inner: ValuePlan, value: JsonValue, path: string): FieldValue | undefined {
    if (!isJsonObject(value)) return this.#wrong(path, 'expected an object');
    return Object.fromEntries(
      Object.keys(value).map((key) => [key, this.#value(inner, value[key]!, `${path}.${key}`)]),
    );
  }

  #wrong(field: string, description: string): undefined {
    if (this.violations.length < MAX_VIOLATIONS) this.violations.push({ field, description });
  }
}

function pathOf(where: string, json: string): string {
  return where === '' ? json : `${where}.${json}`;
}

/** `null` is no value, but where any value may stand. Who reads JSON of protobuf takes the names of both. */
function memberOf(value: JsonObject, { json, otherName, isAny }: FieldPlan): JsonValue | undefined {
  const said = value[json];
  const member = said === undefined && otherName !== undefined ? value[otherName] : said;
  return member === null && !isAny ? undefined : member;
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
