// Owns tasks in a store. The row, log, end and checkpoint of a task change together or not at all. The space `task`
// holds the rows, `task-end` the order of ends, `task-checkpoint` what authors keep, and `task-parts` the ended tasks
// with parts that other agents may still work on.

import { decodeUtf8, encodeUtf8 } from '../../codec/utf8.ts';
import { writeJson } from '../../codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { equalBytes } from '../../crypto/bytes.ts';
import type { Operation, Page, Store } from '../../stores/store.ts';
import { TaskDamage } from './damage.ts';
import { applyEvent } from '../events.ts';
import type { TaskChange, TaskEvent } from '../events.ts';
import { followTask } from './follower.ts';
import { decodeEvent, decodeOrigin, encodeEvent, encodeOrigin, objectIn } from './record.ts';
import { advanceRow, decodeRow, encodeRow, indexOf, ownerName, taskKey } from './row.ts';
import type { TaskPhase, TaskRow } from './row.ts';
import { isTerminal } from '../task.ts';
import type { Task, TaskScope } from '../task.ts';

/** Holds the ended tasks that other agents must still be told about, with the time of each end. */
export const PARTS_SPACE = 'task-parts';

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
  /** Which of them had not ended. @default none, as those that earlier versions kept */
  readonly open?: readonly number[];
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
interface EndedTask {
  readonly key: string;
  readonly endedAt: number;
}

const PAGE = 200;

export function draftOf(change: TaskChange, at: number): Draft {
  return { change, at, record: encodeEvent(change, at) };
}

export function recordsOf(drafts: readonly Draft[]): readonly Uint8Array[] {
  return drafts.map(({ record }) => record);
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

export class TaskTable {
  readonly store: Store;
  readonly #now: () => number;
  readonly #retentionMs: number;
  readonly #onEnded: (key: string, row: TaskRow) => void;
  #watchers = 0;

  /** @param onEnded called for every task that was ended from outside, not by the run that works on it. */
  constructor(
    store: Store,
    now: () => number,
    retentionMs: number,
    onEnded: (key: string, row: TaskRow) => void = () => undefined,
  ) {
    this.store = store;
    this.#now = now;
    this.#retentionMs = retentionMs;
    this.#onEnded = onEnded;
  }

  /** Who follows a task through it now. */
  get watchers(): number {
    return this.#watchers;
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
  hasPassed({ state, updatedAt }: TaskRow): boolean {
    return isTerminal(state) && updatedAt + this.#retentionMs <= this.#now();
  }

  /** Operations that make the task; the first fails if it is there already. */
  creation(key: string, task: Task, row: TaskRow, drafts: readonly Draft[]): Operation[] {
    const values = firstRecords(task, drafts);
    const value = encodeRow(row);
    return [
      { type: 'add', space: 'task', key, value, index: indexOf(row) },
      { type: 'append', log: logOf(key), values, ifLength: 0 },
    ];
  }

  /** Whether the stored task is the one that these drafts make, not one that somebody else made under the same id. */
  isCreated(key: string, task: Task, drafts: readonly Draft[]): Promise<boolean> {
    return this.holds(key, 0, firstRecords(task, drafts));
  }

  /** Operations that record the drafts; the first fails if the log has gone on in between. */
  recording(key: string, before: TaskRow, after: TaskRow, drafts: readonly Draft[]): Operation[] {
    const operations: Operation[] = [
      {
        type: 'append',
        log: logOf(key),
        values: recordsOf(drafts),
        ifLength: before.generation,
      },
      { type: 'put', space: 'task', key, value: encodeRow(after), index: indexOf(after) },
    ];
    if (!isTerminal(after.state)) return operations;
    const endedAt = encodeUtf8(String(after.updatedAt));
    const index = { owner: ownerName(after) };
    operations.push({ type: 'put', space: 'task-end', key, value: endedAt, index });
    if (after.hasCheckpoint) operations.push({ type: 'delete', space: 'task-checkpoint', key });
    if (after.hasParts) operations.push({ type: 'put', space: PARTS_SPACE, key, value: endedAt });
    return operations;
  }

  /**
   * Records a change that comes from outside the run. `undefined` when the task has changed in between, or
   * does not allow it: look again. Throws {@link TaskDamage}.
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
      // Who works on a task that has ended can write no more.
      ...(isTerminal(after.state) ? [{ type: 'delete', space: 'task-lease', key } as const] : []),
    ]);
    if (!done.ok) {
      // The row has not changed since it was read, so its log cannot have grown: the two disagree.
      if (done.failed > 0) throw new TaskDamage(key);
      return undefined;
    }
    if (isTerminal(after.state)) this.#onEnded(key, after);
    return after;
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
   * @param mayFollow asked of the task as it is found; nothing is told of one that may not be followed.
   */
  follow(
    key: string,
    after: number,
    signal?: AbortSignal,
    mayFollow: (row: TaskRow) => boolean = () => true,
  ): AsyncIterable<TaskEvent> {
    const find = async (): Promise<TaskRow | undefined> => {
      const row = (await this.at(key))?.row;
      return row !== undefined && mayFollow(row) ? row : undefined;
    };
    const count = (by: 1 | -1): void => {
      this.#watchers += by;
    };
    return followTask({ store: this.store, log: logOf(key), find, count }, after, signal);
  }

  /** Wakes with the generation of each event after `after`, no matter who wrote it, until `signal` aborts. */
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

  /** One page of the tasks that have ended, those that ended first. */
  async firstEnded(limit: number, { owner, after }: EndedOptions = {}): Promise<EndedPage> {
    const index = owner === undefined ? undefined : { owner };
    const { entries, next } = await this.store.list('task-end', { index, after, limit });
    return {
      tasks: entries.map(({ key, value }) => ({ key, endedAt: Number(decodeUtf8(value)) })),
      next,
    };
  }

  async hasEnd(key: string): Promise<boolean> {
    return (await this.store.get('task-end', key)) !== undefined;
  }

  /** Removes those of the tasks that have ended, in one transaction. Returns the others, which stay. */
  async remove(keys: readonly string[]): Promise<readonly string[]> {
    for (;;) {
      const found = await Promise.all(keys.map((key) => this.at(key)));
      const operations = keys.flatMap((key, index): Operation[] => {
        const stored = found[index];
        if (stored !== undefined && !isTerminal(stored.row.state)) return [];
        return [
          { type: 'delete', space: 'task', key, ifVersion: stored?.version ?? 0 },
          { type: 'delete', space: 'task-end', key },
          { type: 'drop', log: logOf(key) },
        ];
      });
      // It fails when somebody else has removed one of them meanwhile.
      if (operations.length === 0 || (await this.store.transact(operations)).ok) {
        return keys.filter((_key, at) => found[at] && !isTerminal(found[at].row.state));
      }
    }
  }
}

export interface EndedOptions {
  /** @default of all */
  readonly owner?: string;
  /** The `next` of an earlier page. @default from the first */
  readonly after?: string | undefined;
}

export interface EndedPage {
  readonly tasks: readonly EndedTask[];
  readonly next: string | undefined;
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

function firstRecords(task: Task, drafts: readonly Draft[]): readonly Uint8Array[] {
  return [encodeOrigin(task), ...recordsOf(drafts)];
}

function logOf(key: string): string {
  return `task:${key}`;
}
