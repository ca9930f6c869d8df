// Owns JSON inside of protobuf, in both directions: Value, Struct and ListValue. Their numbers are doubles: one that no
// double holds is refused, never changed. SPEC.md section 20 (#a2a-protobuf).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import {
  LosslessNumber,
  equalNumbers,
  isJsonArray,
  isJsonObject,
  numberFromBigInt,
} from '../../../src/codec/index.ts';
import { SdlError } from '../../../src/door/index.ts';
import { FIXED64, LENGTH, VARINT } from './layout.ts';
import type { Sink } from './sink.ts';
import type { Source } from './source.ts';
import { malformed } from './source.ts';

/** Tags of `google.protobuf.Value`. */
const NULL = (1 << 3) | VARINT;
const NUMBER = (2 << 3) | FIXED64;
const STRING = (3 << 3) | LENGTH;
const BOOL = (4 << 3) | VARINT;
const STRUCT = (5 << 3) | LENGTH;
const LIST = (6 << 3) | LENGTH;
/** Of `Struct.fields` and `ListValue.values`. */
const ITEM = (1 << 3) | LENGTH;
/** Of an entry of a map. */
export const KEY: number = (1 << 3) | LENGTH;
const ENTRY_VALUE = (2 << 3) | LENGTH;
/** From here on a double is written with an exponent. */
const EXPONENT_FROM = 1e21;

export type MutableObject = Record<string, JsonValue>;

/** Any names may stand in it. */
export function newObject(): MutableObject {
  return Object.setPrototypeOf({}, null) as MutableObject;
}

/** @param known what the same value said before: objects and lists go on, as in every message that comes in pieces. */
export function readValue(
  source: Source,
  end: number,
  depth: number,
  known?: JsonValue,
): JsonValue {
  let value = known;
  while (source.at < end) {
    const tag = source.tag(end);
    switch (tag) {
      case NULL:
        source.int32(end);
        value = null;
        break;
      case NUMBER:
        value = numberOf(source.double(end));
        break;
      case STRING:
        value = source.text(end);
        break;
      case BOOL:
        value = source.bool(end);
        break;
      case STRUCT:
        value = readStruct(source, source.until(end), depth, value);
        break;
      case LIST:
        value = readList(source, source.until(end), depth, value);
        break;
      default:
        if (tag >>> 3 <= LIST >>> 3) throw malformed('a value is of another wire type');
        source.skip(tag, end);
    }
  }
  if (value === undefined) throw malformed('a value says nothing');
  return value;
}

export function readStruct(
  source: Source,
  end: number,
  depth: number,
  known?: JsonValue,
): JsonObject {
  source.assertDepth(depth);
  const object = isJsonObject(known) ? known : newObject();
  let members = 0;
  while (source.at < end) {
    const tag = source.tag(end);
    if (tag === ITEM) {
      source.assertMembers((members += 1));
      source.count();
      readMember(source, source.until(end), depth + 1, object);
    } else passBy(source, tag, end);
  }
  return object;
}

function readMember(source: Source, end: number, depth: number, object: MutableObject): void {
  let name = '';
  let value: JsonValue | undefined;
  while (source.at < end) {
    const tag = source.tag(end);
    if (tag === KEY) name = source.text(end);
    else if (tag === ENTRY_VALUE) value = readValue(source, source.until(end), depth, value);
    else if (tag >>> 3 <= 2) throw malformed('an entry is of another wire type');
    else source.skip(tag, end);
  }
  if (value === undefined) throw malformed('a value says nothing');
  object[name] = value;
}

function readList(source: Source, end: number, depth: number, known?: JsonValue): JsonValue {
  source.assertDepth(depth);
  const list = isJsonArray(known) ? (known as JsonValue[]) : [];
  while (source.at < end) {
    const tag = source.tag(end);
    if (tag === ITEM) {
      source.assertRoomIn(list);
      source.count();
      list.push(readValue(source, source.until(end), depth + 1));
    } else passBy(source, tag, end);
  }
  return list;
}

function passBy(source: Source, tag: number, end: number): void {
  if (tag >>> 3 === 1) throw malformed('a member is of another wire type');
  source.skip(tag, end);
}

/** The number that the double is, in the form in which a reader of JSON gives it. */
function numberOf(double: number): number | LosslessNumber {
  if (!Number.isFinite(double)) throw malformed('a number is not finite');
  const isWhole = Number.isInteger(double) && Math.abs(double) < EXPONENT_FROM;
  return isWhole && double !== 0 ? numberFromBigInt(BigInt(double)) : double;
}

export function writeValue(sink: Sink, value: JsonValue): void {
  if (value === null) {
    sink.uint32(NULL);
    sink.uint32(0);
  } else if (typeof value === 'number' || value instanceof LosslessNumber) {
    sink.uint32(NUMBER);
    sink.double(doubleOf(value));
  } else if (typeof value === 'string') {
    sink.uint32(STRING);
    sink.text(value);
  } else if (typeof value === 'boolean') {
    sink.uint32(BOOL);
    sink.uint32(value ? 1 : 0);
  } else if (isJsonArray(value)) {
    sink.uint32(LIST);
    const start = sink.begin();
    for (const item of value) {
      sink.uint32(ITEM);
      const inner = sink.begin();
      writeValue(sink, item);
      sink.end(inner);
    }
    sink.end(start);
  } else {
    sink.uint32(STRUCT);
    const start = sink.begin();
    writeStruct(sink, value);
    sink.end(start);
  }
}

export function writeStruct(sink: Sink, object: JsonObject): void {
  for (const name of Object.keys(object)) {
    sink.uint32(ITEM);
    const entry = sink.begin();
    sink.uint32(KEY);
    sink.text(name);
    sink.uint32(ENTRY_VALUE);
    const value = sink.begin();
    writeValue(sink, object[name]!);
    sink.end(value);
    sink.end(entry);
  }
}

/** Throws NUMBER_INEXACT where who reads the double would see another number. */
function doubleOf(value: number | LosslessNumber): number {
  if (typeof value === 'number') return value;
  const double = value.toNumber();
  if (Number.isFinite(double) && (equalNumbers(value, double) || isExactly(value, double))) {
    return double;
  }
  throw new SdlError('NUMBER_INEXACT', 'a number is none that a double holds');
}

/** The shortest text of a large whole number is not all of its digits. */
function isExactly(value: LosslessNumber, double: number): boolean {
  return Number.isInteger(double) && equalNumbers(value, numberFromBigInt(BigInt(double)));
}
