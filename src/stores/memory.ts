// Owns the store that lives and dies with the process: for tests, for short-lived agents, for what need not last.

import { compareCodePoints } from '../codec/name-order.ts';
import type { Backend } from './backend.ts';
import { createStore } from './backend.ts';
import type { PurgeBatch } from './entry-backend.ts';
import { ExpiryHeap } from './expiry-heap.ts';
import type { Tail } from './follow.ts';
import type { Counting, Listing } from './listing.ts';
import { writeCursor } from './listing.ts';
import type { Row } from './memory-space.ts';
import { MemorySpace, NO_RANK, hasExpired } from './memory-space.ts';
import type {
  Entry,
  InventoryPart,
  LogRecord,
  Operation,
  Page,
  Store,
  Tally,
  TransactResult,
} from './store.ts';
import { STORE_LIMITS } from './store.ts';
import { NO_TALLY, isRefused, tallyAfter } from './tally.ts';

export interface MemoryStoreOptions {
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return createStore(new MemoryBackend(options.now ?? Date.now));
}

interface Log {
  readonly id: number;
  readonly values: Uint8Array[];
}

type Conflict = Extract<TransactResult, { ok: false }>;

const PURGE_BATCH = 1_024;
/** Operations up to which comparing them with each other costs less than maps. */
const FEW = 8;
/** What is put into it is not looked for again. */
const NOTHING = { get: () => undefined, set: () => undefined } as const;

class MemoryBackend implements Backend {
  readonly #now: () => number;
  readonly #spaces = new Map<string, MemorySpace>();
  readonly #logs = new Map<string, Log>();
  readonly #tallies = new Map<string, Tally>();
  readonly #expiry = new ExpiryHeap<Row>();
  /** One counter for versions, creation numbers and log ids: none of them is ever used twice. */
  #sequence = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(space: string, key: string): Entry | undefined {
    const row = this.#live(space, key, this.#now());
    return row === undefined ? undefined : entryOf(row);
  }

  count(space: string, counting: Counting): number {
    const now = this.#now();
    let count = 0;
    for (const row of this.#spaces.get(space)?.matching(counting) ?? []) {
      if (count >= counting.atMost) break;
      if (!hasExpired(row.expiresAt, now)) count += 1;
    }
    return count;
  }

  list(space: string, listing: Listing): Page {
    const now = this.#now();
    const entries: Entry[] = [];
    let bytes = 0;
    let last: Row | undefined;
    for (const row of this.#spaces.get(space)?.walk(listing) ?? []) {
      if (hasExpired(row.expiresAt, now)) continue;
      if (last && (entries.length === listing.limit || bytes > STORE_LIMITS.pageBytes)) {
        return { entries, next: writeCursor(listing.order, last) };
      }
      entries.push(entryOf(row));
      bytes += row.value.length;
      last = row;
    }
    return { entries, next: undefined };
  }

  length(log: string): number {
    return this.#logs.get(log)?.values.length ?? 0;
  }

  pull(name: string, from: number, limit: number, maxBytes: number): Tail {
    const log = this.#logs.get(name);
    const records: LogRecord[] = [];
    let bytes = 0;
    for (let position = from; records.length < limit && bytes <= maxBytes; position += 1) {
      const value = log?.values[position];
      if (value === undefined) break;
      records.push({ position, value: new Uint8Array(value) });
      bytes += value.length;
    }
    return { id: log?.id, records };
  }

  /** Checks all conditions first and then writes, in one turn: nothing has to be undone, and nobody sees half of it. */
  transact(operations: readonly Operation[]): TransactResult {
    const now = this.#now();
    const conflict = this.#findConflict(operations, now);
    if (conflict !== undefined) return conflict;
    return { ok: true, results: operations.map((operation) => this.#apply(operation, now)) };
  }

  /** Nothing is kept in order for it: it is asked for seldom. */
  inventory(of: InventoryPart, after: string, limit: number): readonly string[] {
    const named = of === 'logs' ? this.#logs : this.#tallies;
    const names = of === 'spaces' ? this.#usedSpaces() : [...named.keys()];
    return names
      .filter((name) => compareCodePoints(name, after) > 0)
      .sort(compareCodePoints)
      .slice(0, limit);
  }

  tally(name: string): Tally {
    return this.#tallies.get(name) ?? NO_TALLY;
  }

  purge(before: number): PurgeBatch {
    const moment = Math.min(before, this.#now());
    for (let removed = 0; removed < PURGE_BATCH; removed += 1) {
      const row = this.#expiry.pop(moment);
      if (row === undefined) return { removed, isLast: true };
      row.space.remove(row);
    }
    return { removed: PURGE_BATCH, isLast: false };
  }

  close(): void {
    this.#spaces.clear();
    this.#logs.clear();
    this.#tallies.clear();
  }

  #usedSpaces(): string[] {
    return [...this.#spaces].flatMap(([name, space]) => (space.size === 0 ? [] : [name]));
  }

  #live(space: string, key: string, now: number): Row | undefined {
    const row = this.#spaces.get(space)?.find(key);
    return row === undefined || hasExpired(row.expiresAt, now) ? undefined : row;
  }

  #findConflict(operations: readonly Operation[], now: number): Conflict | undefined {
    // What the operations so far would have made of the entries, logs and tallies that they name.
    const isOnce = nameOnce(operations);
    const versions = isOnce ? NOTHING : new Map<string, number>();
    const lengths = isOnce ? NOTHING : new Map<string, number>();
    const tallies = isOnce ? NOTHING : new Map<string, Tally>();
    let unwritten = this.#sequence;
    for (const [failed, operation] of operations.entries()) {
      if (operation.type === 'append') {
        const found = lengths.get(operation.log) ?? this.length(operation.log);
        if (found !== (operation.ifLength ?? found)) return { ok: false, failed, found };
        lengths.set(operation.log, found + operation.values.length);
      } else if (operation.type === 'drop') {
        lengths.set(operation.log, 0);
      } else if (operation.type === 'tally') {
        const found = tallies.get(operation.name) ?? this.tally(operation.name);
        if (isRefused(found, operation)) return { ok: false, failed, found: found.count };
        tallies.set(operation.name, tallyAfter(found, operation));
      } else {
        const name = `${operation.space.length}:${operation.space}${operation.key}`;
        const found =
          versions.get(name) ?? this.#live(operation.space, operation.key, now)?.version ?? 0;
        const wanted = operation.type === 'add' ? 0 : operation.ifVersion;
        if (found !== (wanted ?? found)) return { ok: false, failed, found };
        if (operation.type === 'delete') versions.set(name, 0);
        else if (operation.type !== 'check') {
          versions.set(name, hasExpired(operation.expiresAt, now) ? 0 : (unwritten += 1));
        }
      }
    }
    return undefined;
  }

  /** Called when every condition holds. */
  #apply(operation: Operation, now: number): number {
    switch (operation.type) {
      case 'add':
      case 'put':
        return this.#write(operation, now);
      case 'delete': {
        const row = this.#live(operation.space, operation.key, now);
        if (row !== undefined) this.#remove(row);
        return row?.version ?? 0;
      }
      case 'check':
        return operation.ifVersion;
      case 'append':
        return this.#append(operation.log, operation.values);
      case 'tally': {
        const after = tallyAfter(this.tally(operation.name), operation);
        if (after.count === 0 && after.sum === 0) this.#tallies.delete(operation.name);
        else this.#tallies.set(operation.name, after);
        return after.count;
      }
      default: {
        const length = this.length(operation.log);
        this.#logs.delete(operation.log);
        return length;
      }
    }
  }

  #write(operation: Extract<Operation, { type: 'add' | 'put' }>, now: number): number {
    const { key, value, expiresAt, rank = NO_RANK } = operation;
    const index = operation.index!;
    let space = this.#spaces.get(operation.space);
    if (space === undefined) this.#spaces.set(operation.space, (space = new MemorySpace()));
    const earlier = space.find(key);
    const version = (this.#sequence += 1);
    const isNew = earlier === undefined || hasExpired(earlier.expiresAt, now);
    if (!isNew && earlier.expiresAt === expiresAt) {
      space.change(earlier, { value, version, index, rank });
      return version;
    }
    const sequence = isNew ? version : earlier.sequence;
    if (earlier !== undefined) this.#remove(earlier);
    const row = { space, key, value, sequence, version, expiresAt, index, rank, isGone: false };
    space.insert(row);
    this.#expiry.push(row);
    return version;
  }

  #remove(row: Row): void {
    row.space.remove(row);
    this.#expiry.noteGone(row);
  }

  #append(name: string, values: readonly Uint8Array[]): number {
    const position = this.length(name);
    if (values.length === 0) return position;
    let log = this.#logs.get(name);
    if (log === undefined) this.#logs.set(name, (log = { id: (this.#sequence += 1), values: [] }));
    for (const value of values) log.values.push(value);
    return position;
  }
}

/** No two of them are about the same. */
function nameOnce(operations: readonly Operation[]): boolean {
  if (operations.length > FEW) return false;
  for (let at = 1; at < operations.length; at += 1) {
    const name = nameIn(operations[at]!);
    for (let before = 0; before < at; before += 1) {
      if (nameIn(operations[before]!) === name) return false;
    }
  }
  return true;
}

/** Different things may have the same: then they are taken for one. */
function nameIn(operation: Operation): string {
  if (operation.type === 'tally') return operation.name;
  return 'log' in operation ? operation.log : operation.key;
}

function entryOf({ key, value, version, expiresAt, index, rank }: Row): Entry {
  return {
    key,
    value: new Uint8Array(value),
    version,
    expiresAt,
    index,
    rank: rank === NO_RANK ? undefined : rank,
  };
}
