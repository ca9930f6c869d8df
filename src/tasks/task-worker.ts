// Owns which tasks this engine works on: it waits for a place, takes the lease, calls the author, tries again when an
// error asks for it, and lets go in good order.

import { callAuthor } from './task-run.ts';
import { createTaskContext } from './task-context.ts';
import type { ToolBox } from './task-context.ts';
import type { ResolvedEngineOptions } from './task-engine-options.ts';
import { TaskError } from './task-error.ts';
import { applyEvent } from './task-events.ts';
import type { StatusChange } from './task-events.ts';
import type { LeaseKeeper } from './task-lease.ts';
import { LiveRun, earliest, lateness } from './task-live-run.ts';
import { TaskQueue } from './task-queue.ts';
import type { Place } from './task-queue.ts';
import { ownerName, phaseOf, summaryOf } from './task-row.ts';
import type { TaskRow } from './task-row.ts';
import { draftOf, eventsOf, rowAfter } from './task-shelf.ts';
import type { Checkpoint, StoredTask, TaskShelf } from './task-shelf.ts';
import { isWaiting } from './task.ts';
import type { Task } from './task.ts';

/** A task whose work may begin: the lease is taken and that it begins is stored. */
export interface BegunTask {
  readonly key: string;
  readonly task: Task;
  readonly row: TaskRow;
  readonly leaseVersion: number;
  readonly checkpoint?: Checkpoint | undefined;
  readonly tools: ToolBox;
}

interface LiveTask {
  run?: LiveRun;
  leaveQueue: () => void;
}

export interface TaskWorkerOptions {
  readonly engine: ResolvedEngineOptions;
  readonly shelf: TaskShelf;
  readonly leases: LeaseKeeper;
  readonly charge: (key: string, bytes: number) => boolean;
  /** Told when a run is over. */
  readonly onDone: (key: string, row: TaskRow) => void;
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

  /** The tasks that it works on, or that wait for a place. */
  get keys(): readonly string[] {
    return [...this.#live.keys()];
  }

  has(key: string): boolean {
    return this.#live.has(key);
  }

  /** A place at once, if there is one. */
  tryEnter(owner: string): Place | undefined {
    return this.#queue.tryEnter(owner);
  }

  /** Works on the task when there is a place, unless somebody else does. */
  enqueue({ key, row }: StoredTask, tools?: ToolBox): void {
    if (this.#live.has(key)) return;
    const live: LiveTask = { leaveQueue: () => undefined };
    this.#live.set(key, live);
    live.leaveQueue = this.#queue.enter(ownerName(row), row.priority, (place) => {
      this.#track(key, place, async () => {
        const begun = await this.#begin(key, tools);
        if (begun !== undefined) await this.#work(begun, place, live);
      });
    });
  }

  /** Works on a task that has begun. */
  work(begun: BegunTask, place: Place): void {
    const live: LiveTask = { leaveQueue: () => undefined };
    this.#live.set(begun.key, live);
    this.#track(begun.key, place, () => this.#work(begun, place, live));
  }

  /** Somebody has written up to this generation: learns of it before this resolves. */
  async notice(key: string, { generation, state }: TaskRow): Promise<void> {
    const live = this.#live.get(key);
    await live?.run?.lookFor(generation);
    if (live === undefined || live.run !== undefined || phaseOf(state) !== 'ended') return;
    live.leaveQueue();
    this.#live.delete(key);
  }

  /** That a task begins, with the row and the task as they are then. */
  begin(row: TaskRow, checkpoint?: Checkpoint): { change: StatusChange; patch: Partial<TaskRow> } {
    const { now, maxRunMs } = this.#options.engine;
    const deadline = earliest(now() + maxRunMs, row.latest);
    const attempt = row.attempt + 1;
    const keep = checkpoint?.keep;
    return {
      change: {
        type: 'status',
        state: 'working',
        attempt,
        deadline,
        ...(keep !== undefined && { keep }),
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
    const runs = [...this.#live.values()].flatMap(({ run }) => (run === undefined ? [] : [run]));
    await Promise.allSettled(runs.map((run) => run.release()));
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
    const { engine, shelf, leases } = this.#options;
    for (;;) {
      const stored = await shelf.at(key);
      if (stored === undefined || phaseOf(stored.row.state) !== 'active') return undefined;
      const { row } = stored;
      if (row.latest !== undefined && row.latest <= engine.now()) {
        if ((await shelf.intervene(stored, lateness(row, engine))) !== undefined) {
          return undefined;
        }
        continue;
      }
      const checkpoint = row.hasCheckpoint ? await shelf.checkpoint(key) : undefined;
      const { change, patch } = this.begin(row, checkpoint);
      const drafts = [draftOf(change, engine.now())];
      const after = { ...rowAfter(row, drafts)!, ...patch };
      const before = await shelf.load(key);
      if (before === undefined) return undefined;
      const done = await shelf.store.transact([
        leases.taking(key),
        ...shelf.recording(key, row, after, drafts),
      ]);
      if (done.ok) {
        const task = Object.freeze(applyEvent(before, eventsOf(drafts, row.generation)[0]!));
        const own = tools ?? engine.toolsFor(task);
        return { key, task, row: after, leaseVersion: done.results[0]!, checkpoint, tools: own };
      }
      // Somebody else works on it.
      if (done.failed === 0) return undefined;
    }
  }

  async #work(begun: BegunTask, place: Place, live: LiveTask): Promise<void> {
    const { engine, shelf, leases, onDone } = this.#options;
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
      shelf,
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
    } finally {
      onDone(key, run.row);
    }
  }

  /** One call of the author; the task as it is for the next one, if there is to be one. */
  async #attempt(run: LiveRun, task: Task, tools: ToolBox): Promise<Task | undefined> {
    const { onTask, delegationFor, maxAttempts, retryDelayMs, onError } = this.#options.engine;
    const context = createTaskContext(run, tools, delegationFor(task, run));
    const { change, thrown } = await callAuthor(onTask, task, context);
    if (run.isOver) return undefined;
    if (this.#isReleasing && run.signal.aborted) {
      await run.release();
      return undefined;
    }
    if (thrown !== undefined && !(thrown instanceof TaskError)) onError(thrown, summaryOf(run.row));
    const { failures } = run.row;
    const isRetryable = thrown instanceof TaskError && thrown.retryable;
    if (!isRetryable || failures + 1 >= maxAttempts) {
      await run.end(change);
      return undefined;
    }
    try {
      await run.rest(retryDelayMs * 2 ** failures);
    } catch {
      // Ended meanwhile, or to be given back.
      if (!run.isOver) await run.release();
      return undefined;
    }
    return run.again();
  }
}

/** Attempts of a task that failed, when another one begins. */
export function failuresOf({ attempt, failures, isReleased }: TaskRow): number {
  return attempt === 0 || isReleased ? failures : failures + 1;
}
