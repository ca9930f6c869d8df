// Owns what all stores of entries have in common: checks, private copies, purging in turns, closing.
// So a backend has little left to do: it gets only checked copies, and is never called after close.

import type { Counting } from './listing.ts';
import { checkCounting } from './listing.ts';
import { checkInteger, checkKey, checkSpace, copyOperation } from './operation.ts';
import type {
  CountOptions,
  Entry,
  EntryStore,
  NewEntry,
  Operation,
  PutOptions,
  VersionCondition,
  WriteResult,
} from './store.ts';
import { StoreError } from './store.ts';

export type Awaitable<T> = T | Promise<T>;

export interface PurgeBatch {
  readonly removed: number;
  readonly isLast: boolean;
}

/** What a backend of any store can do. */
export interface EntryReads {
  get(space: string, key: string): Awaitable<Entry | undefined>;
  count(space: string, counting: Counting): Awaitable<number>;
  /** One bounded batch of what has expired both now and at `before`. */
  purge(before: number): Awaitable<PurgeBatch>;
  /** Finishes what it was given, then lets go. */
  close(): Awaitable<void>;
}

export type EntryWrite = Extract<Operation, { type: 'add' | 'put' | 'delete' }>;

/** A backend without lists, logs and transactions. It never gets a rank, nor a `since`. */
export interface EntryBackend extends EntryReads {
  /** Atomic. When an `add` finds an entry, the result holds the version of that entry, which is never 0. */
  write(operation: EntryWrite): Awaitable<WriteResult>;
}

export function createEntryStore(backend: EntryBackend): EntryStore {
  return new BackedEntryStore(backend);
}

export abstract class EntryCalls<B extends EntryReads> implements EntryStore {
  readonly #backend: B;
  #closing: Promise<void> | undefined;

  constructor(backend: B) {
    this.#backend = backend;
  }

  async add(space: string, key: string, entry: NewEntry): Promise<boolean> {
    const { value, expiresAt, index, rank } = entry;
    return (await this.write({ type: 'add', space, key, value, expiresAt, index, rank })).ok;
  }

  async get(space: string, key: string): Promise<Entry | undefined> {
    checkSpace(space);
    checkKey(key);
    return this.open().get(space, key);
  }

  async put(
    space: string,
    key: string,
    value: Uint8Array,
    options: PutOptions = {},
  ): Promise<WriteResult> {
    const { ifVersion, expiresAt, index, rank } = options;
    return this.write({ type: 'put', space, key, value, ifVersion, expiresAt, index, rank });
  }

  async delete(space: string, key: string, options: VersionCondition = {}): Promise<WriteResult> {
    return this.write({ type: 'delete', space, key, ifVersion: options.ifVersion });
  }

  async count(space: string, options: CountOptions = {}): Promise<number> {
    checkSpace(space);
    return this.open().count(space, checkCounting(options));
  }

  async purge(before?: number): Promise<number> {
    if (before !== undefined) checkInteger('before', before);
    let total = 0;
    for (;;) {
      const { removed, isLast } = await this.open().purge(before ?? Number.MAX_SAFE_INTEGER);
      total += removed;
      if (isLast) return total;
      // A timer, not a microtask: between two batches everybody else has a turn.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }

  async close(): Promise<void> {
    this.#closing ??= this.letGo();
    return this.#closing;
  }

  protected abstract write(operation: EntryWrite): Promise<WriteResult>;

  protected async letGo(): Promise<void> {
    await this.#backend.close();
  }

  protected open(): B {
    if (this.#closing !== undefined) throw new StoreError('closed', 'the store is closed');
    return this.#backend;
  }
}

class BackedEntryStore extends EntryCalls<EntryBackend> {
  override async count(space: string, options: CountOptions = {}): Promise<number> {
    if (options.since !== undefined) throw withoutRanks('since');
    return super.count(space, options);
  }

  protected override async write(operation: EntryWrite): Promise<WriteResult> {
    if (operation.type !== 'delete' && operation.rank !== undefined) throw withoutRanks('rank');
    // A copy is of the type of its original.
    const copy = copyOperation(operation) as EntryWrite;
    return this.open().write(copy);
  }
}

/** Not dropped in silence: who gives a rank wants to list by it. */
function withoutRanks(name: string): TypeError {
  return new TypeError(`"${name}" needs a store with lists: this one keeps entries alone`);
}
