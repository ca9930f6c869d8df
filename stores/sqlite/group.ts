// Owns group commit: what is asked for in one turn of the event loop is written in one transaction,
// so that many durable writes share one flush of the disk. A promise resolves only after that flush.

import type { Column } from './connection.ts';
import { prepareColumn } from './connection.ts';
import type { Connection, Statement } from './driver.ts';
import { isBusy, toStoreError } from './driver.ts';
import type { AssertInPlace } from './file.ts';

/** Bounds on how long one group keeps the event loop. */
const GROUP_JOBS = 256;
const GROUP_BYTES = 8_388_608;

/** Hands out numbers that are never used twice, across processes: kept in the database, read once a group. */
export interface Counter {
  next(): number;
}

/**
 * Thrown by work that has to undo a part of itself but was not told to keep a way back. Keeping one copies every page that
 * is touched, so it is done only in the second try of a group.
 */
export class UndoNeeded extends Error {}

interface Job {
  readonly bytes: number;
  readonly run: (canUndo: boolean) => void;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export class GroupCommit {
  readonly counter: Counter = { next: () => (this.#sequence += 1) };
  readonly #db: Connection;
  readonly #statements: Record<'begin' | 'commit' | 'rollback' | 'save', Statement>;
  readonly #load: Column<number>;
  readonly #maxAttempts: number;
  readonly #assertInPlace: AssertInPlace;
  #queue: Job[] = [];
  #sequence = 0;
  #attempts = 0;
  #isScheduled = false;
  #onIdle: (() => void) | undefined;

  /** @param maxAttempts how often to ask for the write lock; each time SQLite itself waits its busy timeout. */
  constructor(db: Connection, maxAttempts: number, assertInPlace: AssertInPlace) {
    this.#db = db;
    this.#maxAttempts = maxAttempts;
    this.#assertInPlace = assertInPlace;
    this.#statements = {
      begin: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollback: db.prepare('ROLLBACK'),
      save: db.prepare('UPDATE counter SET sequence = ?'),
    };
    this.#load = prepareColumn(db, 'SELECT sequence FROM counter');
  }

  /**
   * Runs `work` in the next group. It may be run again after a rollback, so it must only touch the database.
   * @param work told whether it must be able to undo a part of itself, else it may throw {@link UndoNeeded}.
   */
  run<T>(work: (canUndo: boolean) => T, bytes: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      this.#queue.push({
        bytes,
        run: (canUndo) => {
          result = work(canUndo);
        },
        resolve: () => resolve(result),
        reject,
      });
      this.#schedule();
    });
  }

  /** Resolves when everything that was asked for is decided. */
  async idle(): Promise<void> {
    if (this.#queue.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After the I/O of this turn: every request that has arrived by then is in the same group.
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    const group = this.#nextGroup();
    try {
      this.#commit(group);
      this.#attempts = 0;
      for (const job of group) job.resolve();
    } catch (thrown) {
      this.#recover(group, thrown);
    }
    if (this.#queue.length > 0) this.#schedule();
    else this.#onIdle?.();
  }

  #nextGroup(): Job[] {
    let size = 0;
    let bytes = 0;
    for (const job of this.#queue) {
      if (size >= GROUP_JOBS || bytes >= GROUP_BYTES) break;
      bytes += job.bytes;
      size += 1;
    }
    return this.#queue.splice(0, size);
  }

  /** Nobody is told that something is stored which nobody will find. */
  #commit(group: readonly Job[]): void {
    this.#assertInPlace();
    try {
      this.#attempt(group, false);
    } catch (thrown) {
      if (!(thrown instanceof UndoNeeded)) throw thrown;
      this.#attempt(group, true);
    }
    this.#assertInPlace();
  }

  #attempt(group: readonly Job[], canUndo: boolean): void {
    const { begin, commit, rollback, save } = this.#statements;
    begin.run();
    try {
      const before = this.#load.first()!;
      this.#sequence = before;
      for (const job of group) job.run(canUndo);
      if (this.#sequence !== before) save.run(this.#sequence);
      commit.run();
    } catch (thrown) {
      // Some errors have already undone the transaction.
      if (this.#db.isTransaction) rollback.run();
      throw thrown;
    }
  }

  /** One bad job must not take the others with it: after a failure each is tried on its own. */
  #recover(group: readonly Job[], thrown: unknown): void {
    if (isBusy(thrown)) {
      this.#attempts += 1;
      if (this.#attempts < this.#maxAttempts) {
        this.#queue = [...group, ...this.#queue];
        return;
      }
    }
    this.#attempts = 0;
    for (const job of group) {
      try {
        if (group.length === 1 || isBusy(thrown)) throw thrown;
        this.#commit([job]);
        job.resolve();
      } catch (reason) {
        job.reject(toStoreError(reason));
      }
    }
  }
}
