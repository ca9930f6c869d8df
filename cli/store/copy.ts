// Owns going through all of a store, and filling another one with it. Versions are the new store's own; order, expiry,
// index, rank, positions and tallies stay.

import type { Entry, InventoryPart, LogRecord, Operation, Store } from '../../src/stores/index.ts';
import { failure } from '../kit/exit.ts';
import type { StoredEntry, StoredItem, StoredRecord, StoredTally } from './file.ts';
import { isRecord, isTally } from './file.ts';

const PAGE = 1_000;

/** What going through a store needs of it: a snapshot has it too. */
type Readable = Pick<Store, 'list' | 'read' | 'tally' | 'inventory'>;

/** Every live entry in the order of creation, space by space, then every log, then every tally. */
export async function* itemsOf(store: Readable): AsyncGenerator<StoredItem> {
  for await (const space of namesOf(store, 'spaces')) yield* entriesOf(store, space);
  for await (const log of namesOf(store, 'logs')) yield* recordsOf(store, log);
  for await (const tally of namesOf(store, 'tallies')) {
    yield { tally, ...(await store.tally(tally)) };
  }
}

export async function isEmpty(store: Store): Promise<boolean> {
  for (const of of ['logs', 'tallies'] as const) {
    if ((await pageOfNames(store, of, undefined, 1)).length > 0) return false;
  }
  for await (const space of namesOf(store, 'spaces')) {
    if ((await store.count(space, { atMost: 1 })) > 0) return false;
  }
  return true;
}

export interface FillResult {
  readonly added: number;
  /** What was there already, and equal. */
  readonly kept: number;
}

export interface FillOptions {
  /** Pass over what is there already and equal, which takes a look at each. @default false */
  readonly isMerge?: boolean;
}

/** Adds every item, many in one transaction. Nothing is ever replaced: what stands in the way ends it. */
export async function fillStore(
  store: Store,
  items: AsyncIterable<StoredItem>,
  { isMerge = false }: FillOptions = {},
): Promise<FillResult> {
  const filler = new Filler(store, isMerge);
  for await (const item of items) await filler.take(item);
  return filler.finish();
}

const BATCH_OPERATIONS = 500;
const BATCH_VALUES = 5_000;
const BATCH_BYTES = 4_194_304;

interface Append {
  readonly type: 'append';
  readonly log: string;
  readonly values: Uint8Array[];
  readonly ifLength: number;
}

class Filler {
  readonly #store: Store;
  readonly #isMerge: boolean;
  readonly #present: PresentLog;
  #operations: Operation[] = [];
  #append: Append | undefined;
  #values = 0;
  #bytes = 0;
  #added = 0;
  /** Of entries and records. */
  #kept = 0;
  #keptTallies = 0;

  constructor(store: Store, isMerge: boolean) {
    this.#store = store;
    this.#isMerge = isMerge;
    this.#present = new PresentLog(store);
  }

  async take(item: StoredItem): Promise<void> {
    if (isRecord(item)) await this.#takeRecord(item);
    else if (isTally(item)) await this.#takeTally(item);
    else await this.#takeEntry(item);
    const isFull =
      this.#operations.length >= BATCH_OPERATIONS ||
      this.#values >= BATCH_VALUES ||
      this.#bytes >= BATCH_BYTES;
    if (isFull) await this.#flush();
  }

  async finish(): Promise<FillResult> {
    await this.#flush();
    return { added: this.#added, kept: this.#kept + this.#keptTallies };
  }

  async #takeEntry(entry: StoredEntry): Promise<void> {
    const there = this.#isMerge ? await this.#store.get(entry.space, entry.key) : undefined;
    if (there !== undefined) {
      if (!isSameEntry(there, entry)) throw conflict();
      this.#kept += 1;
      return;
    }
    this.#operations.push({ type: 'add', ...entry });
    this.#note(entry.value.length);
  }

  /**
   * A tally counts what was taken before it. If none of that was there, it is added to the one that is there; if some
   * was, this is the rest of an import that was cut off, and a tally is there as a whole or not at all.
   */
  async #takeTally({ tally: name, count, sum }: StoredTally): Promise<void> {
    const there = this.#kept > 0 ? await this.#store.tally(name) : undefined;
    if (there !== undefined && (there.count > 0 || there.sum > 0)) {
      if (there.count !== count || there.sum !== sum) throw conflict();
      this.#keptTallies += 1;
      return;
    }
    this.#operations.push({ type: 'tally', name, count, sum });
    this.#note(0);
  }

  async #takeRecord({ log, position, value }: StoredRecord): Promise<void> {
    const there = this.#isMerge ? await this.#present.at(log, position) : undefined;
    if (there !== undefined) {
      if (!isSameBytes(there, value)) throw conflict();
      this.#kept += 1;
      return;
    }
    if (this.#append?.log !== log) {
      this.#append = { type: 'append', log, values: [], ifLength: position };
      this.#operations.push(this.#append);
    }
    this.#append.values.push(value);
    this.#note(value.length);
  }

  #note(bytes: number): void {
    this.#values += 1;
    this.#bytes += bytes;
  }

  async #flush(): Promise<void> {
    const { ok } = await this.#store.transact(this.#operations);
    if (!ok) throw conflict();
    this.#added += this.#values;
    this.#operations = [];
    this.#append = undefined;
    this.#values = 0;
    this.#bytes = 0;
  }
}

/** What a log holds at one position after the other, read by the page. */
class PresentLog {
  readonly #store: Store;
  #log: string | undefined;
  #length = 0;
  #page: readonly LogRecord[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  async at(log: string, position: number): Promise<Uint8Array | undefined> {
    if (log !== this.#log) {
      this.#log = log;
      this.#length = await this.#store.length(log);
      this.#page = [];
    }
    if (position >= this.#length) return undefined;
    const first = this.#page[0]?.position ?? 0;
    if (this.#page[position - first] === undefined) {
      this.#page = await this.#store.read(log, position, PAGE);
      return this.#page[0]?.value;
    }
    return this.#page[position - first]?.value;
  }
}

async function pageOfNames(
  store: Readable,
  of: InventoryPart,
  after: string | undefined,
  limit: number,
): Promise<readonly string[]> {
  if (store.inventory === undefined) throw new TypeError('"store" expected one with an inventory');
  return store.inventory(of, { after, limit });
}

async function* namesOf(store: Readable, of: InventoryPart): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const names = await pageOfNames(store, of, after, PAGE);
    yield* names;
    if (names.length < PAGE) return;
    after = names.at(-1);
  }
}

async function* entriesOf(store: Readable, space: string): AsyncGenerator<StoredEntry> {
  for (let after: string | undefined; ;) {
    const { entries, next } = await store.list(space, { after, limit: PAGE });
    for (const { key, value, expiresAt, index, rank } of entries) {
      yield { space, key, value, expiresAt, index, rank };
    }
    if (next === undefined) return;
    after = next;
  }
}

async function* recordsOf(store: Readable, log: string): AsyncGenerator<StoredRecord> {
  for (let next = 0; ;) {
    const records = await store.read(log, next, PAGE);
    for (const { position, value } of records) yield { log, position, value };
    if (records.length === 0) return;
    next += records.length;
  }
}

function isSameEntry(there: Entry, { value, expiresAt, index, rank }: StoredEntry): boolean {
  const names = Object.keys(index);
  return (
    there.expiresAt === expiresAt &&
    there.rank === rank &&
    names.length === Object.keys(there.index).length &&
    names.every((name) => there.index[name] === index[name]) &&
    isSameBytes(there.value, value)
  );
}

function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

function conflict(): Error {
  return failure('the target holds something else in the same place; nothing of it was replaced', {
    code: 'STORE_CONFLICT',
    next: 'import into an empty store',
  });
}
