// Owns which tasks this engine works on: it waits for a place, takes the lease, calls the author, tries again when an
// error asks for it, and lets go in good order.

import { Attempt } from './attempt.ts';
import { callAuthor } from './call-author.ts';
import { createTaskContext } from '../context.ts';
import type { ToolBox } from '../context.ts';
import type { ResolvedEngineOptions } from './options.ts';
import { TaskDamage } from '../log/damage.ts';
import { TaskError } from '../error.ts';
import { applyEvent } from '../events.ts';
import type { StatusChange } from '../events.ts';
import type { LeaseKeeper } from './lease.ts';
import { LiveRun, earliest, lateness } from './live-run.ts';
import { TaskQueue } from './queue.ts';
import type { Place } from './queue.ts';
import { ownerName, phaseOf, summaryOf } from '../log/row.ts';
import type { TaskRow } from '../log/row.ts';
import { draftOf, eventsOf, recordsOf, rowAfter } from '../log/table.ts';
import type { Checkpoint, StoredTask, TaskTable } from '../log/table.ts';
import { isWaiting } from '../task.ts';
import type { Task } from '../task.ts';

/** A task whose work may begin: the lease is taken and that it begins is stored. */
export interface BegunTask {
  readonly key: string;
  readonly task: Task;
  readonly row: TaskRow;
  readonly leaseVersion: number;
  readonly checkpoint?: Checkpoint | undefined;
  /** Those that it was started with, if it was started here. */
  readonly tools: ToolBox | undefined;
}

interface LiveTask {
  /** As it was when it was put here. */
  readonly row: TaskRow;
  run?: LiveRun;
  leaveQueue: () => void;
}

export interface TaskWorkerOptions {
  readonly engine: ResolvedEngineOptions;
  readonly table: TaskTable;
  readonly leases: LeaseKeeper;
  readonly charge: (key: string, bytes: number) => boolean;
  /** Told when a run is over. */
  readonly onDone: (key: string, row: TaskRow) => void;
  /** Told when there is nothing to do here: the task has ended or gone, or somebody else may have it. */
  readonly onLeft: (key: string, row: TaskRow | undefined) => void;
}

export class TaskWorker {
  readonly #options: TaskWorkerOptions;
  readonly #queue: TaskQueue;
  readonly #live = new Map<string, LiveTask>();
  readonly #running = new Set<Promise<void>>();
  #isReleasing = false;

  constructor(options: TaskWorkerOptions) {
    this.#options = options;
    this.#queue = new TaskQueue(options.engine);
  }

  /** Tasks that wait for a place. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** The same of one owner. */
  waitingOf(owner: string): number {
    return this.#queue.waitingOf(owner);
  }

  /** The tasks that have not begun here. */
  get queued(): readonly string[] {
    return [...this.#live].flatMap(([key, { run }]) => (run === undefined ? [key] : []));
  }

  /** The tasks that it works on, or that wait for a place. */
  get keys(): readonly string[] {
    return [...this.#live.keys()];
  }

  /** The same, as they are now. */
  get live(): readonly TaskRow[] {
    return Array.from(this.#live.values(), ({ row, run }) => run?.row ?? row);
  }

  has(key: string): boolean {
    return this.#live.has(key);
  }

  /** It has begun here, and is not over. */
  isAtWorkOn(key: string): boolean {
    return this.#live.get(key)?.run !== undefined;
  }

  /** A place at once, if there is one. */
  tryEnter(owner: string): Place | undefined {
    return this.#queue.tryEnter(owner);
  }

  /** Works on the task when there is a place, unless somebody else does. */
  enqueue({ key, row }: Pick<StoredTask, 'key' | 'row'>, tools?: ToolBox): void {
    if (this.#live.has(key)) return;
    const live: LiveTask = { row, leaveQueue: () => undefined };
    this.#live.set(key, live);
    live.leaveQueue = this.#queue.enter(ownerName(row), row.priority, (place) => {
      this.#track(key, place, async () => {
        const begun = await this.#begin(key, tools).catch((cause: unknown) => {
          this.#options.onLeft(key, undefined);
          throw cause;
        });
        if (begun !== undefined) await this.#work(begun, place, live);
        else this.#options.onLeft(key, (await this.#options.table.at(key))?.row);
      });
    });
  }

  /** Works on a task that has begun. */
  work(begun: BegunTask, place: Place): void {
    const live: LiveTask = { row: begun.row, leaveQueue: () => undefined };
    this.#live.set(begun.key, live);
    this.#track(begun.key, place, () => this.#work(begun, place, live));
  }

  /** Somebody has written up to this generation: learns of it before this resolves. */
  async notice(key: string, row: TaskRow): Promise<void> {
    const live = this.#live.get(key);
    await live?.run?.lookFor(row.generation);
    if (live === undefined || live.run !== undefined || phaseOf(row.state) !== 'ended') return;
    this.#leave(key, live, row);
  }

  /** Leaves the queue if the task has ended or gone by now, or waits for its owner. */
  async lookAt(key: string): Promise<void> {
    const row = (await this.#options.table.at(key))?.row;
    const live = this.#live.get(key);
    if (live === undefined || live.run !== undefined) return;
    if (row === undefined || phaseOf(row.state) !== 'active') this.#leave(key, live, row);
  }

  /** That a task begins, with the row and the task as they are then. */
  begin(row: TaskRow, checkpoint?: Checkpoint): { change: StatusChange; patch: Partial<TaskRow> } {
    const { now, maxRunMs } = this.#options.engine;
    const deadline = earliest(now() + maxRunMs, row.latest);
    const attempt = row.attempt + 1;
    const { keep, open } = checkpoint ?? {};
    return {
      change: {
        type: 'status',
        state: 'working',
        attempt,
        deadline,
        ...(keep !== undefined && { keep }),
        ...(open !== undefined && { open }),
      },
      patch: { failures: failuresOf(row), isReleased: false },
    };
  }

  /** Takes no more tasks from its queue; those in it stay with the store. */
  stop(): void {
    this.#queue.stop();
    for (const [key, live] of this.#live) {
      live.leaveQueue();
      if (live.run === undefined) this.#live.delete(key);
    }
  }

  /** Resolves when nothing runs, or after `delayMs`. */
  idleWithin(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#options.engine.setTimer(resolve, delayMs);
      void this.#idle().then(() => {
        callOff();
        resolve();
      });
    });
  }

  /** Tells those that wait for their owner to stop, or all, and gives their tasks back. */
  interrupt(which: 'waiting' | 'all'): void {
    this.#isReleasing = true;
    for (const { run } of this.#live.values()) {
      if (run !== undefined && (which === 'all' || isWaiting(run.row.state))) run.interrupt();
    }
  }

  /** Gives back what did not stop by itself. */
  async releaseAll(): Promise<void> {
    this.#options.leases.hurry();
    const runs = [...this.#live.values()].flatMap(({ run }) => (run === undefined ? [] : [run]));
    await Promise.allSettled(runs.map((run) => run.release()));
  }

  #leave(key: string, live: LiveTask, row: TaskRow | undefined): void {
    live.leaveQueue();
    this.#live.delete(key);
    this.#options.onLeft(key, row);
  }

  async #idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #track(key: string, place: Place, work: () => Promise<void>): void {
    const running = work()
      .catch((cause: unknown) => this.#options.engine.onError(cause))
      .finally(() => {
        this.#live.delete(key);
        this.#running.delete(running);
        place.leave();
      });
    this.#running.add(running);
  }

  /** Takes the lease and stores that work begins; `undefined` when there is nothing to do here. */
  async #begin(key: string, tools: ToolBox | undefined): Promise<BegunTask | undefined> {
    const { engine, table, leases } = this.#options;
    for (let refused = 0; ;) {
      const stored = await table.at(key);
      if (stored === undefined || phaseOf(stored.row.state) !== 'active') return undefined;
      // Rows and logs change together. This row has not changed and yet does not match its log: the task is damaged.
      if (stored.version === refused) throw new TaskDamage(key);
      const { row } = stored;
      if (row.latest !== undefined && row.latest <= engine.now()) {
        if ((await table.intervene(stored, lateness(row, engine))) !== undefined) {
          return undefined;
        }
        continue;
      }
      const checkpoint = row.hasCheckpoint ? await table.checkpoint(key) : undefined;
      const { change, patch } = this.begin(row, checkpoint);
      const drafts = [draftOf(change, engine.now())];
      const after = { ...rowAfter(row, drafts)!, ...patch };
      const before = await table.load(key);
      refused = stored.version;
      if (before === undefined) continue;
      const operations = [leases.taking(key), ...table.recording(key, row, after, drafts)];
      const { done, isRepeat } = await leases.retry(() => table.store.transact(operations));
      const leaseVersion = done.ok
        ? done.results[0]
        : isRepeat && (await table.holds(key, row.generation, recordsOf(drafts)))
          ? await leases.ownVersion(key)
          : undefined;
      if (leaseVersion !== undefined) {
        const task = Object.freeze(applyEvent(before, eventsOf(drafts, row.generation)[0]!));
        return { key, task, row: after, leaseVersion, checkpoint, tools };
      }
      // Somebody else works on it.
      if (!done.ok && done.failed === 0) return undefined;
    }
  }

  async #work(begun: BegunTask, place: Place, live: LiveTask): Promise<void> {
    const { engine, table, leases, onDone } = this.#options;
    const { key, row, leaseVersion, checkpoint, tools } = begun;
    const lease = leases.hold(key, leaseVersion, () =>
      run.abandon(new Error('the lease of the task ran out')),
    );
    const charge = (bytes: number): boolean => this.#options.charge(key, bytes);
    const run: LiveRun = new LiveRun({
      key,
      task: begun.task,
      row,
      lease,
      place,
      checkpoint,
      table,
      leases,
      engine,
      charge,
    });
    live.run = run;
    // It may have begun while the engine was told to close.
    if (this.#isReleasing) run.interrupt();
    try {
      for (let task: Task | undefined = begun.task; task !== undefined;) {
        task = await this.#attempt(run, task, tools);
      }
    } catch (cause) {
      if (run.isOver) throw cause;
      // Nobody works on the task any more. If its lease were still renewed, no other engine could take it.
      run.abandon(cause);
    } finally {
      onDone(key, run.row);
    }
  }

  /** Calls the author once. Returns the task for the next attempt, or `undefined` when there is none. */
  async #attempt(run: LiveRun, task: Task, tools: ToolBox | undefined): Promise<Task | undefined> {
    const { onTask, toolsFor, delegationFor, maxAttempts, retryDelayMs, onError } =
      this.#options.engine;
    const attempt = new Attempt(run);
    const { change, thrown, wasStopped } = await callAuthor(onTask, task, () =>
      createTaskContext(attempt, tools ?? toolsFor(task), delegationFor(task, run)),
    );
    attempt.end();
    const isAccident = thrown !== undefined && !(thrown instanceof TaskError);
    if (isAccident && !wasStopped) onError(thrown, summaryOf(run.row));
    if (run.isOver) {
      if (!wasStopped) await run.end(change);
      return undefined;
    }
    if (this.#isReleasing && run.signal.aborted) {
      await run.release();
      return undefined;
    }
    const { failures } = run.row;
    const isRetryable = thrown instanceof TaskError && thrown.retryable;
    if (!isRetryable || failures + 1 >= maxAttempts) {
      await run.end(change);
      return undefined;
    }
    try {
      await run.rest(retryDelayMs * 2 ** failures);
    } catch {
      // The task has ended in the meantime, or the engine closes and gives it back.
      if (!run.isOver) await run.release();
      return undefined;
    }
    return run.again();
  }
}

/** How many attempts have failed, counted when the next one begins. */
export function failuresOf({ attempt, failures, isReleased }: TaskRow): number {
  return attempt === 0 || isReleased ? failures : failures + 1;
}
