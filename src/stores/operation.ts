// Owns the check of what a caller hands to a store, and the copy that the store keeps of it.

import type { EntryIndex, Operation } from './store.ts';
import { STORE_LIMITS } from './store.ts';

const FIELD_NAME = /^[a-z][a-z0-9_]{0,31}$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const NO_BYTES = new Uint8Array();
const NO_INDEX: EntryIndex = Object.freeze(Object.create(null) as EntryIndex);

export function checkSpace(space: string): void {
  checkText('space', space, STORE_LIMITS.nameBytes);
}

export function checkKey(key: string): void {
  checkText('key', key, STORE_LIMITS.keyBytes);
}

export function checkLog(log: string): void {
  checkText('log', log, STORE_LIMITS.keyBytes);
}

export function checkTally(name: string): void {
  checkText('name', name, STORE_LIMITS.keyBytes);
}

/** An integer that is a version, a length, a position, a moment, a rank or a number of things. */
export function checkInteger(name: string, value: number, least = 0, most?: number): void {
  if (typeof value !== 'number') throw new TypeError(`"${name}" expected a number`);
  const top = most ?? Number.MAX_SAFE_INTEGER;
  if (!Number.isSafeInteger(value) || value < least || value > top) {
    throw new RangeError(
      `"${name}" must be an integer ${most === undefined ? `of at least ${least}` : `from ${least} to ${most}`}`,
    );
  }
}

/** Copies that were made here: they are what they were. */
const copies = new WeakSet<EntryIndex>();

/** A frozen copy without prototype. */
export function copyIndex(index: EntryIndex | undefined): EntryIndex {
  if (index === undefined) return NO_INDEX;
  if (copies.has(index)) return index;
  if (typeof index !== 'object' || index === null) throw new TypeError('"index" expected fields');
  const names = Object.keys(index);
  if (names.length === 0) return NO_INDEX;
  if (names.length > STORE_LIMITS.indexFields) {
    throw new RangeError(`"index" has more than ${STORE_LIMITS.indexFields} fields`);
  }
  const copy = Object.create(null) as Record<string, string>;
  for (const name of names) {
    if (!FIELD_NAME.test(name)) throw new TypeError('"index" has a field name that is not allowed');
    const value = index[name]!;
    checkText(`index.${name}`, value, STORE_LIMITS.indexValueBytes, 0);
    copy[name] = value;
  }
  copies.add(copy);
  return Object.freeze(copy);
}

/** Checked, and sharing nothing with the caller but values that are given: it may be kept and applied later. */
export function copyOperation(operation: Operation, isGiven = false): Operation {
  switch (operation.type) {
    case 'add':
    case 'put': {
      checkEntryName(operation);
      const { type, space, key, expiresAt, rank } = operation;
      if (expiresAt !== undefined) checkInteger('expiresAt', expiresAt);
      if (rank !== undefined) checkInteger('rank', rank);
      const entry = {
        space,
        key,
        value: ownValue(operation.value, isGiven),
        expiresAt,
        index: copyIndex(operation.index),
        rank,
      };
      if (type === 'add') return { type, ...entry };
      return { type, ...entry, ifVersion: checkedVersion(operation.ifVersion) };
    }
    case 'delete': {
      checkEntryName(operation);
      const { type, space, key } = operation;
      return { type, space, key, ifVersion: checkedVersion(operation.ifVersion) };
    }
    case 'check': {
      checkEntryName(operation);
      const { type, space, key, ifVersion } = operation;
      checkInteger('ifVersion', ifVersion);
      return { type, space, key, ifVersion };
    }
    case 'append': {
      const { type, log, values, ifLength } = operation;
      checkLog(log);
      if (ifLength !== undefined) checkInteger('ifLength', ifLength);
      if (!Array.isArray(values)) throw new TypeError('"values" expected an array of Uint8Array');
      checkInteger('values.length', values.length, 0, STORE_LIMITS.operations);
      return { type, log, values: values.map((value) => ownValue(value, isGiven)), ifLength };
    }
    case 'drop': {
      const { type, log } = operation;
      checkLog(log);
      return { type, log };
    }
    case 'tally': {
      const { type, name, count, sum, maxCount, maxSum } = operation;
      checkTally(name);
      checkInteger('count', count, Number.MIN_SAFE_INTEGER);
      checkInteger('sum', sum, Number.MIN_SAFE_INTEGER);
      if (maxCount !== undefined) checkInteger('maxCount', maxCount);
      if (maxSum !== undefined) checkInteger('maxSum', maxSum);
      return { type, name, count, sum, maxCount, maxSum };
    }
    default:
      throw new TypeError('"type" is not an operation of a store');
  }
}

export function copyOperations(
  operations: readonly Operation[],
  isGiven = false,
): readonly Operation[] {
  if (!Array.isArray(operations)) throw new TypeError('"operations" expected an array');
  checkInteger('operations.length', operations.length, 0, STORE_LIMITS.operations);
  return (operations as readonly Operation[]).map((operation) => copyOperation(operation, isGiven));
}

function checkEntryName(name: { readonly space: string; readonly key: string }): void {
  checkSpace(name.space);
  checkKey(name.key);
}

function checkedVersion(version: number | undefined): number | undefined {
  if (version !== undefined) checkInteger('ifVersion', version);
  return version;
}

function ownValue(value: Uint8Array, isGiven: boolean): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError('"value" expected a Uint8Array');
  if (value.length > STORE_LIMITS.valueBytes) {
    throw new RangeError(`"value" is longer than ${STORE_LIMITS.valueBytes} bytes`);
  }
  // Nonces have no value; a million of them need not have a million empty arrays.
  if (value.length === 0) return NO_BYTES;
  return isGiven ? value : new Uint8Array(value);
}

function checkText(name: string, text: string, mostBytes: number, least = 1): void {
  if (typeof text !== 'string') throw new TypeError(`"${name}" expected a string`);
  if (text.length < least) throw new RangeError(`"${name}" must not be empty`);
  // UTF-8 takes at most three bytes a UTF-16 unit, so most texts need no second look.
  if (text.length * 3 > mostBytes && utf8Length(text) > mostBytes) {
    throw new RangeError(`"${name}" is longer than ${mostBytes} UTF-8 bytes`);
  }
  // Every backend would replace them by U+FFFD, and two names would become one.
  if (LONE_SURROGATE.test(text)) throw new TypeError(`"${name}" holds a lone surrogate`);
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
