// Owns what the fields of a table come to, worked out once: who reads or writes a message looks only at its values.
// SPEC.md section 20 (#a2a-fields).

import type { Field, Table } from './table.ts';
import { MAP_TYPE } from './table.ts';

/** How one value is read and written. */
export type ValuePlan =
  | { readonly kind: 'message'; readonly message: MessagePlan }
  | { readonly kind: 'map'; readonly inner: ValuePlan }
  | { readonly kind: 'enum'; readonly type: string; readonly names: Table['enums'][string] }
  | { readonly kind: 'scalar'; readonly type: string };

export interface FieldPlan extends Pick<Field, 'json' | 'isRepeated' | 'isRequired' | 'oneof'> {
  /** Its other name: JSON of protobuf may have both. */
  readonly otherName: string | undefined;
  /** Any value may stand there, also none. */
  readonly isAny: boolean;
  readonly value: ValuePlan;
}

export interface MessagePlan {
  readonly fields: readonly FieldPlan[];
}

const plans = new WeakMap<Table, Map<string, MessagePlan>>();

export function planOf(table: Table, message: string): MessagePlan {
  let known = plans.get(table);
  if (known === undefined) plans.set(table, (known = new Map()));
  return known.get(message) ?? makePlan(table, message, known);
}

function makePlan(table: Table, message: string, known: Map<string, MessagePlan>): MessagePlan {
  const fields: FieldPlan[] = [];
  const plan = { fields };
  // Before its fields: a message may hold others of its own kind.
  known.set(message, plan);
  for (const field of table.messages[message]!) fields.push(fieldPlan(table, field));
  return plan;
}

function fieldPlan(table: Table, field: Field): FieldPlan {
  const { json, name, type, isRepeated, isRequired, oneof } = field;
  return {
    json,
    otherName: table.package === '' || name === json ? undefined : name,
    isAny: type === 'Value',
    isRepeated,
    isRequired,
    ...(oneof !== undefined && { oneof }),
    value: valuePlan(table, type),
  };
}

function valuePlan(table: Table, type: string): ValuePlan {
  const [, inner] = MAP_TYPE.exec(type) ?? [];
  if (inner !== undefined) return { kind: 'map', inner: valuePlan(table, inner) };
  if (Object.hasOwn(table.messages, type)) return { kind: 'message', message: planOf(table, type) };
  const names = table.enums[type];
  return names === undefined ? { kind: 'scalar', type } : { kind: 'enum', type, names };
}
