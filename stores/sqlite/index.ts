// Owns the store in one SQLite file: durable (WAL, synchronous=FULL, group commit), several processes on one file.

import type {
  Backend,
  Counting,
  Entry,
  InventoryPart,
  Listing,
  Operation,
  Page,
  PurgeBatch,
  Store,
  StoreSnapshot,
  Tail,
  Tally,
  TransactResult,
} from '../../src/stores/index.ts';
import { Watchers, checkInteger, createStore, snapshotOf } from '../../src/stores/index.ts';
import type { Column } from './connection.ts';
import { closeConnection, pragma, prepareColumn } from './connection.ts';
import type { Connection, Statement } from './driver.ts';
import { toStoreError } from './driver.ts';
import type { WriteVerdict } from './entries.ts';
import { SqliteEntries } from './entries.ts';
import type { AssertInPlace } from './file.ts';
import { placeOf } from './file.ts';
import { GroupCommit, UndoNeeded } from './group.ts';
import { SqliteLists } from './lists.ts';
import { SqliteLogs } from './logs.ts';
import { BUSY_SLICE_MS, IN_MEMORY, openDatabase } from './open.ts';
import { SqliteTallies } from './tallies.ts';

export interface SqliteStoreOptions {
  /** The file, created with mode 0600 in a directory that exists; `:memory:` keeps all in memory. */
  readonly path: string;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** How often watchers look for what other processes appended. @default 50 */
  readonly pollIntervalMs?: number;
  /** How long to wait for another process that writes. @default 5000 */
  readonly busyTimeoutMs?: number;
  /** Check the file for damage when it is opened: reads all of it. @default true */
  readonly checkOnOpen?: boolean;
}

/** Opens or creates the database; fails with a StoreError whose `fault` says why. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const {
    path,
    now = Date.now,
    pollIntervalMs = 50,
    busyTimeoutMs = 5_000,
    checkOnOpen = true,
  } = options;
  const attempts = attemptsIn(path, busyTimeoutMs);
  checkInteger('pollIntervalMs', pollIntervalMs, 1, 3_600_000);
  const db = await openDatabase(path, { attempts, checkOnOpen, now: now() });
  const watchers: Watchers = new Watchers((isIdle) => {
    if (isIdle) backend.stopPolling();
    else backend.startPolling(pollIntervalMs, watchers);
  });
  const assertInPlace = path === IN_MEMORY ? (): void => undefined : placeOf(path);
  const backend = new SqliteBackend(db, now, attempts, assertInPlace);
  return createStore(backend, watchers);
}

/** The store as it is now, even if others write meanwhile. Until it is closed, the log beside the file grows with every write. */
export async function openSqliteSnapshot(
  options: Omit<SqliteStoreOptions, 'pollIntervalMs'>,
): Promise<StoreSnapshot> {
  const { path, now = Date.now, busyTimeoutMs = 5_000, checkOnOpen = true } = options;
  const attempts = attemptsIn(path, busyTimeoutMs);
  const db = await openDatabase(path, { attempts, checkOnOpen, now: now() });
  try {
    pragma(db, 'query_only = ON');
    // The first look, not the beginning, decides which moment it is.
    db.exec('BEGIN; SELECT sequence FROM counter');
  } catch (thrown) {
    closeConnection(db);
    throw toStoreError(thrown);
  }
  const at = now();
  // It writes nothing.
  const backend = new SqliteBackend(
    db,
    () => at,
    attempts,
    () => undefined,
  );
  return snapshotOf(createStore(backend));
}

/** How often to ask for a lock. */
function attemptsIn(path: string, busyTimeoutMs: number): number {
  if (typeof path !== 'string' || path === '') throw new TypeError('"path" expected a file name');
  checkInteger('busyTimeoutMs', busyTimeoutMs, 0, 3_600_000);
  return Math.max(1, Math.ceil(busyTimeoutMs / BUSY_SLICE_MS));
}

const PURGE_BATCH = 256;

class SqliteBackend implements Backend {
  readonly #db: Connection;
  readonly #now: () => number;
  readonly #group: GroupCommit;
  readonly #entries: SqliteEntries;
  readonly #lists: SqliteLists;
  readonly #logs: SqliteLogs;
  readonly #tallies: SqliteTallies;
  readonly #savepoint: Record<'open' | 'undo' | 'release', Statement>;
  readonly #dataVersion: Column<number>;
  #poll: ReturnType<typeof setInterval> | undefined;

  constructor(db: Connection, now: () => number, attempts: number, assertInPlace: AssertInPlace) {
    this.#db = db;
    this.#now = now;
    this.#group = new GroupCommit(db, attempts, assertInPlace);
    this.#entries = new SqliteEntries(db, this.#group.counter);
    this.#lists = new SqliteLists(db);
    this.#logs = new SqliteLogs(db, this.#group.counter);
    this.#tallies = new SqliteTallies(db);
    this.#savepoint = {
      open: db.prepare('SAVEPOINT job'),
      undo: db.prepare('ROLLBACK TO job'),
      release: db.prepare('RELEASE job'),
    };
    this.#dataVersion = prepareColumn(db, 'PRAGMA data_version');
  }

  get(space: string, key: string): Entry | undefined {
    return this.#read(() => this.#entries.get(space, key, this.#now()));
  }

  count(space: string, counting: Counting): number {
    return this.#read(() => this.#lists.count(space, counting, this.#now()));
  }

  list(space: string, listing: Listing): Page {
    return this.#read(() => this.#lists.list(space, listing, this.#now()));
  }

  length(log: string): number {
    return this.#read(() => this.#logs.head(log)?.length ?? 0);
  }

  pull(log: string, from: number, limit: number, maxBytes: number): Tail {
    return this.#read(() => this.#logs.pull(log, from, limit, maxBytes));
  }

  transact(operations: readonly Operation[]): Promise<TransactResult> {
    const work = (canUndo: boolean): TransactResult => this.#apply(operations, canUndo);
    return this.#group.run(work, bytesOfAll(operations));
  }

  tally(name: string): Tally {
    return this.#read(() => this.#tallies.get(name));
  }

  inventory(of: InventoryPart, after: string, limit: number): readonly string[] {
    return this.#read(() => {
      if (of === 'spaces') return this.#lists.spaces(after, limit);
      return (of === 'logs' ? this.#logs : this.#tallies).names(after, limit);
    });
  }

  purge(before: number): Promise<PurgeBatch> {
    return this.#group.run(() => {
      const removed = this.#entries.purge(Math.min(before, this.#now()), PURGE_BATCH);
      const isCleared = this.#logs.clearDropped(PURGE_BATCH);
      return { removed, isLast: removed < PURGE_BATCH && isCleared };
    }, 0);
  }

  async close(): Promise<void> {
    await this.#group.idle();
    this.stopPolling();
    closeConnection(this.#db);
  }

  /** Looks for commits of other connections; only their effect on watched logs wakes anybody. */
  startPolling(intervalMs: number, watchers: Watchers): void {
    let seen: number | undefined;
    let tails: ReadonlyMap<string, string> = new Map();
    this.#poll = setInterval(() => {
      try {
        const version = this.#dataVersion.first();
        if (version === seen) return;
        seen = version;
        const earlier = tails;
        tails = new Map([...watchers.logs].map((log) => [log, this.#tailOf(log)]));
        for (const [log, tail] of tails) if (earlier.get(log) !== tail) watchers.wake(log);
      } catch {
        // Those who watch look for themselves and get the error.
        watchers.wakeAll();
      }
    }, intervalMs);
  }

  stopPolling(): void {
    clearInterval(this.#poll);
  }

  /** Which log it is, and how long. */
  #tailOf(log: string): string {
    const head = this.#logs.head(log);
    return `${head?.id}:${head?.length}`;
  }

  #read<T>(query: () => T): T {
    try {
      return query();
    } catch (thrown) {
      throw toStoreError(thrown);
    }
  }

  #apply(operations: readonly Operation[], canUndo: boolean): TransactResult {
    const mayUndo = canUndo && decidesLate(operations);
    const now = this.#now();
    const results: number[] = [];
    if (mayUndo) this.#savepoint.open.run();
    for (const [failed, operation] of operations.entries()) {
      const outcome = this.#applyOne(operation, now);
      if (!outcome.ok) {
        if (!mayUndo && operations.slice(0, failed).some(isWrite)) throw new UndoNeeded();
        if (mayUndo) this.#savepoint.undo.run();
        if (mayUndo) this.#savepoint.release.run();
        return { ok: false, failed, found: outcome.found };
      }
      results.push(outcome.result);
    }
    if (mayUndo) this.#savepoint.release.run();
    return { ok: true, results };
  }

  #applyOne(operation: Operation, now: number): WriteVerdict {
    switch (operation.type) {
      case 'append':
      case 'drop':
        return this.#logs.apply(operation);
      case 'tally':
        return this.#tallies.apply(operation);
      default:
        return this.#entries.apply(operation, now);
    }
  }
}

/** A condition comes after a write, which has to be undone when it does not hold. */
function decidesLate(operations: readonly Operation[]): boolean {
  let hasWritten = false;
  for (const operation of operations) {
    if (hasWritten && isConditional(operation)) return true;
    hasWritten ||= isWrite(operation);
  }
  return false;
}

function isWrite({ type }: Operation): boolean {
  return type !== 'check';
}

function isConditional(operation: Operation): boolean {
  if (operation.type === 'append') return operation.ifLength !== undefined;
  if (operation.type === 'drop') return false;
  if (operation.type === 'tally') return (operation.maxCount ?? operation.maxSum) !== undefined;
  return operation.type === 'add' || operation.ifVersion !== undefined;
}

function bytesOfAll(operations: readonly Operation[]): number {
  let bytes = 0;
  for (const operation of operations) {
    if (operation.type === 'add' || operation.type === 'put') bytes += operation.value.length;
    if (operation.type === 'append') {
      for (const value of operation.values) bytes += value.length;
    }
  }
  return bytes;
}
