// Owns how JSON of a message becomes bytes of protobuf: the members of the table that are there, and nothing else.
// SPEC.md section 20 (#a2a-protobuf).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import type { Table } from '../fields/table.ts';
import type { Layout, Slot } from './layout.ts';
import { layoutOf } from './layout.ts';
import { Sink } from './sink.ts';
import { writeTimestamp } from './timestamp.ts';
import { KEY, writeStruct, writeValue } from './values.ts';

/** Throws NUMBER_INEXACT for a number that protobuf cannot say. */
export function writeProtobuf(table: Table, message: string, object: JsonObject): Buffer {
  const sink = new Sink();
  writeMessage(sink, layoutOf(table, message), object);
  return sink.taken();
}

function writeMessage(sink: Sink, { slots }: Layout, object: JsonObject): void {
  for (const slot of slots) {
    const value = object[slot.json];
    if (value === undefined) continue;
    if (slot.entry !== undefined) writeMap(sink, slot, slot.entry, value as JsonObject);
    else if (slot.isRepeated) {
      for (const item of value as readonly JsonValue[]) writeOne(sink, slot, item);
    } else writeOne(sink, slot, value);
  }
}

function writeMap(sink: Sink, slot: Slot, entry: Slot, map: JsonObject): void {
  for (const name of Object.keys(map)) {
    sink.uint32(slot.tag);
    const start = sink.begin();
    sink.uint32(KEY);
    sink.text(name);
    writeOne(sink, entry, map[name]!);
    sink.end(start);
  }
}

/** What is empty and the same as nothing is left out. */
function writeOne(sink: Sink, slot: Slot, value: JsonValue): void {
  const { tag, coding, hasPresence } = slot;
  switch (coding) {
    case 'string':
      if (value === '' && !hasPresence) return;
      sink.uint32(tag);
      sink.text(value as string);
      return;
    case 'bytes':
      if (value === '' && !hasPresence) return;
      sink.uint32(tag);
      sink.bytes(value as string);
      return;
    case 'bool':
      if (value === false && !hasPresence) return;
      sink.uint32(tag);
      sink.uint32(value === true ? 1 : 0);
      return;
    case 'int32':
    case 'int64':
    case 'enum': {
      const number = coding === 'enum' ? slot.numbers![value as string]! : Number(value);
      if (number === 0 && !hasPresence) return;
      sink.uint32(tag);
      sink.int64(number);
      return;
    }
    default: {
      sink.uint32(tag);
      const start = sink.begin();
      writeNested(sink, slot, value);
      sink.end(start);
    }
  }
}

function writeNested(sink: Sink, { coding, layout }: Slot, value: JsonValue): void {
  if (coding === 'Value') writeValue(sink, value);
  else if (coding === 'Struct') writeStruct(sink, value as JsonObject);
  else if (coding === 'Timestamp') writeTimestamp(sink, value as string);
  else writeMessage(sink, layout!, value as JsonObject);
}
