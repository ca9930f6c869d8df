// Owns random messages of a table, as JSON of protobuf that needs no change on its way through bytes.

import * as fc from 'fast-check';

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import type { Field, Table } from '../../../profiles/a2a/fields/table.ts';

const MAX_DEPTH = 4;
const text = fc.string({ unit: 'binary', maxLength: 40 });
const name = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString', ''));
const double = fc.double({ noNaN: true, noDefaultInfinity: true });

const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -0, 1, -1, 2 ** 53 - 1, ''),
    double.filter((number) => !Number.isInteger(number) || Number.isSafeInteger(number)),
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    objectOf(tie('value')),
  ),
})).value;

const SCALARS: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  string: text.filter((said) => said !== ''),
  bytes: fc
    .uint8Array({ minLength: 1, maxLength: 200 })
    .map((bytes) => Buffer.from(bytes).toString('base64')),
  bool: fc.constant(true),
  int32: fc.integer().filter((number) => number !== 0),
  Struct: objectOf(value),
  Value: value,
  Timestamp: fc
    .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') })
    .map((at) => at.toISOString().replace('.000Z', 'Z')),
};

function objectOf(inner: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  return fc
    .array(fc.tuple(name, inner), { maxLength: 4 })
    .map((members) => Object.fromEntries(members));
}

/** What is set of a message is not empty where that is the same as nothing. */
export function messagesOf(table: Table, message: string, depth = 0): fc.Arbitrary<JsonObject> {
  const fields = table.messages[message]!;
  const members = fields.map((field) =>
    fc.option(memberOf(table, field, depth), { nil: undefined, freq: depth < 2 ? 4 : 1 }),
  );
  return fc.tuple(...members).map((given) => {
    const groups = new Set<string>();
    const object: Record<string, JsonValue> = {};
    for (const [at, { json, oneof }] of fields.entries()) {
      const member = given[at];
      if (member === undefined || (oneof !== undefined && groups.has(oneof))) continue;
      if (oneof !== undefined) groups.add(oneof);
      object[json] = member;
    }
    return object;
  });
}

function memberOf(table: Table, field: Field, depth: number): fc.Arbitrary<JsonValue | undefined> {
  const [, inner] = /^map<string,(\w+)>$/.exec(field.type) ?? [];
  const one = valueOf(table, inner ?? field.type, depth);
  if (inner !== undefined) {
    return fc
      .array(fc.tuple(name, one), { minLength: 1, maxLength: 3 })
      .map((entries) => Object.fromEntries(entries));
  }
  return field.isRepeated ? fc.array(one, { minLength: 1, maxLength: 3 }) : one;
}

function valueOf(table: Table, type: string, depth: number): fc.Arbitrary<JsonValue> {
  const scalar = SCALARS[type];
  if (scalar !== undefined) return scalar;
  const numbers = table.enums[type];
  if (numbers !== undefined) {
    return fc.constantFrom(...Object.keys(numbers).filter((known) => numbers[known] !== 0));
  }
  return depth >= MAX_DEPTH ? fc.constant({}) : messagesOf(table, type, depth + 1);
}
