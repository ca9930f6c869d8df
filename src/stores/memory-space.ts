// Owns the entries of one space in memory: by key, in order of creation, and by index field.

import { SequenceList } from './sequence-list.ts';
import type { EntryIndex, ListOrder } from './store.ts';

export interface Row {
  readonly space: MemorySpace;
  readonly key: string;
  value: Uint8Array;
  readonly sequence: number;
  version: number;
  readonly expiresAt: number | undefined;
  index: EntryIndex;
  isGone: boolean;
}

export function hasExpired(expiresAt: number | undefined, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

export class MemorySpace {
  readonly #byKey = new Map<string, Row>();
  readonly #all = new SequenceList<Row>();
  readonly #byField = new Map<string, SequenceList<Row>>();

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

  /** Changes a row but not its place in the order. Only the lists of the index fields that differ are touched. */
  change(row: Row, { value, version, index }: Pick<Row, 'value' | 'version' | 'index'>): void {
    const before = fieldsOf(row.index);
    const after = fieldsOf(index);
    for (const field of before) if (!after.includes(field)) this.#leave(field, row);
    for (const field of after) if (!before.includes(field)) this.#enter(field, row);
    row.value = value;
    row.version = version;
    row.index = index;
  }

  remove(row: Row): void {
    row.isGone = true;
    this.#byKey.delete(row.key);
    this.#all.remove(row);
    for (const field of fieldsOf(row.index)) this.#leave(field, row);
  }

  /** What has every field of the index, in order; also what has expired. */
  *walk(index: EntryIndex, order: ListOrder = 'oldest', after?: number): Generator<Row, void> {
    const [first, ...others] = Object.keys(index);
    const list =
      first === undefined ? this.#all : this.#byField.get(fieldKey(first, index[first]!));
    if (list === undefined) return;
    for (const row of order === 'oldest' ? list.up(after) : list.down(after)) {
      if (others.every((name) => row.index[name] === index[name])) yield row;
    }
  }

  #enter(field: string, row: Row): void {
    let list = this.#byField.get(field);
    if (list === undefined) this.#byField.set(field, (list = new SequenceList<Row>()));
    list.insert(row);
  }

  #leave(field: string, row: Row): void {
    const list = this.#byField.get(field);
    list?.remove(row);
    if (list?.size === 0) this.#byField.delete(field);
  }
}

function fieldsOf(index: EntryIndex): string[] {
  return Object.keys(index).map((name) => fieldKey(name, index[name]!));
}

/** Names have no `=`, so no two fields share a key. */
function fieldKey(name: string, value: string): string {
  return `${name}=${value}`;
}
