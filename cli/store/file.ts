// Owns the file that carries all of a store to another one, of whatever kind: a line of JSON for each entry, record and
// tally, its value behind it as it is, and at the end how many there were and the SHA-256 of everything before that line.

import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject, readJson, writeJson } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { EntryIndex, Tally } from '../../src/stores/index.ts';
import { STORE_LIMITS } from '../../src/stores/index.ts';
import { ByteReader } from '../kit/byte-reader.ts';
import { failure } from '../kit/exit.ts';
import { TaskCarrier } from './carry-tasks.ts';

const FORMAT = 'a2a-sdl-store';
/** Version 1 had neither ranks nor tallies. */
const VERSION = 2;
/** An entry with the longest names and index is far below. */
const MAX_LINE_BYTES = 65_536;
const NEWLINE = Uint8Array.of(0x0a);
const NO_VALUE = new Uint8Array();

export interface StoredEntry {
  readonly space: string;
  readonly key: string;
  readonly value: Uint8Array;
  readonly expiresAt: number | undefined;
  readonly index: EntryIndex;
  readonly rank: number | undefined;
}

export interface StoredRecord {
  readonly log: string;
  /** From 0, without gaps; the records of a log stand together. */
  readonly position: number;
  readonly value: Uint8Array;
}

export interface StoredTally extends Tally {
  readonly tally: string;
}

export type StoredItem = StoredEntry | StoredRecord | StoredTally;

export interface Totals {
  readonly entries: number;
  readonly logs: number;
  readonly records: number;
  readonly tallies: number;
}

export function isRecord(item: StoredItem): item is StoredRecord {
  return 'log' in item;
}

export function isTally(item: StoredItem): item is StoredTally {
  return 'tally' in item;
}

/** The bytes of the file, one piece an item. */
export async function* storeFile(
  items: AsyncIterable<StoredItem>,
  made: string,
): AsyncGenerator<Uint8Array, Totals> {
  const sha256 = createHash('sha256');
  const counter = new Counter();
  const header = lineOf({ format: FORMAT, version: VERSION, made });
  sha256.update(header);
  yield header;
  for await (const item of items) {
    counter.count(item);
    const piece = pieceOf(item);
    sha256.update(piece);
    yield piece;
  }
  const totals = counter.totals();
  yield lineOf({ end: { ...totals }, sha256: sha256.digest('hex') });
  return totals;
}

/** Every item in order. Throws where the file is not such a file, is damaged, or ends early; perhaps only at its end. */
export async function* readStoreFile(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<StoredItem, Totals> {
  const reader = new ByteReader(chunks);
  const sha256 = createHash('sha256');
  const counter = new Counter();
  const carrier = (await readHeader(reader, sha256)) === 1 ? new TaskCarrier() : undefined;
  for (;;) {
    const line = await reader.line(MAX_LINE_BYTES);
    const head = line && objectIn(line);
    if (line === undefined || head === undefined) throw damaged('it ends early, or in between');
    if (head['sha256'] !== undefined) {
      const totals = counter.totals();
      if (head['sha256'] !== sha256.digest('hex')) throw damaged('its digest does not hold');
      if (!isSame(head['end'], totals)) throw damaged('it does not hold what it says');
      if (!(await reader.isAtEnd())) throw damaged('there is something behind its end');
      yield* carrier?.tallies() ?? [];
      return totals;
    }
    sha256.update(line).update(NEWLINE);
    const value = await reader.bytes(lengthIn(head) + 1);
    if (value === undefined || value.at(-1) !== NEWLINE[0]) {
      throw damaged('a value is not as long as it says');
    }
    sha256.update(value);
    const item = itemOf(head, value.subarray(0, -1));
    counter.count(item);
    const carried = carrier === undefined ? item : carrier.take(item);
    if (carried !== undefined) yield carried;
  }
}

/** The version of the file. */
async function readHeader(reader: ByteReader, sha256: Hash): Promise<number> {
  const line = await reader.line(MAX_LINE_BYTES);
  const header = line && objectIn(line);
  if (line === undefined || header?.['format'] !== FORMAT) {
    throw failure('this is no file of "a2a-sdl store export"', {
      code: 'NOT_A_STORE_FILE',
    });
  }
  const { version } = header;
  if (!isCount(version) || version < 1 || version > VERSION) {
    throw failure('this file was written by a later version of this program', {
      code: 'NOT_A_STORE_FILE',
      next: 'use that version, or a later one',
    });
  }
  sha256.update(line).update(NEWLINE);
  return version;
}

/** Counts, and sees to it that the records of a log stand together and in order. */
class Counter {
  #entries = 0;
  #logs = 0;
  #records = 0;
  #tallies = 0;
  #last: StoredRecord | undefined;

  count(item: StoredItem): void {
    if (!isRecord(item)) {
      if (isTally(item)) this.#tallies += 1;
      else this.#entries += 1;
      return;
    }
    const isNext = this.#last?.log === item.log;
    if (item.position !== (isNext ? this.#last!.position + 1 : 0)) {
      throw damaged('the records of a log are not in order');
    }
    if (!isNext) this.#logs += 1;
    this.#records += 1;
    this.#last = item;
  }

  totals(): Totals {
    return {
      entries: this.#entries,
      logs: this.#logs,
      records: this.#records,
      tallies: this.#tallies,
    };
  }
}

function pieceOf(item: StoredItem): Uint8Array {
  const value = isTally(item) ? NO_VALUE : item.value;
  return joined(lineOf({ ...headOf(item), bytes: value.length }), value, NEWLINE);
}

function headOf(item: StoredItem): JsonObject {
  if (isTally(item)) return { ...item };
  if (isRecord(item)) return { log: item.log, position: item.position };
  const { space, key, expiresAt, index, rank } = item;
  return {
    space,
    key,
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(rank !== undefined && { rank }),
    ...(Object.keys(index).length > 0 && { index: { ...index } }),
  };
}

function itemOf(head: JsonObject, value: Uint8Array): StoredItem {
  const { space, key, log, position } = head;
  if (typeof log === 'string' && isCount(position)) return { log, position, value };
  const { tally, count, sum } = head;
  if (typeof tally === 'string' && isCount(count) && isCount(sum)) return { tally, count, sum };
  const { expires_at: expiresAt, index = {}, rank } = head;
  if (
    typeof space === 'string' &&
    typeof key === 'string' &&
    (expiresAt === undefined || isCount(expiresAt)) &&
    (rank === undefined || isCount(rank)) &&
    isJsonObject(index) &&
    Object.values(index).every((field) => typeof field === 'string')
  ) {
    return { space, key, value, expiresAt, index: index as EntryIndex, rank };
  }
  throw damaged('it holds what is neither an entry nor a record nor a tally');
}

function lengthIn({ bytes }: JsonObject): number {
  if (isCount(bytes) && bytes <= STORE_LIMITS.valueBytes) return bytes;
  throw damaged('a value has no length, or one that no store takes');
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isSame(end: JsonValue | undefined, totals: Totals): boolean {
  return (
    isJsonObject(end) &&
    (['entries', 'logs', 'records'] as const).every((name) => end[name] === totals[name]) &&
    (end['tallies'] ?? 0) === totals.tallies
  );
}

function objectIn(line: Uint8Array): JsonObject | undefined {
  try {
    const value = readJson(line);
    return isJsonObject(value) ? value : undefined;
  } catch (thrown) {
    if (thrown instanceof SdlError) return undefined;
    throw thrown;
  }
}

function lineOf(value: JsonObject): Uint8Array {
  return joined(writeJson(value), NEWLINE);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

function damaged(how: string): Error {
  return failure(`the file is damaged: ${how}`, {
    code: 'STORE_FILE_DAMAGED',
    next: 'make it again with "a2a-sdl store export"',
  });
}
