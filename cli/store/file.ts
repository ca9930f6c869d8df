// Owns the file that carries all of a store to another one, of whatever kind: a line of JSON for each entry and record,
// its value behind it as it is, and at the end how many there were and the SHA-256 of everything before that line.

import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject, readJson, writeJson } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { EntryIndex } from '../../src/stores/index.ts';
import { STORE_LIMITS } from '../../src/stores/index.ts';
import { ByteReader } from '../kit/byte-reader.ts';
import { failure } from '../kit/exit.ts';

const FORMAT = 'a2a-sdl-store';
const VERSION = 1;
/** An entry with the longest names and index is far below. */
const MAX_LINE_BYTES = 65_536;
const NEWLINE = Uint8Array.of(0x0a);

export interface StoredEntry {
  readonly space: string;
  readonly key: string;
  readonly value: Uint8Array;
  readonly expiresAt: number | undefined;
  readonly index: EntryIndex;
}

export interface StoredRecord {
  readonly log: string;
  /** From 0, without gaps; the records of a log stand together. */
  readonly position: number;
  readonly value: Uint8Array;
}

export type StoredItem = StoredEntry | StoredRecord;

export interface Totals {
  readonly entries: number;
  readonly logs: number;
  readonly records: number;
}

export function isRecord(item: StoredItem): item is StoredRecord {
  return 'log' in item;
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
  await readHeader(reader, sha256);
  for (;;) {
    const line = await reader.line(MAX_LINE_BYTES);
    const head = line && objectIn(line);
    if (line === undefined || head === undefined) throw damaged('it ends early, or in between');
    if (head['sha256'] !== undefined) {
      const totals = counter.totals();
      if (head['sha256'] !== sha256.digest('hex')) throw damaged('its digest does not hold');
      if (!isSame(head['end'], totals)) throw damaged('it does not hold what it says');
      if (!(await reader.isAtEnd())) throw damaged('there is something behind its end');
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
    yield item;
  }
}

async function readHeader(reader: ByteReader, sha256: Hash): Promise<void> {
  const line = await reader.line(MAX_LINE_BYTES);
  const header = line && objectIn(line);
  if (line === undefined || header?.['format'] !== FORMAT) {
    throw failure('this is no file of "a2a-sdl store export"', {
      code: 'NOT_A_STORE_FILE',
    });
  }
  if (header['version'] !== VERSION) {
    throw failure('this file was written by another version of this program', {
      code: 'NOT_A_STORE_FILE',
      next: 'use that version, or a later one',
    });
  }
  sha256.update(line).update(NEWLINE);
}

/** Counts, and sees to it that the records of a log stand together and in order. */
class Counter {
  #entries = 0;
  #logs = 0;
  #records = 0;
  #last: StoredRecord | undefined;

  count(item: StoredItem): void {
    if (!isRecord(item)) {
      this.#entries += 1;
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
    return { entries: this.#entries, logs: this.#logs, records: this.#records };
  }
}

function pieceOf(item: StoredItem): Uint8Array {
  const { value } = item;
  const head = isRecord(item)
    ? { log: item.log, position: item.position }
    : {
        space: item.space,
        key: item.key,
        ...(item.expiresAt !== undefined && { expires_at: item.expiresAt }),
        ...(Object.keys(item.index).length > 0 && { index: { ...item.index } }),
      };
  return joined(lineOf({ ...head, bytes: value.length }), value, NEWLINE);
}

function itemOf(head: JsonObject, value: Uint8Array): StoredItem {
  const { space, key, log, position } = head;
  if (typeof log === 'string' && isCount(position)) return { log, position, value };
  const { expires_at: expiresAt, index = {} } = head;
  if (
    typeof space === 'string' &&
    typeof key === 'string' &&
    (expiresAt === undefined || isCount(expiresAt)) &&
    isJsonObject(index) &&
    Object.values(index).every((field) => typeof field === 'string')
  ) {
    return { space, key, value, expiresAt, index: index as EntryIndex };
  }
  throw damaged('it holds what is neither an entry nor a record');
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
    (['entries', 'logs', 'records'] as const).every((name) => end[name] === totals[name])
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
