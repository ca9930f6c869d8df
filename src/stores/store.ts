// Owns the contract of every store: entries by key, logs by position, tallies by name, transactions over all, and how a
// store fails.
// A call sees every write that was acknowledged before the call. It may or may not see a write that is still under way.

import { SdlError } from '../errors.ts';

/** Small fields by which entries are counted and listed: at most 8, names `[a-z][a-z0-9_]*`. */
export type EntryIndex = Readonly<Record<string, string>>;

export interface EntryOptions {
  /** Milliseconds since 1970. From that moment on the entry counts as absent. @default never */
  readonly expiresAt?: number | undefined;
  /** @default none */
  readonly index?: EntryIndex | undefined;
  /** A safe integer from 0 on, such as a moment, by which entries are listed from either end. @default none */
  readonly rank?: number | undefined;
}

export interface NewEntry extends EntryOptions {
  readonly value: Uint8Array;
}

export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  /** Never 0 and never used twice in one store, not even after the key was deleted: it also fences leases. */
  readonly version: number;
  readonly expiresAt: number | undefined;
  readonly index: EntryIndex;
  readonly rank: number | undefined;
}

export interface VersionCondition {
  /** Write only if this is the entry's version; 0 = only if there is no entry. @default whatever it is */
  readonly ifVersion?: number | undefined;
}

/** `put` replaces the whole entry: an omitted expiry, index or rank is none, not the earlier one. */
export interface PutOptions extends EntryOptions, VersionCondition {}

export interface WriteResult {
  /** False when the entry had another version than `ifVersion`. Then nothing was changed. */
  readonly ok: boolean;
  /** The version that was written or deleted; when not ok, the version that was found. 0 = there was no entry. */
  readonly version: number;
}

export interface CountOptions {
  /** Fields that must all be equal. The first one named is walked, so name the rarest first. @default all entries */
  readonly index?: EntryIndex | undefined;
  /** Only entries with this rank or a higher one. @default also those without a rank */
  readonly since?: number | undefined;
  /** Stop there: a quota need not count further. @default no bound */
  readonly atMost?: number | undefined;
}

export interface ListOptions {
  /** As in {@link CountOptions}. */
  readonly index?: EntryIndex | undefined;
  /** As in {@link CountOptions}. In an order by creation the others are passed over one by one. */
  readonly since?: number | undefined;
  /** The `next` of an earlier page of the same order. @default from the start */
  readonly after?: string | undefined;
  /** 1 to 1000; a page is shorter when its values pass {@link STORE_LIMITS.pageBytes}. @default 100 */
  readonly limit?: number | undefined;
  /** @default 'oldest' */
  readonly order?: ListOrder | undefined;
}

/**
 * 'oldest' and 'newest' are by creation; replacing an entry does not move it. 'highest' and 'lowest' are by rank, without
 * the entries that have none; among equal ranks the newest comes first for 'highest', the oldest for 'lowest'.
 */
export type ListOrder = 'oldest' | 'newest' | 'highest' | 'lowest';

/** Reading all pages returns each entry exactly once if it was there the whole time and its rank stayed. */
export interface Page {
  readonly entries: readonly Entry[];
  /** Opaque; undefined = there is no more. */
  readonly next: string | undefined;
}

export interface LogRecord {
  /** From 0, without gaps. */
  readonly position: number;
  readonly value: Uint8Array;
}

export interface AppendOptions {
  /** Append only if the log has this length. @default whatever it has */
  readonly ifLength?: number | undefined;
}

export interface AppendResult {
  /** False when the log had another length than `ifLength`. Then nothing was appended. */
  readonly ok: boolean;
  /** The position of the first value; when not ok, the length that was found. */
  readonly position: number;
}

/** Two numbers that only ever change by what is added: they never conflict, however many write. */
export interface Tally {
  readonly count: number;
  readonly sum: number;
}

export interface WatchOptions {
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined;
}

export type Operation =
  | ({ readonly type: 'add'; readonly space: string; readonly key: string } & NewEntry)
  | ({ readonly type: 'put'; readonly space: string; readonly key: string } & NewEntry &
      VersionCondition)
  | ({ readonly type: 'delete'; readonly space: string; readonly key: string } & VersionCondition)
  /** Changes nothing: a condition on an entry that the transaction does not write. */
  | {
      readonly type: 'check';
      readonly space: string;
      readonly key: string;
      readonly ifVersion: number;
    }
  /** Without values it is a condition on the length alone. */
  | ({
      readonly type: 'append';
      readonly log: string;
      readonly values: readonly Uint8Array[];
    } & AppendOptions)
  /** Removes a whole log; its watchers end. The next append starts a new one at 0. */
  | { readonly type: 'drop'; readonly log: string }
  | TallyOperation;

/**
 * Adds to a tally, which begins at 0 and 0 and is gone when it is back there. Neither number ever leaves 0 to 2^53 - 1:
 * what is taken away beyond 0 is forgotten, because taking away must always succeed, even where somebody counted too
 * little before.
 */
export interface TallyOperation {
  readonly type: 'tally';
  readonly name: string;
  /** May be negative. */
  readonly count: number;
  /** May be negative. */
  readonly sum: number;
  /** Fails if `count` is above 0 and would lift the count above this. @default no condition */
  readonly maxCount?: number | undefined;
  /** Fails if `sum` is above 0 and would lift the sum above this. @default no condition */
  readonly maxSum?: number | undefined;
}

export type TransactResult =
  | {
      readonly ok: true;
      /**
       * One for each operation: the version that was added, put, deleted or checked, the first position of an append,
       * the length of the log that was dropped, or the new count of a tally.
       */
      readonly results: readonly number[];
    }
  | {
      readonly ok: false;
      /** The index of the operation with a condition that failed. Nothing was changed. */
      readonly failed: number;
      /** The version, length or count that was found instead. */
      readonly found: number;
    };

export interface TransactOptions {
  /** The values are given away: nobody changes them any more, so that the store need not copy them. @default false */
  readonly isGiven?: boolean;
}

export type InventoryPart = 'spaces' | 'logs' | 'tallies';

export interface InventoryOptions {
  /** The last name of an earlier page. @default from the start */
  readonly after?: string | undefined;
  /** 1 to 1000. @default 1000 */
  readonly limit?: number | undefined;
}

/**
 * What replay, sessions and rate limits need: a backend without lists and logs can carry this part. Where there are no
 * lists, a rank or `since` is refused.
 */
export interface EntryStore {
  /** Atomic: did this call create it? An expired entry counts as absent. */
  add(space: string, key: string, entry: NewEntry): Promise<boolean>;
  get(space: string, key: string): Promise<Entry | undefined>;
  put(space: string, key: string, value: Uint8Array, options?: PutOptions): Promise<WriteResult>;
  delete(space: string, key: string, options?: VersionCondition): Promise<WriteResult>;
  count(space: string, options?: CountOptions): Promise<number>;
  /**
   * Frees what has expired by now, or by `before` if that is earlier, in bounded batches; returns how many entries.
   * Nothing else is ever evicted.
   */
  purge(before?: number): Promise<number>;
  /** Finishes what was called before, then lets go. Every later call fails; closing again does not. */
  close(): Promise<void>;
}

/** A promise resolves only when its write is as durable as the store makes it. */
export interface Store extends EntryStore {
  list(space: string, options?: ListOptions): Promise<Page>;
  append(
    log: string,
    values: readonly Uint8Array[],
    options?: AppendOptions,
  ): Promise<AppendResult>;
  /** Records from a position on; fewer than `limit` when they pass {@link STORE_LIMITS.pageBytes}, none only at the end. */
  read(log: string, from: number, limit?: number): Promise<readonly LogRecord[]>;
  length(log: string): Promise<number>;
  /** Every record from a position on, then every new one, each once and in order, until aborted or dropped. */
  watch(log: string, from: number, options?: WatchOptions): AsyncIterable<LogRecord>;
  /** 0 and 0 when there is none. */
  tally(name: string): Promise<Tally>;
  /** All of it or nothing, in order: an operation sees the effect of those before it. */
  transact(operations: readonly Operation[], options?: TransactOptions): Promise<TransactResult>;
  /**
   * The names of all spaces, logs or tallies that hold something, for copies and checks of the whole: in the order of
   * their UTF-8 bytes, fewer than `limit` only at the end. What has expired and is not yet purged may count.
   * A wrapper around a store may leave it out.
   */
  inventory?(of: InventoryPart, options?: InventoryOptions): Promise<readonly string[]>;
}

/** Equal in every store, so that a program that runs on one runs on all. */
export const STORE_LIMITS: {
  readonly nameBytes: number;
  readonly keyBytes: number;
  readonly valueBytes: number;
  readonly indexFields: number;
  readonly indexValueBytes: number;
  readonly operations: number;
  readonly page: number;
  readonly pageBytes: number;
} = Object.freeze({
  /** UTF-8 bytes of the name of a space. */
  nameBytes: 128,
  /** UTF-8 bytes of a key or of the name of a log or tally: what a PostgreSQL index can hold. */
  keyBytes: 2_048,
  valueBytes: 268_435_456,
  indexFields: 8,
  indexValueBytes: 512,
  /** Operations of one transaction, and values of one append. */
  operations: 10_000,
  page: 1_000,
  pageBytes: 4_194_304,
});

/**
 * closed: used after close; busy: another process holds the database; unavailable: the driver cannot be loaded;
 * unsafe: others may read or replace the file, or the server may drop what it holds; corrupt: damaged or not a
 * database; newer: written by a later version; foreign: the database of another program; failed: the driver, the
 * server or the disk failed.
 */
export type StoreFault =
  'closed' | 'busy' | 'unavailable' | 'unsafe' | 'corrupt' | 'newer' | 'foreign' | 'failed';

/** A store that cannot do its work. Peers only see INTERNAL or UNAVAILABLE; the operator matches on `fault`. */
export class StoreError extends SdlError {
  readonly fault: StoreFault;

  /** @param isPassing it may well work again soon, so that peers are told to try again. */
  constructor(
    fault: StoreFault,
    reason: string,
    cause?: unknown,
    isPassing: boolean = fault === 'busy',
  ) {
    super(isPassing ? 'UNAVAILABLE' : 'INTERNAL', reason, { cause });
    this.fault = fault;
  }
}
