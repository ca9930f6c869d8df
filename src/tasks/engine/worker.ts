// Owns which tasks this engine works on: it makes them, waits for a place, takes them, calls the author, tries again when
// an error asks for it, and lets go in good order.

import { authorTask, createTaskContext } from '../context.ts';
import { TaskError } from '../error.ts';
import type { StatusChange } from '../event.ts';
import { TaskDamage } from '../log/damage.ts';
import type { Folded, FoldedStep } from '../log/fold.ts';
import { foldStep, unfolded } from '../log/fold.ts';
import { ownerName, rowAfter, summaryOf } from '../log/row.ts';
import type { TaskRow } from '../log/row.ts';
import { draftOf, eventsOf, recordsOf } from '../log/table.ts';
import type { Draft, StoredTask } from '../log/table.ts';
import { isResting, isTerminal, isWaiting } from '../task.ts';
import type { Task, TaskOrigin } from '../task.ts';
import { callAuthor } from './author.ts';
import { decodeCheckpoint } from './checkpoint.ts';
import type { Checkpoint } from './checkpoint.ts';
import { TaskQueue } from './queue.ts';
import type { Place, PlaceOwner } from './queue.ts';
import { Run, earliest, lateness } from './run.ts';
import type { RunTools } from './run.ts';

interface LiveTask {
  /** As it was when it was put here. */
  readonly row: TaskRow;
  run?: Run;
  leaveQueue: () => void;
}

/** A task that is held and whose attempt is stored as begun. */
interface BegunTask {
  readonly stored: StoredTask;
  readonly folded: Folded;
  readonly checkpoint?: Checkpoint | undefined;
}

export interface TaskWorkerOptions extends RunTools {
  /** Ends the task from outside, as others do too; false when it has changed meanwhile. */
  readonly intervene: (stored: StoredTask, change: StatusChange) => Promise<boolean>;
}

export const CANCELED: StatusChange = Object.freeze({
  type: 'status',
  status: Object.freeze({ state: 'canceled' }),
});

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

  /** The tasks that it works on, or that wait for a place, as they are now. */
  get live(): ReadonlyMap<string, TaskRow> {
    return new Map(Array.from(this.#live, ([key, { row, run }]) => [key, run?.row ?? row]));
  }

  has(key: string): boolean {
    return this.#live.has(key);
  }

  /** It has begun here, and is not over. */
  isAtWorkOn(key: string): boolean {
    return this.#live.get(key)?.run !== undefined;
  }

  /** A place at once, if there is one. */
  tryEnter(row: TaskRow): Place | undefined {
    return this.#queue.tryEnter(placeOwner(row));
  }

  /** Works on the task when there is a place, unless somebody else does. */
  enqueue({ key, row }: Pick<StoredTask, 'key' | 'row'>): void {
    if (this.#live.has(key)) return;
    const live: LiveTask = { row, leaveQueue: () => undefined };
    this.#live.set(key, live);
    live.leaveQueue = this.#queue.enter(placeOwner(row), row.priority, (place) => {
      this.#track(key, place, async () => {
        const begun = await this.#begin(key);
        if (begun !== undefined) await this.#work(begun, place, live);
      });
    });
  }

  /** Works on a task that was stored as begun. */
  work(stored: StoredTask, folded: Folded, place: Place): void {
    const live: LiveTask = { row: stored.row, leaveQueue: () => undefined };
    this.#live.set(stored.key, live);
    this.#track(stored.key, place, () => this.#work({ stored, folded }, place, live));
  }

  /** Somebody has written up to this generation: learns of it before this resolves. */
  async notice(key: string, row: TaskRow): Promise<void> {
    const live = this.#live.get(key);
    if (live === undefined) return;
    if (live.run !== undefined) await live.run.lookFor(row.generation);
    else if (isTerminal(row.state)) this.#leave(key, live);
  }

  /** Leaves the queue if the task has ended or gone by now, or waits for its owner. */
  async lookAt(key: string): Promise<void> {
    const row = (await this.#options.table.at(key))?.row;
    const live = this.#live.get(key);
    if (live === undefined || live.run !== undefined) return;
    if (row === undefined || isResting(row.state)) this.#leave(key, live);
  }

  /** That an attempt begins. */
  beginning(row: TaskRow, checkpoint?: Checkpoint): StatusChange {
    const { now, maxRunMs } = this.#options.engine;
    return {
      type: 'status',
      status: { state: 'working' },
      attempt: row.attempt + 1,
      deadline: earliest(now() + maxRunMs, row.latest),
      ...(checkpoint !== undefined && { keep: checkpoint.keep }),
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
    this.#options.holding.hurry();
    const runs = [...this.#live.values()].flatMap(({ run }) => (run === undefined ? [] : [run]));
    await Promise.allSettled(runs.map((run) => run.release()));
  }

  #leave(key: string, live: LiveTask): void {
    live.leaveQueue();
    this.#live.delete(key);
  }

  async #idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #track(key: string, place: Place, work: () => Promise<void>): void {
    const running = work()
      .catch((cause: unknown) => this.#options.engine.onError(cause))
      .then(() => {
        this.#live.delete(key);
        this.#running.delete(running);
        place.leave();
      });
    this.#running.add(running);
  }

  /** Takes the task and stores that work begins; `undefined` when there is nothing to do here. */
  async #begin(key: string): Promise<BegunTask | undefined> {
    const { engine, table, feed, holding, intervene } = this.#options;
    for (let refused = 0; ;) {
      const stored = await table.at(key);
      if (stored === undefined || isResting(stored.row.state)) return undefined;
      // Somebody else works on it.
      if (!holding.isFree(stored.row)) return undefined;
      // Rows and logs change together. This row has not changed and yet does not match its log: the task is damaged.
      if (stored.version === refused) throw new TaskDamage(key);
      const { row } = stored;
      if (row.latest !== undefined && row.latest <= engine.now()) {
        if (await intervene(stored, lateness(row, engine))) return undefined;
        continue;
      }
      const before = await feed.load(stored);
      refused = stored.version;
      if (before === undefined) continue;
      if (!engine.isAllowed(before.task)) {
        if (await intervene(stored, CANCELED)) return undefined;
        continue;
      }
      const begun = await this.#take(stored, before);
      if (begun !== undefined) return begun;
    }
  }

  /** `undefined` when the task has changed meanwhile. */
  async #take(stored: StoredTask, before: Folded): Promise<BegunTask | undefined> {
    const { engine, table, feed, holding } = this.#options;
    const { key, row } = stored;
    const kept = row.hasCheckpoint === true ? await table.checkpoint(key) : undefined;
    const checkpoint = kept && decodeCheckpoint(kept, before.task);
    const drafts = [draftOf(this.beginning(row, checkpoint), engine.now())];
    const after: TaskRow = {
      ...rowAfter(row, drafts)!,
      // That of a task of an earlier version stands only in its log.
      authority: before.task.authority,
      failures: failuresOf(row),
      isReleased: undefined,
      holder: holding.own,
    };
    const operations = table.recording(stored, after, drafts);
    const { done, isRepeat } = await holding.retry(() => table.transact(operations));
    if (!done.ok && done.failed > 0) throw new TaskDamage(key);
    let { version } = stored;
    if (done.ok) {
      version = done.results[0]!;
    } else {
      const found = isRepeat ? await table.at(key) : undefined;
      const isDone =
        found !== undefined &&
        holding.isOwn(found.row) &&
        found.row.generation === after.generation &&
        (await table.holds(key, row.generation, recordsOf(drafts)));
      if (!isDone) return undefined;
      version = found.version;
    }
    const { folded, steps } = foldAll(before, drafts, row.generation);
    feed.publish(
      key,
      row.made,
      steps.map(({ step }) => step.event ?? eventsOf(drafts, row.generation)[0]!),
      folded.bytes - before.bytes,
    );
    this.#options.hooks.notice(key, after);
    return { stored: { key, row: after, version }, folded, checkpoint };
  }

  async #work(begun: BegunTask, place: Place, live: LiveTask): Promise<void> {
    const { feed } = this.#options;
    const { stored, checkpoint } = begun;
    const { key } = stored;
    feed.hold(key, begun.folded);
    const run = new Run(this.#options, stored, place, checkpoint);
    live.run = run;
    // It may have begun while the engine was told to close.
    if (this.#isReleasing) run.interrupt();
    try {
      for (let folded: Folded | undefined = begun.folded; folded !== undefined;) {
        folded = await this.#attempt(run, folded);
      }
    } catch (cause) {
      if (run.isOver) throw cause;
      // Nobody works on the task any more. If it were still held, no other engine could take it.
      run.abandon(cause);
    } finally {
      feed.letGo(key);
    }
  }

  /** Calls the author once. Returns the task for the next attempt, or `undefined` when there is none. */
  async #attempt(run: Run, folded: Folded): Promise<Folded | undefined> {
    const { onTask, maxAttempts, retryDelayMs, onError } = this.#options.engine;
    const { task } = folded;
    const attempt = run.begin(folded);
    const { change, thrown, wasStopped } = await callAuthor(onTask, authorTask(task), {
      context: () => this.#contextFor(task, attempt),
      artifacts: task.artifacts,
      isStopped: () => run.isStopped,
      output: (input) => attempt.output(input),
    });
    attempt.end();
    const isAccident = thrown !== undefined && !(thrown instanceof TaskError);
    if (isAccident && !wasStopped) onError(thrown, summaryOf(run.row));
    if (run.isOver) {
      if (!wasStopped) await run.end(change);
      return undefined;
    }
    if (this.#isReleasing && run.isStopped) {
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
      await run.pause(retryDelayMs * 2 ** failures);
    } catch {
      // The task has ended in the meantime, or the engine closes and gives it back.
      if (!run.isOver) await run.release();
      return undefined;
    }
    return this.#again(run, task);
  }

  async #again(run: Run, task: Task): Promise<Folded | undefined> {
    if (this.#options.engine.isAllowed(task)) return run.again();
    await run.end(CANCELED);
    return undefined;
  }

  #contextFor(task: Task, attempt: ReturnType<Run['begin']>): ReturnType<typeof createTaskContext> {
    const { toolsFor, delegationFor } = this.#options.engine;
    return createTaskContext(attempt, toolsFor(task), delegationFor(task, attempt));
  }
}

/** The task after the drafts, and the steps that led there. */
export function foldAll(
  before: Folded,
  drafts: readonly Draft[],
  after: number,
): { readonly folded: Folded; readonly steps: readonly FoldedStep[] } {
  let folded = before;
  const steps: FoldedStep[] = [];
  for (const [at, event] of eventsOf(drafts, after).entries()) {
    const step = foldStep(folded, event, drafts[at]!.record.length);
    folded = step.folded;
    steps.push(step);
  }
  return { folded, steps };
}

/** A task that is about to be made. */
export function newFolded(origin: TaskOrigin, made: string): Folded {
  return unfolded({ origin, made });
}

/** How many attempts have failed, counted when the next one begins. */
export function failuresOf({ attempt, failures, isReleased }: TaskRow): number {
  return attempt === 0 || isReleased === true ? failures : failures + 1;
}

function placeOwner(row: TaskRow): PlaceOwner {
  return { owner: ownerName(row), share: row.share ?? 'known' };
}
