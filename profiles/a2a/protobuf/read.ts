// Owns how bytes of protobuf become the JSON of their message: what is checked here is only whether they are one. Bytes
// stay bytes. SPEC.md section 20 (#a2a-protobuf).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import type { Limits } from '../../../src/transport.ts';
import type { Table } from '../fields/table.ts';
import type { Layout, Slot } from './layout.ts';
import { layoutOf } from './layout.ts';
import { Source, malformed } from './source.ts';
import { readTimestamp } from './timestamp.ts';
import type { MutableObject } from './values.ts';
import { KEY, newObject, readStruct, readValue } from './values.ts';

/** Throws ENCODING_INVALID, or the code of a limit. */
export function readProtobuf(
  table: Table,
  message: string,
  bytes: Uint8Array,
  limits: Limits,
): JsonObject {
  const source = new Source(bytes, limits);
  return readMessage(source, layoutOf(table, message), source.length, 1, {});
}

function readMessage(
  source: Source,
  { byNumber }: Layout,
  end: number,
  depth: number,
  into: MutableObject,
): MutableObject {
  source.assertDepth(depth);
  while (source.at < end) {
    const tag = source.tag(end);
    const number = tag >>> 3;
    const slot = number < byNumber.length ? byNumber[number] : undefined;
    if (slot === undefined) source.skip(tag, end);
    else if (slot.tag !== tag) throw malformed(`${slot.json} is of another wire type`);
    else readField(source, slot, end, depth + 1, into);
  }
  return into;
}

function readField(
  source: Source,
  slot: Slot,
  end: number,
  depth: number,
  into: MutableObject,
): void {
  const { json, others } = slot;
  source.count();
  const known = into[json];
  if (slot.entry !== undefined) {
    const map = (known ?? newObject()) as MutableObject;
    into[json] = map;
    readEntry(source, slot.entry, source.until(end), depth + 1, map);
    return;
  }
  if (slot.isRepeated) {
    const list = (known ?? []) as JsonValue[];
    into[json] = list;
    source.assertRoomIn(list);
    list.push(readOne(source, slot, end, depth + 1)!);
    return;
  }
  const value = readOne(source, slot, end, depth, known);
  if (value === undefined) delete into[json];
  else into[json] = value;
  for (const other of others) if (into[other] !== undefined) delete into[other];
}

/**
 * `undefined` for what is the same as nothing.
 * @param known what the field said before: the last one counts, and messages are put together.
 */
function readOne(
  source: Source,
  slot: Slot,
  end: number,
  depth: number,
  known?: JsonValue,
): JsonValue | undefined {
  const { hasPresence } = slot;
  switch (slot.coding) {
    case 'string': {
      const text = source.text(end);
      return text === '' && !hasPresence ? undefined : text;
    }
    case 'bytes': {
      const bytes = source.bytes(end);
      // Read on by those who know that bytes may stand there: see readScalar.
      return bytes.length === 0 && !hasPresence ? undefined : (bytes as unknown as JsonValue);
    }
    case 'bool':
      return source.bool(end) || (hasPresence ? false : undefined);
    case 'int32': {
      const number = source.int32(end);
      return number === 0 && !hasPresence ? undefined : number;
    }
    case 'int64': {
      const number = source.int64(end);
      return number === 0 && !hasPresence ? undefined : number;
    }
    case 'enum': {
      const number = source.int32(end);
      return number === 0 && !hasPresence ? undefined : (slot.names!.get(number) ?? number);
    }
    case 'Struct':
      return readStruct(source, source.until(end), depth, known);
    case 'Value':
      return readValue(source, source.until(end), depth, known);
    case 'Timestamp':
      return readTimestamp(source, source.until(end), known as string | undefined);
    default: {
      const into = (known ?? {}) as MutableObject;
      return readMessage(source, slot.layout!, source.until(end), depth, into);
    }
  }
}

function readEntry(
  source: Source,
  slot: Slot,
  end: number,
  depth: number,
  map: MutableObject,
): void {
  let name = '';
  let value: JsonValue | undefined;
  while (source.at < end) {
    const tag = source.tag(end);
    if (tag === KEY) name = source.text(end);
    else if (tag === slot.tag) value = readOne(source, slot, end, depth, value);
    else if (tag >>> 3 <= 2) throw malformed('an entry is of another wire type');
    else source.skip(tag, end);
  }
  map[name] = value ?? (slot.coding === 'string' ? '' : {});
}
