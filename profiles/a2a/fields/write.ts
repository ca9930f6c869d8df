// Owns how the members of a message become JSON: those of the table that are there, in its order, and nothing else.
// SPEC.md section 20 (#a2a-fields).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import type { MessagePlan, ValuePlan } from './plan.ts';
import { planOf } from './plan.ts';
import type { FieldValue, Fields } from './read.ts';
import { writeScalar } from './scalars.ts';
import type { Table } from './table.ts';

export function writeFields(table: Table, message: string, fields: Fields): JsonObject {
  return writeMessage(planOf(table, message), fields);
}

function writeMessage(plan: MessagePlan, fields: Fields): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const { json, isRepeated, value: inner } of plan.fields) {
    const value = fields[json];
    if (value === undefined) continue;
    object[json] = isRepeated
      ? (value as readonly FieldValue[]).map((item) => writeValue(inner, item))
      : writeValue(inner, value);
  }
  return object;
}

/** A map comes as the JSON that it is. */
function writeValue(plan: ValuePlan, value: FieldValue): JsonValue {
  switch (plan.kind) {
    case 'message':
      return writeMessage(plan.message, value as Fields);
    case 'scalar':
      return writeScalar(plan.type, value);
    default:
      return value as JsonValue;
  }
}
