// Owns a table as protobuf needs it: the fields of a message by their numbers, and how each stands on the wire.
// SPEC.md section 20 (#a2a-protobuf).

import type { Field, Table } from '../fields/table.ts';
import { MAP_TYPE } from '../fields/table.ts';

/** How a value is coded. The last three are messages of protobuf itself with a form of their own in JSON. */
type Coding =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'enum'
  | 'message'
  | 'Struct'
  | 'Value'
  | 'Timestamp';

/** Of the wire types of protobuf only these occur in the tables. */
export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH = 2;

export interface Slot {
  readonly json: string;
  readonly coding: Coding;
  /** Number and wire type. */
  readonly tag: number;
  readonly isRepeated: boolean;
  /** An empty value is a value; else it is the same as none. */
  readonly hasPresence: boolean;
  /** The other fields of its group, of which one may be set. */
  readonly others: readonly string[];
  /** Of a message. */
  readonly layout?: Layout;
  /** Of an enum: names by number, and numbers by name. */
  readonly names?: ReadonlyMap<number, string>;
  readonly numbers?: Readonly<Record<string, number>>;
  /** Of a map: what its values are. Its keys are texts. */
  readonly entry?: Slot;
}

export interface Layout {
  /** In the order of the table. */
  readonly slots: readonly Slot[];
  /** `undefined` for a number that the table does not have. */
  readonly byNumber: readonly (Slot | undefined)[];
}

type Coded = Pick<Slot, 'coding' | 'layout' | 'names' | 'numbers'>;

const SCALARS: ReadonlySet<string> = new Set(['string', 'bytes', 'bool', 'int32', 'int64']);
const OWN_FORMS: ReadonlySet<string> = new Set(['Struct', 'Value', 'Timestamp']);
const VARINTS: ReadonlySet<Coding> = new Set<Coding>(['bool', 'int32', 'int64', 'enum']);
const NOTHING: Layout = { slots: [], byNumber: [] };

const known = new WeakMap<Table, Map<string, Layout>>();

export function layoutOf(table: Table, message: string): Layout {
  const layouts = known.get(table) ?? new Map<string, Layout>();
  known.set(table, layouts);
  return layouts.get(message) ?? layOut(table, message, layouts);
}

function layOut(table: Table, message: string, layouts: Map<string, Layout>): Layout {
  const fields = table.messages[message];
  // The one message without fields that no table has.
  if (fields === undefined && message === 'Empty') return NOTHING;
  if (fields === undefined) throw new TypeError(`there is no message ${message}`);
  const slots: Slot[] = [];
  const byNumber: (Slot | undefined)[] = [];
  // Before its fields are: a message may hold itself.
  layouts.set(message, { slots, byNumber });
  for (const field of fields) {
    const slot = slotOf(table, field, fields);
    slots.push(slot);
    while (byNumber.length < field.number) byNumber.push(undefined);
    byNumber[field.number] = slot;
  }
  return layouts.get(message)!;
}

function slotOf(table: Table, field: Field, fields: readonly Field[]): Slot {
  const { json, number, type, isRepeated, isOptional, oneof } = field;
  const [, inner] = MAP_TYPE.exec(type) ?? [];
  const coded: Coded = inner === undefined ? codedAs(table, type) : { coding: 'message' };
  const others = fields.filter((other) => oneof !== undefined && other.oneof === oneof);
  return {
    json,
    ...coded,
    tag: tagOf(number, coded.coding),
    isRepeated,
    hasPresence: isOptional || isRepeated || oneof !== undefined,
    others: others.map((other) => other.json).filter((name) => name !== json),
    ...(inner !== undefined && { entry: entryOf(table, inner) }),
  };
}

function entryOf(table: Table, type: string): Slot {
  const coded = codedAs(table, type);
  const tag = tagOf(2, coded.coding);
  return { json: 'value', ...coded, tag, isRepeated: false, hasPresence: true, others: [] };
}

function codedAs(table: Table, type: string): Coded {
  if (SCALARS.has(type) || OWN_FORMS.has(type)) return { coding: type as Coding };
  const numbers = table.enums[type];
  if (numbers === undefined) return { coding: 'message', layout: layoutOf(table, type) };
  const names = new Map(Object.entries(numbers).map(([name, number]) => [number, name]));
  return { coding: 'enum', numbers, names };
}

function tagOf(number: number, coding: Coding): number {
  return (number << 3) | (VARINTS.has(coding) ? VARINT : LENGTH);
}
