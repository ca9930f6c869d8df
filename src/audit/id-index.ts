// Owns the index of the audit log: where the entries on an envelope's id stand. SPEC.md section 10 (#audit).

import { readJson } from '../codec/json/read.ts';
import { decodeUtf8, encodeUtf8 } from '../codec/utf8.ts';
import type { Operation, Store } from '../stores/store.ts';
import { idOf, readEntry } from './entry.ts';
import type { LogNames } from './stored-tree.ts';
import { readRange } from './stored-tree.ts';

/** Part of the transaction that writes the entry. A log for each id: senders choose ids, and may use one again. */
export function indexOperation(names: LogNames, id: string, seq: number): Operation {
  return { type: 'append', log: names.byId(id), values: [encodeUtf8(String(seq))] };
}

/** The oldest places, in order. */
export async function findPlaces(
  store: Store,
  names: LogNames,
  id: string,
  limit: number,
): Promise<number[]> {
  const records = await store.read(names.byId(id), 0, limit);
  return records.map(({ value }) => placeOf(value));
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

/** Places ascend, so that an id with many of them is searched in a few steps. */
export async function isIndexed(
  store: Store,
  names: LogNames,
  id: string,
  seq: number,
): Promise<boolean> {
  const first = await findPlaces(store, names, id, FEW);
  if (first.includes(seq)) return true;
  let [low, high] = [FEW, first.length < FEW ? 0 : await store.length(names.byId(id))];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [record] = await store.read(names.byId(id), middle, 1);
    const place = record === undefined ? NaN : placeOf(record.value);
    if (place === seq) return true;
    if (place < seq) low = middle + 1;
    else high = middle;
  }
  return false;
}

function placeOf(value: Uint8Array): number {
  return Number(decodeUtf8(value));
}
