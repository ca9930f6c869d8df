// Owns the entries of one space in memory: by key, and in order of creation and of rank, all of them and by index field.

import type { Counting, Listing } from './listing.ts';
import { OrderedList, byCreation, byRank } from './ordered-list.ts';
import type { EntryIndex } from './store.ts';

export interface Row {
  readonly space: MemorySpace;
  readonly key: string;
  value: Uint8Array;
  readonly sequence: number;
  version: number;
  readonly expiresAt: number | undefined;
  index: EntryIndex;
  /** {@link NO_RANK} = none. */
  rank: number;
  isGone: boolean;
}

/** Below every rank and every `since`. */
export const NO_RANK = -1;

export function hasExpired(expiresAt: number | undefined, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

export class MemorySpace {
  readonly #byKey = new Map<string, Row>();
  readonly #all = new RowLists();
  readonly #byField = new Map<string, RowLists>();

  /** With what has expired and is not yet removed. */
  get size(): number {
    return this.#byKey.size;
  }

  find(key: string): Row | undefined {
    return this.#byKey.get(key);
  }

  insert(row: Row): void {
    this.#byKey.set(row.key, row);
    this.#all.insert(row);
    for (const field of fieldsOf(row.index)) this.#enter(field, row);
  }

  /** Changes a row but not its place in order of creation. Only the lists in which something differs are touched. */
  change(row: Row, to: Pick<Row, 'value' | 'version' | 'index' | 'rank'>): void {
    const before = fieldsOf(row.index);
    const after = fieldsOf(to.index);
    for (const field of before) if (!after.includes(field)) this.#leave(field, row);
    if (to.rank !== row.rank) {
      const staying = before.filter((field) => after.includes(field));
      const lists = [this.#all, ...staying.map((field) => this.#byField.get(field)!)];
      for (const each of lists) each.removeRank(row);
      row.rank = to.rank;
      for (const each of lists) each.insertRank(row);
    }
    for (const field of after) if (!before.includes(field)) this.#enter(field, row);
    row.value = to.value;
    row.version = to.version;
    row.index = to.index;
  }

  remove(row: Row): void {
    row.isGone = true;
    this.#byKey.delete(row.key);
    this.#all.remove(row);
    for (const field of fieldsOf(row.index)) this.#leave(field, row);
  }

  /** What has every field of the index, in order; also what has expired. */
  *walk(listing: Pick<Listing, 'index' | 'order' | 'start' | 'since'>): Generator<Row, void> {
    const { index, order, start, since = NO_RANK } = listing;
    const [first, ...others] = Object.keys(index);
    const lists =
      first === undefined ? this.#all : this.#byField.get(fieldKey(first, index[first]!));
    for (const row of lists?.walk(order, start) ?? []) {
      if (row.rank < since) {
        if (order === 'highest') return;
      } else if (others.every((name) => row.index[name] === index[name])) yield row;
    }
  }

  /** What {@link walk} gives for a count: from the lowest rank that is asked for, or all. */
  matching({ index, since }: Counting): Generator<Row, void> {
    return since === undefined
      ? this.walk({ index, since, order: 'oldest', start: { rank: 0, sequence: -1 } })
      : this.walk({ index, since, order: 'lowest', start: { rank: since, sequence: -1 } });
  }

  #enter(field: string, row: Row): void {
    let lists = this.#byField.get(field);
    if (lists === undefined) this.#byField.set(field, (lists = new RowLists()));
    lists.insert(row);
  }

  #leave(field: string, row: Row): void {
    const lists = this.#byField.get(field);
    lists?.remove(row);
    if (lists?.isEmpty === true) this.#byField.delete(field);
  }
}

/** The same rows in both orders; those without a rank only in that of creation. */
class RowLists {
  readonly #created = new OrderedList<Row>(byCreation);
  readonly #ranked = new OrderedList<Row>(byRank);

  get isEmpty(): boolean {
    return this.#created.size === 0;
  }

  insert(row: Row): void {
    this.#created.insert(row);
    this.insertRank(row);
  }

  remove(row: Row): void {
    this.#created.remove(row);
    this.removeRank(row);
  }

  insertRank(row: Row): void {
    if (row.rank !== NO_RANK) this.#ranked.insert(row);
  }

  removeRank(row: Row): void {
    if (row.rank !== NO_RANK) this.#ranked.remove(row);
  }

  walk(order: Listing['order'], start: Listing['start']): Generator<Row, void> {
    switch (order) {
      case 'oldest':
        return this.#created.up(start);
      case 'newest':
        return this.#created.down(start);
      case 'lowest':
        return this.#ranked.up(start);
      default:
        return this.#ranked.down(start);
    }
  }
}

/** Many rows share an index. */
const fieldsByIndex = new WeakMap<EntryIndex, readonly string[]>();

function fieldsOf(index: EntryIndex): readonly string[] {
  let fields = fieldsByIndex.get(index);
  if (fields === undefined) {
    fields = Object.keys(index).map((name) => fieldKey(name, index[name]!));
    fieldsByIndex.set(index, fields);
  }
  return fields;
}

/** Names have no `=`, so no two fields share a key. */
function fieldKey(name: string, value: string): string {
  return `${name}=${value}`;
}
