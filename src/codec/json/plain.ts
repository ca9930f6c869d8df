// Owns the fast path of the JSON reader: JSON.parse, taken only where it cannot differ. SPEC.md section 4.2 (#json).

import type { Limits } from '../../limits.ts';
import { decodeUtf8 } from '../utf8.ts';
import type { JsonValue, MutableJsonObject } from '../value.ts';

export interface PlainJson {
  readonly value: JsonValue;
  /** The bytes of the marked top-level member, where it is an object and follows its name directly. */
  readonly marked: Uint8Array | undefined;
}

/**
 * A document in which nothing is special, else `undefined`; the strict reader then decides.
 * One pass over the bytes proves the limits, that every number is its own shortest text and that no escape
 * makes a surrogate. Duplicate members show afterwards: the value has fewer members than the text had colons.
 */
export function readPlainJson(
  bytes: Uint8Array,
  limits: Limits,
  mark?: Uint8Array,
): PlainJson | undefined {
  const scan = scanIfPlain(bytes, limits, mark);
  if (scan === undefined) return undefined;
  const text = decodeUtf8(bytes);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (dropPrototypes(value) !== scan.members) return undefined;
  const marked = scan.end > 0 ? bytes.subarray(scan.start, scan.end) : undefined;
  return { value, marked };
}

interface Scan {
  /** Members of all objects together. */
  readonly members: number;
  /** Where the marked member's object starts and ends; `end` is 0 if there is none. */
  readonly start: number;
  readonly end: number;
}

const NOT_PLAIN = -1;

/** Of each container that is open: commas seen, and how many members or elements it may hold. */
interface Levels {
  readonly items: Int32Array;
  readonly caps: Int32Array;
}

/** The same for every document: to make them costs as much as the scan of a short one. */
let levels: Levels = { items: new Int32Array(0), caps: new Int32Array(0) };

function levelsFor(maxDepth: number): Levels {
  if (levels.items.length <= maxDepth) {
    levels = { items: new Int32Array(maxDepth + 1), caps: new Int32Array(maxDepth + 1) };
  }
  return levels;
}

function scanIfPlain(bytes: Uint8Array, limits: Limits, mark?: Uint8Array): Scan | undefined {
  const { maxDepth, maxArrayLength, maxMembers, maxStringBytes } = limits;
  const maxNumber = Math.min(limits.maxNumberLength, MAX_PLAIN_NUMBER);
  const length = bytes.length;
  const { items, caps } = levelsFor(maxDepth);
  let depth = 0;
  let members = 0;
  // At least as many as there are: an empty container has none, but counts as if it had one.
  let values = 1;
  let start = 0;
  let markedEnd = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at]!;
    if (byte === 0x22) {
      const end = stringEnd(bytes, at + 1);
      if (end < 0 || end - at - 1 > maxStringBytes) return undefined;
      if (depth === 1 && mark !== undefined && isMarkedObject(bytes, at + 1, end, mark)) {
        start = end + 2;
      }
      at = end;
    } else if (byte === 0x2c) {
      values += 1;
      const count = items[depth]! + 1;
      if (count >= caps[depth]!) return undefined;
      items[depth] = count;
    } else if (byte === 0x3a) {
      members += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      values += 1;
      depth += 1;
      if (depth > maxDepth) return undefined;
      items[depth] = 0;
      const cap = byte === 0x7b ? maxMembers : maxArrayLength;
      if (cap === 0) return undefined;
      caps[depth] = cap;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      if (depth < 0) return undefined;
      if (depth === 1 && start > 0 && markedEnd === 0) markedEnd = at + 1;
    } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const end = plainNumberEnd(bytes, at, maxNumber);
      if (end < 0) return undefined;
      at = end - 1;
    }
    // Words, spaces and anything malformed: JSON.parse judges them.
  }
  return values > limits.maxValues ? undefined : { members, start, end: markedEnd };
}

/** Is the string from `from` to `end` the marked name, with an object right behind its colon? */
function isMarkedObject(bytes: Uint8Array, from: number, end: number, mark: Uint8Array): boolean {
  if (end - from !== mark.length || bytes[end + 1] !== 0x3a || bytes[end + 2] !== 0x7b)
    return false;
  return mark.every((byte, index) => bytes[from + index] === byte);
}

/** Where the string ends (its closing quote), or a negative number when it has an escape that could be a surrogate. */
function stringEnd(bytes: Uint8Array, start: number): number {
  const length = bytes.length;
  for (let at = start; at < length; at += 1) {
    const byte = bytes[at]!;
    if (byte === 0x22) return at;
    if (byte === 0x5c) {
      at += 1;
      // \ud... or \uD...: a surrogate half, whole or lone
      if (bytes[at] === 0x75 && (bytes[at + 1]! | 0x20) === 0x64) return NOT_PLAIN;
    }
  }
  return NOT_PLAIN;
}

/** Fifteen digits survive a double and back, so such a lexeme is its own shortest text. */
const MAX_PLAIN_NUMBER = 15;

/**
 * Where a number ends that surely equals its shortest JavaScript text: an integer of at most 15 characters, or
 * such a decimal that ends in a non-zero digit and is not below 1e-6. Else a negative number.
 */
function plainNumberEnd(bytes: Uint8Array, start: number, maxLength: number): number {
  let at = bytes[start] === 0x2d ? start + 1 : start;
  const first = bytes[at]!;
  let last = first;
  let dot = 0;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === 0x2e) dot = at;
    else if ((byte | 0x20) === 0x65 || byte === 0x2b || byte === 0x2d) return NOT_PLAIN;
    else if (byte < 0x30 || byte > 0x39) break;
    last = byte;
  }
  if (at - start > maxLength) return NOT_PLAIN;
  if (dot === 0) return first === 0x30 && bytes[start] === 0x2d ? NOT_PLAIN : at;
  if (last === 0x30) return NOT_PLAIN;
  // 0.00000… may be written with an exponent
  const isTiny = first === 0x30 && bytes[dot + 1] === 0x30 && bytes[dot + 2] === 0x30;
  return isTiny ? NOT_PLAIN : at;
}

/** Takes the prototype off every object, in place, and counts their members. */
function dropPrototypes(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value as JsonValue[]) members += dropPrototypes(element);
    return members;
  }
  const object = value as MutableJsonObject;
  Object.setPrototypeOf(object, null);
  for (const name in object) members += 1 + dropPrototypes(object[name]!);
  return members;
}
