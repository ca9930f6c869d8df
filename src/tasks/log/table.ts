// Owns tasks in a store. The row, log and checkpoint of a task change together or not at all, and only if the row still
// has the version that was read. The space `task` holds the rows, `task-checkpoint` what authors keep, `task-hook` hooks,
// `task-carrier` who carries it.

import { equalBytes } from '../../crypto/bytes.ts';
import type { LogRecord, Operation, Page, Store, TransactResult } from '../../stores/store.ts';
import type { TaskChange, TaskEvent } from '../event.ts';
import { placeEvent } from '../event.ts';
import type { TaskOrigin, TaskScope } from '../task.ts';
import { isTerminal } from '../task.ts';
import { droppingCarriers } from './carriers.ts';
import { HOOK_SPACE } from './hooks.ts';
import { encodeEvent, encodeOrigin } from './record.ts';
import { decodeRow, encodeRow, indexOf, taskKey } from './row.ts';
import type { TaskPhase, TaskRow } from './row.ts';

export interface StoredTask {
  readonly key: string;
  readonly row: TaskRow;
  readonly version: number;
}

/** A change with its moment, ready to be written. */
export interface Draft {
  readonly change: TaskChange;
  readonly at: number;
  readonly record: Uint8Array;
}

const PAGE = 200;
const GIVEN = { isGiven: true } as const;

export function draftOf(change: TaskChange, at: number): Draft {
  return { change, at, record: encodeEvent(change, at) };
}

/** The draft that makes a task. */
export function firstDraft(origin: TaskOrigin, made: string): Draft {
  const { createdAt } = origin;
  return {
    change: { type: 'status', status: { state: 'submitted' } },
    at: createdAt,
    record: encodeOrigin(origin, made),
  };
}

export function recordsOf(drafts: readonly Draft[]): readonly Uint8Array[] {
  return drafts.map(({ record }) => record);
}

export function eventsOf(drafts: readonly Draft[], after: number): readonly TaskEvent[] {
  return drafts.map(({ change, at }, index) => placeEvent(change, after + index + 1, at));
}

export class TaskTable {
  readonly store: Store;
  readonly now: () => number;
  readonly #retentionMs: number;

  constructor(store: Store, now: () => number, retentionMs: number) {
    this.store = store;
    this.now = now;
    this.#retentionMs = retentionMs;
  }

  /** What is written of a task is made for that, and nobody changes it. */
  transact(operations: readonly Operation[]): Promise<TransactResult> {
    return this.store.transact(operations, GIVEN);
  }

  /** `undefined` if there is no such task, if it belongs to another owner, or if its time is over. */
  async find(scope: TaskScope, id: string): Promise<StoredTask | undefined> {
    const stored = await this.at(taskKey(scope, id));
    return stored === undefined || this.hasPassed(stored.row) ? undefined : stored;
  }

  async at(key: string): Promise<StoredTask | undefined> {
    const entry = await this.store.get('task', key);
    return entry && { key, row: decodeRow(entry.value), version: entry.version };
  }

  /** It has ended so long ago that it counts as gone. */
  hasPassed({ state, at, isUntold }: TaskRow): boolean {
    return isUntold === true || (isTerminal(state) && at <= this.horizon);
  }

  /** What ended then or before counts as gone. */
  get horizon(): number {
    return this.now() - this.#retentionMs;
  }

  /** Operations that make the task; the first fails if it is there already. */
  creation(key: string, row: TaskRow, drafts: readonly Draft[]): Operation[] {
    const entry = { value: encodeRow(row), index: indexOf(row), rank: row.at };
    return [
      { type: 'add', space: 'task', key, ...entry },
      { type: 'append', log: logOf(key), values: recordsOf(drafts), ifLength: 0 },
    ];
  }

  /**
   * Operations that record the drafts; the first fails if the task has changed since it was read, the second only if
   * its row and its log disagree.
   */
  recording(before: StoredTask, after: TaskRow, drafts: readonly Draft[]): Operation[] {
    const { key, row, version } = before;
    const entry = { value: encodeRow(after), index: indexOf(after), rank: after.at };
    const operations: Operation[] = [
      { type: 'put', space: 'task', key, ...entry, ifVersion: version },
      {
        type: 'append',
        log: logOf(key),
        values: recordsOf(drafts),
        ifLength: row.generation,
      },
    ];
    if (after.hasCheckpoint === true && isTerminal(after.state)) {
      operations.push({ type: 'delete', space: 'task-checkpoint', key });
    }
    return operations;
  }

  /** Operations that leave nothing of the task; the first fails if it has changed since it was read. */
  removal({ key, row, version }: StoredTask): Operation[] {
    return [
      { type: 'delete', space: 'task', key, ifVersion: version },
      { type: 'drop', log: logOf(key) },
      ...(row.hasCheckpoint === true
        ? [{ type: 'delete', space: 'task-checkpoint', key } as const]
        : []),
      ...(row.hooks === undefined ? [] : [{ type: 'delete', space: HOOK_SPACE, key } as const]),
      ...droppingCarriers(row),
    ];
  }

  /** Whether the log goes on from there with exactly these records. */
  async holds(key: string, from: number, values: readonly Uint8Array[]): Promise<boolean> {
    for (let at = 0; at < values.length;) {
      const records = await this.store.read(logOf(key), from + at, PAGE);
      const wanted = values.slice(at, at + records.length);
      if (
        records.length === 0 ||
        !wanted.every((value, of) => equalBytes(value, records[of]!.value))
      )
        return false;
      at += wanted.length;
    }
    return true;
  }

  /** Records after a generation, at most one page. */
  read(key: string, after: number, limit: number = PAGE): Promise<readonly LogRecord[]> {
    return this.store.read(logOf(key), after, limit);
  }

  /** Every record after a generation, no matter who wrote it, until the log is gone or nobody asks any more. */
  watch(key: string, after: number): AsyncIterator<LogRecord> {
    return this.store.watch(logOf(key), after)[Symbol.asyncIterator]();
  }

  async checkpoint(key: string): Promise<Uint8Array | undefined> {
    return (await this.store.get('task-checkpoint', key))?.value;
  }

  checkpointing(key: string, value: Uint8Array): Operation {
    return { type: 'put', space: 'task-checkpoint', key, value };
  }

  /** One page of the tasks in a phase, the oldest first. */
  async inPhase(phase: TaskPhase, after: string | undefined, limit: number): Promise<TaskRows> {
    return rowsOf(await this.store.list('task', { index: { phase }, after, limit }));
  }

  /** Those that ended first: of everybody in a phase, or of one owner. */
  async firstEnded(
    index: { readonly phase: TaskPhase } | { readonly ended: string } | { readonly untold: string },
    limit: number,
    after?: string,
  ): Promise<TaskRows> {
    return rowsOf(await this.store.list('task', { index, limit, after, order: 'lowest' }));
  }
}

export interface TaskRows {
  readonly tasks: readonly StoredTask[];
  readonly next: string | undefined;
}

export function rowsOf({ entries, next }: Page): TaskRows {
  return {
    tasks: entries.map(({ key, value, version }) => ({ key, row: decodeRow(value), version })),
    next,
  };
}

function logOf(key: string): string {
  return `task:${key}`;
}
