// Owns the index of the audit log: where the entries on an id stand. SPEC.md section 10 (#audit).

import { readJson } from '../codec/json/read.ts';
import { decodeUtf8, encodeUtf8 } from '../codec/utf8.ts';
import type { Operation, Store } from '../stores/store.ts';
import { STORE_LIMITS } from '../stores/store.ts';
import { idOf, readEntry } from './entry.ts';
import type { LogNames } from './stored-tree.ts';
import { damaged, readRange } from './stored-tree.ts';

/** By what an entry is found. */
export interface IndexedId {
  readonly id: string;
  /** The id was made for the entry: it begins with the time, and nobody uses it again. */
  readonly isOwn: boolean;
}

/** Entries that stand side by side, the last one included. */
interface Places {
  readonly first: number;
  readonly last: number;
}

/** Of an id of ours: it stands for a quarter of a second. Those that were made in it are looked for among each other. */
const TIME_LENGTH = 11;

/**
 * Part of the transaction that writes the entries, from the place `first` on. A log for each id that somebody else
 * chose, who may use it again; of ids of ours one log for all of a moment, so that a batch of them costs one record.
 */
export function indexOperations(
  names: LogNames,
  ids: readonly IndexedId[],
  first: number,
): Operation[] {
  const operations: Operation[] = [];
  for (let at = 0; at < ids.length; at += 1) {
    const log = logOf(names, ids[at]!);
    const from = at;
    while (ids[at]!.isOwn && at + 1 < ids.length && logOf(names, ids[at + 1]!) === log) at += 1;
    const places = { first: first + from, last: first + at };
    operations.push({ type: 'append', log, values: [encodeUtf8(textOf(places))] });
  }
  return operations;
}

function logOf(names: LogNames, { id, isOwn }: IndexedId): string {
  return isOwn ? names.byTime(id.slice(0, TIME_LENGTH)) : names.byId(id);
}

/** The oldest places, in order. */
export async function findPlaces(
  store: Store,
  names: LogNames,
  id: string,
  limit: number,
): Promise<number[]> {
  const records = await store.read(names.byId(id), 0, limit);
  if (records.length > 0) return records.map(({ value }) => placesOf(value).first);
  const own: number[] = [];
  const log = names.byTime(id.slice(0, TIME_LENGTH));
  for (let from = 0; own.length < limit;) {
    const page = await store.read(log, from, STORE_LIMITS.page);
    if (page.length === 0) break;
    from = page.at(-1)!.position + 1;
    for (const { value } of page)
      own.push(...(await placesWith(store, names, id, placesOf(value))));
  }
  return own.slice(0, limit);
}

async function placesWith(
  store: Store,
  names: LogNames,
  id: string,
  { first, last }: Places,
): Promise<number[]> {
  if (!(first <= last)) throw damaged('its index leads nowhere');
  const entries = await readRange(store, names.entries, { from: first, to: last + 1 });
  return entries.flatMap((value, at) =>
    idOf(readEntry(readJson(value), '')) === id ? [first + at] : [],
  );
}

/** Who asks by the beginning of an id means one of late. */
const NEWEST = 10_000;
const PAGE = 500;

/** Ids of requests and events that begin so, among the newest entries. */
export async function findIds(store: Store, names: LogNames, prefix: string): Promise<string[]> {
  const size = await store.length(names.entries);
  const ids = new Set<string>();
  for (let from = Math.max(0, size - NEWEST); from < size; from += PAGE) {
    for (const value of await readRange(store, names.entries, {
      from,
      to: Math.min(size, from + PAGE),
    })) {
      const id = idOf(readEntry(readJson(value), ''));
      if (id.startsWith(prefix)) ids.add(id);
    }
  }
  return [...ids];
}

/** Nearly every id has a request and a reply. */
const FEW = 4;

/** Places ascend, so that a log with many of them is searched in a few steps. */
export async function isIndexed(
  store: Store,
  names: LogNames,
  indexed: IndexedId,
  seq: number,
): Promise<boolean> {
  if (await isIn(store, logOf(names, indexed), seq)) return true;
  // Logs that were begun earlier have one for every id.
  return indexed.isOwn && isIn(store, names.byId(indexed.id), seq);
}

async function isIn(store: Store, log: string, seq: number): Promise<boolean> {
  const records = await store.read(log, 0, FEW);
  if (records.some(({ value }) => holds(placesOf(value), seq))) return true;
  let [low, high] = [FEW, records.length < FEW ? 0 : await store.length(log)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [record] = await store.read(log, middle, 1);
    if (record === undefined) return false;
    const places = placesOf(record.value);
    if (holds(places, seq)) return true;
    if (places.first < seq) low = middle + 1;
    else high = middle;
  }
  return false;
}

function holds({ first, last }: Places, seq: number): boolean {
  return first <= seq && seq <= last;
}

function textOf({ first, last }: Places): string {
  return first === last ? String(first) : `${first}-${last}`;
}

function placesOf(value: Uint8Array): Places {
  const [first, last = first] = decodeUtf8(value).split('-').map(Number);
  return { first: first!, last: last! };
}
