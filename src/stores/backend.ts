// Owns what full stores have in common beyond entries: single writes as transactions, lists, logs, watching.

import type { Awaitable, EntryReads, EntryWrite } from './entry-backend.ts';
import { EntryCalls } from './entry-backend.ts';
import type { Tail } from './follow.ts';
import { Watchers } from './follow.ts';
import type { Listing } from './listing.ts';
import { checkListing } from './listing.ts';
import { checkInteger, checkLog, checkSpace, checkTally, copyOperations } from './operation.ts';
import type {
  AppendOptions,
  AppendResult,
  InventoryOptions,
  InventoryPart,
  ListOptions,
  LogRecord,
  Operation,
  Page,
  Store,
  Tally,
  TransactOptions,
  TransactResult,
  WatchOptions,
  WriteResult,
} from './store.ts';
import { STORE_LIMITS } from './store.ts';

export interface Backend extends EntryReads {
  list(space: string, listing: Listing): Awaitable<Page>;
  length(log: string): Awaitable<number>;
  /** At least one record if there is one, then as many as fit. */
  pull(log: string, from: number, limit: number, maxBytes: number): Awaitable<Tail>;
  transact(operations: readonly Operation[]): Awaitable<TransactResult>;
  /** Names after this one, in the order of their UTF-8 bytes; `''` is before all. */
  inventory(of: InventoryPart, after: string, limit: number): Awaitable<readonly string[]>;
  tally(name: string): Awaitable<Tally>;
}

/** @param watchers where the backend announces appends that did not come through this store. */
export function createStore(backend: Backend, watchers: Watchers = new Watchers()): Store {
  return new BackedStore(backend, watchers);
}

class BackedStore extends EntryCalls<Backend> implements Store {
  readonly #watchers: Watchers;

  constructor(backend: Backend, watchers: Watchers) {
    super(backend);
    this.#watchers = watchers;
  }

  async list(space: string, options: ListOptions = {}): Promise<Page> {
    checkSpace(space);
    return this.open().list(space, checkListing(options));
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
    return (await this.open().pull(log, from, limit, STORE_LIMITS.pageBytes)).records;
  }

  async length(log: string): Promise<number> {
    checkLog(log);
    return this.open().length(log);
  }

  watch(log: string, from: number, options: WatchOptions = {}): AsyncIterable<LogRecord> {
    checkLog(log);
    checkInteger('from', from);
    const { signal } = options;
    return this.#watchers.follow(
      log,
      from,
      (next, limit, maxBytes) => this.open().pull(log, next, limit, maxBytes),
      signal,
    );
  }

  async tally(name: string): Promise<Tally> {
    checkTally(name);
    return this.open().tally(name);
  }

  async transact(
    operations: readonly Operation[],
    { isGiven = false }: TransactOptions = {},
  ): Promise<TransactResult> {
    const copies = copyOperations(operations, isGiven);
    const done = await this.open().transact(copies);
    if (done.ok) {
      for (const operation of copies) {
        if (operation.type === 'append' || operation.type === 'drop') {
          this.#watchers.wake(operation.log);
        }
      }
    }
    return done;
  }

  async inventory(
    of: InventoryPart,
    { after, limit = STORE_LIMITS.page }: InventoryOptions = {},
  ): Promise<readonly string[]> {
    if (of !== 'spaces' && of !== 'logs' && of !== 'tallies') {
      throw new TypeError(`"of" must be 'spaces', 'logs' or 'tallies'`);
    }
    if (after !== undefined) checkLog(after);
    checkInteger('limit', limit, 1, STORE_LIMITS.page);
    return this.open().inventory(of, after ?? '', limit);
  }

  protected override async write(operation: EntryWrite): Promise<WriteResult> {
    const done = await this.transact([operation]);
    return { ok: done.ok, version: done.ok ? done.results[0]! : done.found };
  }

  protected override async letGo(): Promise<void> {
    // Woken watchers look again and find the store closed.
    this.#watchers.wakeAll();
    await super.letGo();
  }
}
