// Owns how the members of a message become JSON: those of the table that are there, in its order, and nothing else.
// SPEC.md section 20 (#a2a-fields).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import type { FieldValue, Fields } from './read.ts';
import { writeScalar } from './scalars.ts';
import type { Table } from './table.ts';

export function writeFields(table: Table, message: string, fields: Fields): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const { json, type, isRepeated } of table.messages[message]!) {
    const value = fields[json];
    if (value === undefined) continue;
    object[json] = isRepeated
      ? (value as readonly FieldValue[]).map((item) => writeValue(table, type, item))
      : writeValue(table, type, value);
  }
  return object;
}

function writeValue(table: Table, type: string, value: FieldValue): JsonValue {
  if (Object.hasOwn(table.messages, type)) return writeFields(table, type, value as Fields);
  return writeScalar(type, value);
}
