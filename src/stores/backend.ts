// Owns what all stores have in common: checks, private copies, single writes as transactions, closing, watching.
// A backend is what is left: it is only ever given checked copies, and never called after close.

import type { Tail } from './follow.ts';
import { Watchers } from './follow.ts';
import {
  checkInteger,
  checkKey,
  checkListing,
  checkLog,
  checkSpace,
  copyIndex,
  copyOperations,
} from './operation.ts';
import type { Listing } from './operation.ts';
import type {
  AppendOptions,
  AppendResult,
  CountOptions,
  Entry,
  EntryIndex,
  ListOptions,
  LogRecord,
  NewEntry,
  Operation,
  Page,
  PutOptions,
  Store,
  TransactResult,
  VersionCondition,
  WatchOptions,
  WriteResult,
} from './store.ts';
import { STORE_LIMITS, StoreError } from './store.ts';

type Awaitable<T> = T | Promise<T>;

export interface Backend {
  get(space: string, key: string): Awaitable<Entry | undefined>;
  count(space: string, index: EntryIndex, atMost: number): Awaitable<number>;
  list(space: string, listing: Listing): Awaitable<Page>;
  length(log: string): Awaitable<number>;
  /** At least one record if there is one, then as many as fit. */
  pull(log: string, from: number, limit: number, maxBytes: number): Awaitable<Tail>;
  transact(operations: readonly Operation[]): Awaitable<TransactResult>;
  /** One bounded batch of what has expired both now and at `before`. */
  purge(before: number): Awaitable<PurgeBatch>;
  /** Finishes what it was given, then lets go. */
  close(): Awaitable<void>;
}

export interface PurgeBatch {
  readonly removed: number;
  readonly isLast: boolean;
}

/** @param watchers where the backend announces appends that did not come through this store. */
export function createStore(backend: Backend, watchers: Watchers = new Watchers()): Store {
  return new BackedStore(backend, watchers);
}

class BackedStore implements Store {
  readonly #backend: Backend;
  readonly #watchers: Watchers;
  #closing: Promise<void> | undefined;

  constructor(backend: Backend, watchers: Watchers) {
    this.#backend = backend;
    this.#watchers = watchers;
  }

  async add(space: string, key: string, entry: NewEntry): Promise<boolean> {
    const { value, expiresAt, index } = entry;
    return (await this.transact([{ type: 'add', space, key, value, expiresAt, index }])).ok;
  }

  async get(space: string, key: string): Promise<Entry | undefined> {
    checkSpace(space);
    checkKey(key);
    return this.#open().get(space, key);
  }

  async put(
    space: string,
    key: string,
    value: Uint8Array,
    options: PutOptions = {},
  ): Promise<WriteResult> {
    const { ifVersion, expiresAt, index } = options;
    return this.#write({ type: 'put', space, key, value, ifVersion, expiresAt, index });
  }

  async delete(space: string, key: string, options: VersionCondition = {}): Promise<WriteResult> {
    return this.#write({ type: 'delete', space, key, ifVersion: options.ifVersion });
  }

  async count(space: string, options: CountOptions = {}): Promise<number> {
    checkSpace(space);
    const { atMost = Number.MAX_SAFE_INTEGER } = options;
    checkInteger('atMost', atMost);
    return this.#open().count(space, copyIndex(options.index), atMost);
  }

  async list(space: string, options: ListOptions = {}): Promise<Page> {
    checkSpace(space);
    return this.#open().list(space, checkListing(options));
  }

  async append(
    log: string,
    values: readonly Uint8Array[],
    options: AppendOptions = {},
  ): Promise<AppendResult> {
    const { ifLength } = options;
    const done = await this.transact([{ type: 'append', log, values, ifLength }]);
    return { ok: done.ok, position: done.ok ? done.results[0]! : done.found };
  }

  async read(log: string, from: number, limit = 100): Promise<readonly LogRecord[]> {
    checkLog(log);
    checkInteger('from', from);
    checkInteger('limit', limit, 1, STORE_LIMITS.page);
    return (await this.#open().pull(log, from, limit, STORE_LIMITS.pageBytes)).records;
  }

  async length(log: string): Promise<number> {
    checkLog(log);
    return this.#open().length(log);
  }

  watch(log: string, from: number, options: WatchOptions = {}): AsyncIterable<LogRecord> {
    checkLog(log);
    checkInteger('from', from);
    const { signal } = options;
    return this.#watchers.follow(
      log,
      from,
      (next, limit, maxBytes) => this.#open().pull(log, next, limit, maxBytes),
      signal,
    );
  }

  async transact(operations: readonly Operation[]): Promise<TransactResult> {
    const copies = copyOperations(operations);
    const done = await this.#open().transact(copies);
    if (done.ok) {
      for (const operation of copies) {
        if (operation.type === 'append' || operation.type === 'drop') {
          this.#watchers.wake(operation.log);
        }
      }
    }
    return done;
  }

  async purge(before?: number): Promise<number> {
    if (before !== undefined) checkInteger('before', before);
    let total = 0;
    for (;;) {
      const { removed, isLast } = await this.#open().purge(before ?? Number.MAX_SAFE_INTEGER);
      total += removed;
      if (isLast) return total;
      // A timer, not a microtask: between two batches everybody else has a turn.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Woken watchers look again and find the store closed.
    this.#watchers.wakeAll();
    await this.#backend.close();
  }

  #open(): Backend {
    if (this.#closing !== undefined) throw new StoreError('closed', 'the store is closed');
    return this.#backend;
  }

  async #write(operation: Operation): Promise<WriteResult> {
    const done = await this.transact([operation]);
    return { ok: done.ok, version: done.ok ? done.results[0]! : done.found };
  }
}
