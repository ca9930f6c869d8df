// Owns what one run writes: in order, everything that waits in one transaction, and only while it holds its task: each
// write depends on the version of the row that it knows. It also notices what others write: messages and ends.

import type { LogRecord, Operation } from '../../stores/store.ts';
import { TaskError } from '../error.ts';
import type { TaskChange, TaskEvent } from '../event.ts';
import { TaskDamage } from '../log/damage.ts';
import type { TaskFeed } from '../log/feed.ts';
import { decodeEvent } from '../log/record.ts';
import type { TaskRow } from '../log/row.ts';
import { rowAfter } from '../log/row.ts';
import type { Draft, StoredTask, TaskTable } from '../log/table.ts';
import { draftOf, eventsOf, recordsOf } from '../log/table.ts';
import { isTerminal, isWaiting } from '../task.ts';
import type { HeldTask, Holding } from './holding.ts';
import type { Shares } from './shares.ts';

export interface TaskWriterOptions {
  /** As it stands when the task was taken. */
  readonly stored: StoredTask;
  readonly table: TaskTable;
  readonly feed: TaskFeed;
  readonly holding: Holding;
  readonly shares: Shares;
  readonly now: () => number;
  /** What goes with the end of a task. */
  readonly ending: (key: string, row: TaskRow) => readonly Operation[];
  /** Told of every change of the row, with the events of others that led to it. */
  readonly onChange: (row: TaskRow, foreign: readonly TaskEvent[]) => void;
  /** Told when nothing more can be written: the task has ended or is lost, or the store failed. */
  readonly onOver: (cause: unknown) => void;
}

interface Pending {
  draft: Draft;
  readonly patch: Partial<TaskRow> | undefined;
  readonly resolve: (event: TaskEvent | undefined) => void;
  readonly reject: (cause: unknown) => void;
}

interface PendingCheckpoint {
  readonly value: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** Changes of one transaction. */
const BATCH = 500;
/** For so many turns a report that nobody waits for is held back: what comes next may go with it. */
const PATIENT_TURNS = 12;

export class TaskWriter implements HeldTask {
  readonly #options: TaskWriterOptions;
  #stored: StoredTask;
  #pending: Pending[] = [];
  #checkpoints: PendingCheckpoint[] = [];
  #seen: number;
  #isStale = false;
  #isUrgent = false;
  #working: Promise<void> | undefined;
  #renewing: Promise<unknown> | undefined;
  /** Made only when needed, because following means that every written event is read again. */
  #following: AsyncIterator<LogRecord> | undefined;
  #isOver = false;
  #wroteAt = 0;

  constructor(options: TaskWriterOptions) {
    this.#options = options;
    this.#stored = options.stored;
    this.#seen = options.stored.row.generation;
    options.holding.add(this);
  }

  get key(): string {
    return this.#stored.key;
  }

  get row(): TaskRow {
    return this.#stored.row;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** When it last wrote, and so knew of all that others had written. */
  get wroteAt(): number {
    return this.#wroteAt;
  }

  get pending(): number {
    return this.#pending.length;
  }

  get idle(): StoredTask | undefined {
    return this.#working === undefined && !this.#isOver ? this.#stored : undefined;
  }

  pauseFor(renewing: Promise<unknown>): void {
    this.#renewing = renewing;
    const over = (): void => {
      if (this.#renewing === renewing) this.#renewing = undefined;
    };
    renewing.then(over, over);
  }

  renewed(stored: StoredTask): void {
    this.#stored = stored;
  }

  lookAgain(): void {
    this.#isStale = true;
    // What waits for the renewal must not be waited for by it.
    if (!this.#isOver) this.#work();
  }

  /**
   * Resolves with the event once it is stored; with `undefined` when the task ended before.
   * @param isPatient nobody waits for it: it may be stored with what comes next.
   */
  write(
    change: TaskChange,
    patch?: Partial<TaskRow>,
    isPatient = false,
  ): Promise<TaskEvent | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    const draft = draftOf(change, this.#options.now());
    return new Promise((resolve, reject) => {
      this.#pending.push({ draft, patch, resolve, reject });
      this.#work(isPatient);
    });
  }

  /** Resolves once it, or a later one, is stored with all changes before it. */
  keep(value: Uint8Array): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#checkpoints.push({ value, resolve, reject });
      this.#work();
    });
  }

  /** Somebody has written up to this generation. */
  lookFor(generation: number): void {
    this.#seen = Math.max(this.#seen, generation);
    if (this.#seen > this.row.generation && !this.#isOver) this.#work();
  }

  /** Resolves when all that waited is stored, or cannot be. */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** Gives the task back for somebody else to go on with, and writes no more. */
  async release(): Promise<void> {
    await this.settled();
    await this.#renewing?.catch(() => undefined);
    try {
      while (!this.#isOver) {
        const { table, holding } = this.#options;
        const after: TaskRow = { ...this.row, isReleased: true, holder: undefined };
        const operations = table.recording(this.#stored, after, []);
        const { done, isRepeat } = await holding.retry(() => table.transact(operations));
        if (done.ok) break;
        const stored = await table.at(this.#stored.key);
        if (isRepeat && stored?.row.holder === undefined) break;
        await this.#look([], false);
      }
    } catch (cause) {
      this.#end(cause);
    } finally {
      this.#end(undefined);
    }
  }

  /** Writes no more. What waits is not stored. */
  abandon(cause: unknown): void {
    this.#end(cause);
  }

  /** From now on it hears what others write without writing itself. */
  follow(): void {
    if (this.#following !== undefined || this.#isOver) return;
    const { table } = this.#options;
    const records = table.watch(this.#stored.key, this.#seen);
    this.#following = records;
    // If the log is gone, the next write reports it.
    void this.#hear(records).catch(() => undefined);
  }

  async #hear(records: AsyncIterator<LogRecord>): Promise<void> {
    while (!this.#isOver) {
      const step = await records.next();
      if (step.done === true) return;
      this.lookFor(step.value.position + 1);
    }
  }

  #work(isPatient = false): void {
    if (!isPatient) this.#isUrgent = true;
    this.#working ??= this.#workOff();
  }

  async #workOff(): Promise<void> {
    try {
      // Reports that are made together are stored together.
      for (let turn = 0; turn < PATIENT_TURNS; turn += 1) {
        await Promise.resolve();
        if (this.#isUrgent) break;
      }
      while (!this.#isOver) {
        this.#isUrgent = false;
        if (this.#renewing !== undefined) await this.#renewing.catch(() => undefined);
        if (this.#isStale || this.#seen > this.row.generation) await this.#look([], false);
        else if (this.#pending.length + this.#checkpoints.length > 0) await this.#commit();
        else return;
      }
    } catch (cause) {
      this.#end(cause);
    } finally {
      // In the same turn as the last check for work: a later write then starts the loop again.
      this.#working = undefined;
    }
  }

  async #commit(): Promise<void> {
    const { table, holding, shares, ending } = this.#options;
    const before = this.#stored;
    const batch = this.#nextBatch();
    // A checkpoint covers all reports before it, so it is stored together with the last of them.
    const checkpoints = batch.length === this.#pending.length ? [...this.#checkpoints] : [];
    const kept = checkpoints.at(-1);
    const drafts = batch.map(({ draft }) => draft);
    const next = rowAfter(before.row, drafts);
    if (next === undefined) {
      throw new RangeError(`a task that is ${before.row.state} refused a change`);
    }
    const isEnd = isTerminal(next.state);
    const patch = batch.findLast((change) => change.patch !== undefined)?.patch;
    const { reserved, operations: reserving } = shares.growth(next, !drafts.some(isOutput));
    const after: TaskRow = Object.assign(next, patch);
    next.reserved = reserved;
    if (kept !== undefined) next.hasCheckpoint = true;
    next.holder = isEnd ? undefined : holding.own;
    const recording = table.recording(before, after, drafts);
    if (kept !== undefined && !isEnd) recording.push(table.checkpointing(before.key, kept.value));
    const operations = [...recording, ...(isEnd ? ending(before.key, after) : []), ...reserving];
    const { done, isRepeat } = await holding.retry(() => table.transact(operations));
    let later: readonly TaskEvent[] = [];
    if (!done.ok) {
      const isVersion = done.failed === 0;
      if (!isVersion && done.failed < operations.length - reserving.length) {
        throw new TaskDamage(before.key);
      }
      if (!isVersion) {
        if (
          !(await shares.makeRoom(
            reserving[done.failed - operations.length + reserving.length]!,
            next,
          ))
        ) {
          this.#refuseOutput();
        }
        return;
      }
      const foreign = await this.#look(drafts, isRepeat);
      if (foreign === undefined) return;
      later = foreign;
    } else {
      this.#stored = { key: before.key, row: after, version: done.results[0]! };
      this.#wroteAt = drafts.at(-1)?.at ?? this.#wroteAt;
    }
    this.#pending = this.#pending.slice(batch.length);
    this.#checkpoints = this.#checkpoints.slice(checkpoints.length);
    const events = eventsOf(drafts, before.row.generation);
    this.#publish(events, after.bytes - before.row.bytes);
    this.#options.onChange(after, []);
    for (const [at, { resolve }] of batch.entries()) resolve(events[at]);
    for (const { resolve } of checkpoints) resolve();
    this.#advance(later);
  }

  /**
   * Looks who holds the task, and what others wrote to it. If the drafts are there already, the write was done and only
   * its answer lost: then it returns what others wrote after them.
   */
  async #look(
    drafts: readonly Draft[],
    isRepeat: boolean,
  ): Promise<readonly TaskEvent[] | undefined> {
    const { table, holding } = this.#options;
    const { key, row, version } = this.#stored;
    const { done: stored } = await holding.retry(() => table.at(key));
    this.#isStale = false;
    if (stored?.row.made !== row.made) throw new Error('the task is gone');
    if (stored.version === version && this.#seen > row.generation) throw new TaskDamage(key);
    const isEnded = isTerminal(stored.row.state);
    if (!isEnded && !(holding.isOwn(stored.row) && stored.row.attempt - row.attempt <= 1)) {
      throw new Error('somebody else works on the task');
    }
    const records = recordsOf(drafts);
    const isDone =
      isRepeat &&
      drafts.length > 0 &&
      (await holding.retry(() => table.holds(key, row.generation, records))).done;
    const foreign = await this.#foreign(row.generation + (isDone ? drafts.length : 0), stored);
    this.#stored = stored;
    if (isDone) return foreign;
    this.#advance(foreign);
    return undefined;
  }

  async #foreign(after: number, { key, row }: StoredTask): Promise<readonly TaskEvent[]> {
    const { table, holding } = this.#options;
    const events: TaskEvent[] = [];
    for (let next = after; next < row.generation;) {
      const from = next;
      const { done: page } = await holding.retry(() => table.read(key, from));
      if (page.length === 0) throw new TaskDamage(key);
      for (const record of page) {
        if (record.position < row.generation) events.push(decodeEvent(record));
      }
      next += page.length;
    }
    return events;
  }

  #publish(events: readonly TaskEvent[], bytes: number): void {
    const { key, row } = this.#stored;
    this.#options.feed.publish(key, row.made, events, bytes);
  }

  /** There is no room for more: what was handed over and is not stored fails the task. */
  #refuseOutput(): void {
    const refused = this.#pending.filter(({ draft }) => isOutput(draft));
    this.#pending = this.#pending.filter(({ draft }) => !isOutput(draft));
    for (const pending of this.#pending) {
      if (!endsTask(pending.draft)) continue;
      const { code, message } = noRoom();
      const status = { state: 'failed', failure: { code, message, retryable: false } } as const;
      pending.draft = draftOf({ type: 'status', status }, pending.draft.at);
    }
    for (const { reject } of refused) reject(noRoom());
  }

  /** Nothing follows an end: what was reported after it has no place. */
  #nextBatch(): readonly Pending[] {
    const batch = this.#pending.slice(0, BATCH);
    const end = batch.findIndex(({ draft }) => endsTask(draft));
    return end < 0 ? batch : batch.slice(0, end + 1);
  }

  #advance(foreign: readonly TaskEvent[]): void {
    const { row } = this.#stored;
    this.#seen = Math.max(this.#seen, row.generation);
    if (foreign.length > 0) {
      this.#publish(foreign, 0);
      this.#options.onChange(row, foreign);
    }
    if (isTerminal(row.state)) this.#end(undefined);
    else if (isWaiting(row.state)) this.follow();
  }

  #end(cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.#following?.return?.()?.catch(() => undefined);
    this.#options.holding.delete(this);
    for (const { resolve, reject } of this.#pending) {
      if (cause === undefined) resolve(undefined);
      else reject(cause);
    }
    for (const { resolve, reject } of this.#checkpoints) {
      if (cause === undefined) resolve();
      else reject(cause);
    }
    this.#pending = [];
    this.#checkpoints = [];
    this.#options.onOver(cause);
  }
}

function endsTask({ change }: Draft): boolean {
  return change.type === 'status' && isTerminal(change.status.state);
}

/** What must not get lost, and is refused when there is no room for it. */
function isOutput({ change }: Draft): boolean {
  if (change.type === 'status') return isWaiting(change.status.state);
  return change.type === 'artifact';
}

function noRoom(): TaskError {
  return new TaskError('the agent holds too much output', { code: 'OUTPUT_TOO_LARGE' });
}
