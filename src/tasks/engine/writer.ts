// Owns what one run writes: in order, under its lease, everything that waits in one transaction. It also notices what
// others write to the task in the meantime: replies and ends.

import { TaskDamage } from '../log/damage.ts';
import type { TaskChange, TaskEvent } from '../events.ts';
import type { Lease, LeaseKeeper } from './lease.ts';
import type { TaskRow } from '../log/row.ts';
import { markRecorded } from './call-author.ts';
import type { Checkpoint, Draft, TaskTable } from '../log/table.ts';
import { draftOf, eventsOf, recordsOf, rowAfter } from '../log/table.ts';
import { isTerminal, isWaiting } from '../task.ts';
import type { SetTimer } from './timer.ts';

export interface TaskWriterOptions {
  readonly key: string;
  /** As it stands when the lease was taken. */
  readonly row: TaskRow;
  readonly lease: Lease;
  readonly table: TaskTable;
  readonly leases: LeaseKeeper;
  readonly now: () => number;
  readonly setTimer: SetTimer;
  /** Told of every change of the row, with the events of others that led to it. */
  readonly onChange: (row: TaskRow, foreign: readonly TaskEvent[]) => void;
  /** Told when nothing more can be written: the task has ended, the lease is lost, or the store failed. */
  readonly onOver: (cause: unknown) => void;
}

interface Pending {
  readonly draft: Draft;
  readonly patch: Partial<TaskRow> | undefined;
  readonly resolve: (event: TaskEvent | undefined) => void;
  readonly reject: (cause: unknown) => void;
}

interface PendingCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** Changes of one transaction. */
const BATCH = 500;

/** Only a longer run watches what others write. A shorter one learns of it from its own next write. */
const FOLLOW_AFTER_MS = 100;

/** An abort reason that nobody reads. Without it, an error with a stack trace would be made for every task. */
const OVER = 'over';

export class TaskWriter {
  readonly #options: TaskWriterOptions;
  readonly #lease: Lease;
  /** Made only when needed, because following means that every written event is read again. */
  #following: AbortController | undefined;
  readonly #callOffFollowing: () => void;
  #row: TaskRow;
  #pending: Pending[] = [];
  #checkpoints: PendingCheckpoint[] = [];
  #seen: number;
  #working: Promise<void> | undefined;
  #isOver = false;

  constructor(options: TaskWriterOptions) {
    this.#options = options;
    this.#row = options.row;
    this.#lease = options.lease;
    this.#seen = options.row.generation;
    this.#callOffFollowing = options.setTimer(() => this.#follow(), FOLLOW_AFTER_MS);
  }

  get row(): TaskRow {
    return this.#row;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get pending(): number {
    return this.#pending.length;
  }

  /** Resolves with the event once it is stored; with `undefined` when the task ended before. */
  write(change: TaskChange, patch?: Partial<TaskRow>): Promise<TaskEvent | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    const draft = draftOf(change, this.#options.now());
    return new Promise((resolve, reject) => {
      this.#pending.push({ draft, patch, resolve, reject });
      this.#work();
    });
  }

  /** Resolves once it, or a later one, is stored with all changes before it. */
  keep(checkpoint: Checkpoint): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#checkpoints.push({ checkpoint, resolve, reject });
      this.#work();
    });
  }

  /** Somebody has written up to this generation. */
  lookFor(generation: number): void {
    this.#seen = Math.max(this.#seen, generation);
    if (this.#seen > this.#row.generation && !this.#isOver) this.#work();
  }

  /** Resolves when all that waited is stored, or cannot be. */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** Gives the task back for somebody else to go on with, and writes no more. */
  async release(): Promise<void> {
    await this.settled();
    if (this.#isOver) return;
    const { table, leases, key } = this.#options;
    const after = { ...this.#row, isReleased: true };
    try {
      const operations = table.recording(key, this.#row, after, []);
      await leases.retry(() => leases.write(this.#lease, operations, true));
    } finally {
      this.#end(undefined);
    }
  }

  /** Writes no more. What waits is not stored. */
  abandon(cause: unknown): void {
    this.#end(cause);
  }

  #follow(): void {
    if (this.#following !== undefined || this.#isOver) return;
    this.#callOffFollowing();
    this.#following = new AbortController();
    const { table, key } = this.#options;
    table
      .watch(key, this.#seen, this.#following.signal, (generation) => this.lookFor(generation))
      // If the log is gone, the next write reports it.
      .catch(() => undefined);
  }

  #work(): void {
    this.#working ??= this.#workOff();
  }

  async #workOff(): Promise<void> {
    const { leases } = this.#options;
    // Reports that are made together are stored together.
    await Promise.resolve();
    try {
      while (!this.#isOver) {
        if (this.#seen > this.#row.generation) await leases.retry(() => this.#readForeign());
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
    const { key, table, leases } = this.#options;
    const batch = this.#nextBatch();
    // A checkpoint covers all reports before it, so it is stored together with the last of them.
    const checkpoints = batch.length === this.#pending.length ? [...this.#checkpoints] : [];
    const kept = checkpoints.at(-1);
    const drafts = batch.map(({ draft }) => draft);
    const next = rowAfter(this.#row, drafts);
    if (next === undefined)
      throw new RangeError(`a task that is ${this.#row.state} refused a change`);
    const hasCheckpoint = next.hasCheckpoint || kept !== undefined;
    const patched = batch.findLast(({ patch }) => patch !== undefined);
    const after: TaskRow = { ...next, hasCheckpoint, ...patched?.patch };
    const isEnd = isTerminal(after.state);
    const operations = [
      ...table.recording(key, this.#row, after, drafts),
      ...(kept !== undefined && !isEnd ? [table.checkpointing(key, kept.checkpoint)] : []),
    ];
    const { done, isRepeat } = await leases.retry(() =>
      leases.write(this.#lease, operations, isEnd),
    );
    if (done === 'lost') {
      this.#end(new Error('the lease of the task is lost'));
      return;
    }
    if (!done.ok && !(isRepeat && (await this.#isStored(drafts)))) {
      if (done.found <= this.#row.generation) throw new Error('the log of the task is gone');
      this.#seen = done.found;
      return;
    }
    this.#pending = this.#pending.slice(batch.length);
    this.#checkpoints = this.#checkpoints.slice(checkpoints.length);
    const events = eventsOf(drafts, this.#row.generation);
    this.#advance(after, []);
    for (const [at, { resolve }] of batch.entries()) resolve(markRecorded(events[at]!));
    for (const { resolve } of checkpoints) resolve();
  }

  /** Whether the drafts are there already: the write was done, and only its answer lost. */
  async #isStored(drafts: readonly Draft[]): Promise<boolean> {
    if (drafts.length === 0) return false;
    const { key, table, leases } = this.#options;
    const look = (): Promise<boolean> => table.holds(key, this.#row.generation, recordsOf(drafts));
    return (await leases.retry(look)).done;
  }

  /** Nothing follows an end: what was reported after it has no place. */
  #nextBatch(): readonly Pending[] {
    const batch = this.#pending.slice(0, BATCH);
    const end = batch.findIndex(({ draft }) => endsTask(draft.change));
    return end < 0 ? batch : batch.slice(0, end + 1);
  }

  async #readForeign(): Promise<void> {
    const { table, key } = this.#options;
    const stored = await table.at(key);
    if (stored === undefined) throw new Error('the task is gone');
    const { row } = stored;
    if (row.generation < this.#seen) throw new TaskDamage(key);
    const events: TaskEvent[] = [];
    for (let next = this.#row.generation; next < row.generation;) {
      const page = await table.read(key, next);
      if (page.length === 0) throw new TaskDamage(key);
      events.push(...page.filter(({ generation }) => generation <= row.generation));
      next += page.length;
    }
    const isTaken = events.some((event) => event.type === 'status' && event.state === 'working');
    if (isTaken) throw new Error('somebody else works on the task');
    this.#advance(row, events);
  }

  #advance(row: TaskRow, foreign: readonly TaskEvent[]): void {
    this.#row = row;
    this.#seen = Math.max(this.#seen, row.generation);
    this.#options.onChange(row, foreign);
    if (isTerminal(row.state)) this.#end(undefined);
    else if (isWaiting(row.state)) this.#follow();
  }

  #end(cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#callOffFollowing();
    this.#following?.abort(OVER);
    this.#options.leases.drop(this.#lease);
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

function endsTask(change: TaskChange): boolean {
  return change.type === 'status' && isTerminal(change.state);
}
