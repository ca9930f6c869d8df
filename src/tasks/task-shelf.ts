// Owns tasks in a store: row, log, end and checkpoint of each, changed together or not at all, and followed from any
// generation. Space `task` holds rows, `task-end` the order of ends, `task-checkpoint` what authors keep.

import { decodeUtf8, encodeUtf8 } from '../codec/utf8.ts';
import { writeJson } from '../codec/json-write.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import type { Operation, Page, Store } from '../stores/store.ts';
import { applyEvent } from './task-events.ts';
import type { TaskChange, TaskEvent } from './task-events.ts';
import { decodeEvent, decodeOrigin, encodeEvent, encodeOrigin, objectIn } from './task-record.ts';
import { advanceRow, decodeRow, encodeRow, indexOf, ownerName, taskKey } from './task-row.ts';
import type { TaskPhase, TaskRow } from './task-row.ts';
import { isTerminal } from './task.ts';
import type { Task, TaskScope } from './task.ts';

export interface StoredTask {
  readonly key: string;
  readonly row: TaskRow;
  readonly version: number;
}

/** What an author kept, and where its task stood then. */
export interface Checkpoint {
  readonly value: JsonValue;
  /** How long each artifact was. */
  readonly keep: readonly number[];
  /** How many replies the run had been given. */
  readonly answered: number;
}

/** A change with its place, ready to be written. */
export interface Draft {
  readonly change: TaskChange;
  readonly at: number;
  readonly record: Uint8Array;
}

/** A task that has ended, in the order of ends. */
export interface EndedTask {
  readonly key: string;
  readonly endedAt: number;
}

const PAGE = 200;

export function draftOf(change: TaskChange, at: number): Draft {
  return { change, at, record: encodeEvent(change, at) };
}

/** The row after the drafts, or `undefined` when one of them may not happen. */
export function rowAfter(row: TaskRow, drafts: readonly Draft[]): TaskRow | undefined {
  let next: TaskRow | undefined = row;
  for (const { change, at, record } of drafts) {
    next = next && advanceRow(next, change, at, record.length);
  }
  return next;
}

export function eventsOf(drafts: readonly Draft[], after: number): readonly TaskEvent[] {
  return drafts.map(({ change, at }, index) =>
    Object.freeze({ ...change, generation: after + index + 1, at }),
  );
}

export class TaskShelf {
  readonly store: Store;
  readonly #now: () => number;
  readonly #retentionMs: number;

  constructor(store: Store, now: () => number, retentionMs: number) {
    this.store = store;
    this.#now = now;
    this.#retentionMs = retentionMs;
  }

  /** `undefined` for the task of another owner just as for none, and for one whose time is over. */
  async find(scope: TaskScope, id: string): Promise<StoredTask | undefined> {
    const stored = await this.at(taskKey(scope, id));
    return stored === undefined || this.hasPassed(stored.row) ? undefined : stored;
  }

  async at(key: string): Promise<StoredTask | undefined> {
    const entry = await this.store.get('task', key);
    return entry && { key, row: decodeRow(entry.value), version: entry.version };
  }

  /** It has ended so long ago that it counts as gone. */
  hasPassed({ state, updatedAt }: TaskRow): boolean {
    return isTerminal(state) && updatedAt + this.#retentionMs <= this.#now();
  }

  /** Operations that make the task; the first fails if it is there already. */
  creation(key: string, task: Task, row: TaskRow, drafts: readonly Draft[]): Operation[] {
    const records = [encodeOrigin(task), ...drafts.map(({ record }) => record)];
    const value = encodeRow(row);
    return [
      { type: 'add', space: 'task', key, value, index: indexOf(row) },
      { type: 'append', log: logOf(key), values: records, ifLength: 0 },
    ];
  }

  /** Operations that record the drafts; the first fails if the log has gone on in between. */
  recording(key: string, before: TaskRow, after: TaskRow, drafts: readonly Draft[]): Operation[] {
    const values = drafts.map(({ record }) => record);
    const operations: Operation[] = [
      { type: 'append', log: logOf(key), values, ifLength: before.generation },
      { type: 'put', space: 'task', key, value: encodeRow(after), index: indexOf(after) },
    ];
    if (!isTerminal(after.state)) return operations;
    const endedAt = encodeUtf8(String(after.updatedAt));
    const index = { owner: ownerName(after) };
    operations.push({ type: 'put', space: 'task-end', key, value: endedAt, index });
    if (after.hasCheckpoint) operations.push({ type: 'delete', space: 'task-checkpoint', key });
    return operations;
  }

  /**
   * Records a change of somebody who does not work on the task. `undefined` when the task has changed in between, or
   * does not allow it: look again.
   */
  async intervene(
    { key, row, version }: StoredTask,
    change: TaskChange,
    patch: Partial<TaskRow> = {},
  ): Promise<TaskRow | undefined> {
    const drafts = [draftOf(change, this.#now())];
    const next = rowAfter(row, drafts);
    if (next === undefined) return undefined;
    const after = { ...next, ...patch };
    const done = await this.store.transact([
      { type: 'check', space: 'task', key, ifVersion: version },
      ...this.recording(key, row, after, drafts),
      // Whoever works on a task that has ended can write no more.
      ...(isTerminal(after.state) ? [{ type: 'delete', space: 'task-lease', key } as const] : []),
    ]);
    return done.ok ? after : undefined;
  }

  /** The whole task, from its log. */
  async load(key: string): Promise<Task | undefined> {
    let task: Task | undefined;
    for (let next = 0; ;) {
      const records = await this.store.read(logOf(key), next, PAGE);
      if (records.length === 0) return task && Object.freeze(task);
      for (const record of records) {
        task = applyEvent(task ?? decodeOrigin(record.value), decodeEvent(record));
      }
      next += records.length;
    }
  }

  /** Events after a generation, at most one page. */
  async read(key: string, after: number): Promise<readonly TaskEvent[]> {
    return (await this.store.read(logOf(key), after, PAGE)).map(decodeEvent);
  }

  /**
   * Every event after `after`, then each new one, until the task has ended or its log is gone. With a `signal` it ends
   * when that aborts, once it has caught up. Nothing is queued for a slow reader: it reads the log itself.
   */
  follow(
    key: string,
    after: number,
    signal?: AbortSignal,
    isAllowed: () => Promise<boolean> = async () => true,
  ): AsyncIterable<TaskEvent> {
    return {
      [Symbol.asyncIterator]: () => {
        const stop = new AbortController();
        const events = this.#follow(key, after, stop, signal, isAllowed);
        return {
          next: () => events.next(),
          // A generator alone would answer only after the next event, perhaps never.
          return: () => {
            stop.abort();
            return events.return(undefined);
          },
        };
      },
    };
  }

  async *#follow(
    key: string,
    after: number,
    stop: AbortController,
    signal: AbortSignal | undefined,
    isAllowed: () => Promise<boolean>,
  ): AsyncGenerator<TaskEvent, undefined> {
    const isDue = (): boolean => stop.signal.aborted || signal?.aborted === true;
    const onAbort = (): void => stop.abort();
    signal?.addEventListener('abort', onAbort);
    try {
      if (!(await isAllowed())) return undefined;
      let next = Math.min(after, await this.store.length(logOf(key)));
      for (;;) {
        const wasDue = isDue();
        const events = await this.read(key, next);
        for (const event of events) {
          next = event.generation;
          yield event;
          if (isEnd(event)) return undefined;
        }
        if (events.length > 0) continue;
        if (wasDue) return undefined;
        // A log that has ended grows no more; nor does one that is gone.
        const stored = await this.at(key);
        if (stored === undefined) return undefined;
        if (isTerminal(stored.row.state) && stored.row.generation <= next) return undefined;
        for await (const record of this.store.watch(logOf(key), next, { signal: stop.signal })) {
          const event = decodeEvent(record);
          next = event.generation;
          yield event;
          if (isEnd(event)) return undefined;
        }
        if (!isDue()) return undefined;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Wakes with the generation of each event after `after`, whoever wrote it, until `signal` aborts. */
  async watch(
    key: string,
    after: number,
    signal: AbortSignal,
    onEvent: (generation: number) => void,
  ): Promise<void> {
    for await (const { position } of this.store.watch(logOf(key), after, { signal })) {
      onEvent(position + 1);
    }
  }

  async checkpoint(key: string): Promise<Checkpoint | undefined> {
    const entry = await this.store.get('task-checkpoint', key);
    return entry && (objectIn(entry.value) as unknown as Checkpoint);
  }

  checkpointing(key: string, checkpoint: Checkpoint): Operation {
    const value = writeJson(checkpoint as unknown as JsonObject);
    return { type: 'put', space: 'task-checkpoint', key, value };
  }

  /** One page of the tasks of a phase, the oldest first. */
  async inPhase(phase: TaskPhase, after: string | undefined, limit: number): Promise<TaskPage> {
    return pageOf(await this.store.list('task', { index: { phase }, after, limit }));
  }

  /** The tasks that ended first. */
  async firstEnded(limit: number, owner?: string): Promise<readonly EndedTask[]> {
    const index = owner === undefined ? undefined : { owner };
    const { entries } = await this.store.list('task-end', { index, limit });
    return entries.map(({ key, value }) => ({ key, endedAt: Number(decodeUtf8(value)) }));
  }

  /** Removes all of a task that has ended; one that has not stays. */
  async remove(key: string): Promise<void> {
    const stored = await this.at(key);
    if (stored !== undefined && !isTerminal(stored.row.state)) return;
    await this.store.transact([
      { type: 'delete', space: 'task', key, ifVersion: stored?.version ?? 0 },
      { type: 'delete', space: 'task-end', key },
      { type: 'drop', log: logOf(key) },
    ]);
  }
}

export interface TaskPage {
  readonly tasks: readonly StoredTask[];
  readonly next: string | undefined;
}

export function pageOf({ entries, next }: Page): TaskPage {
  return {
    tasks: entries.map(({ key, value, version }) => ({ key, row: decodeRow(value), version })),
    next,
  };
}

function isEnd(event: TaskEvent): boolean {
  return event.type === 'status' && isTerminal(event.state);
}

function logOf(key: string): string {
  return `task:${key}`;
}
