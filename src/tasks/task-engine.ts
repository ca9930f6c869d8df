// Owns running tasks: starting each once, recording what happens, ending it in time. In memory; what it promises
// follows from the event log alone. SPEC.md section 8 (#task-ids, #task-answer).

import { SdlError } from '../errors.ts';
import { EVENT_WEIGHT, recordReport } from './task-report.ts';
import type { HeldTask } from './task-report.ts';
import { TaskBook } from './task-book.ts';
import { createTaskContext } from './task-context.ts';
import type { ToolBox } from './task-context.ts';
import { resolveEngineOptions } from './task-engine-options.ts';
import type { TaskEngineOptions } from './task-engine-options.ts';
import { TaskError } from './task-error.ts';
import type { TaskChange, TaskEvent } from './task-events.ts';
import { TaskLog } from './task-log.ts';
import { TaskQueue } from './task-queue.ts';
import { fingerprintOf } from './task-request.ts';
import { runTask } from './task-run.ts';
import { isTerminal, unstartedTask } from './task.ts';
import type { Task, TaskRequest } from './task.ts';

export interface StartTask {
  /** The authenticated caller. */
  readonly owner: string;
  readonly request: TaskRequest;
  /** For a request that names none. @default a new one */
  readonly id?: string;
  /** @default none */
  readonly tools?: ToolBox;
}

export interface StartedTask {
  readonly task: Task;
  /** False when an equal task of this id was there already. */
  readonly isNew: boolean;
  /** As {@link TaskEngine.events}, of this very task, also when the engine no longer holds it. */
  readonly events: (afterGeneration: number, signal?: AbortSignal) => AsyncIterable<TaskEvent>;
}

export interface TaskEngine {
  /** Throws REPLAYED for a different task of the same owner and id, LIMIT_RATE without room, DRAINING when closing. */
  start(start: StartTask): Promise<StartedTask>;
  /** `undefined` also for the task of another owner. */
  get(owner: string, id: string): Promise<Task | undefined>;
  /**
   * Every event after `afterGeneration` (0: all), then each new one, until the task has ended. With a `signal` it
   * ends when that aborts, once it has caught up. Nothing for a task that the owner does not have.
   */
  events(
    owner: string,
    id: string,
    afterGeneration: number,
    signal?: AbortSignal,
  ): AsyncIterable<TaskEvent>;
  /** Ends the task at once and tells its work to stop; one that has ended stays as it is. */
  cancel(owner: string, id: string): Promise<Task | undefined>;
  /** Takes no new tasks, lets the others go on for `graceMs`, then cancels them and waits until their work has stopped. */
  close(graceMs?: number): Promise<void>;
}

const NO_TOOLS: ToolBox = Object.freeze({
  has: () => false,
  list: () => [],
  call: () => Promise.reject(new TaskError('this agent has no tools')),
});

export function createTaskEngine(engineOptions: TaskEngineOptions): TaskEngine {
  const options = resolveEngineOptions(engineOptions);
  const { now, setTimer } = options;
  const book = new TaskBook<HeldTask>(options, now);
  const queue = new TaskQueue(options);
  const live = new Set<HeldTask>();
  let isClosing = false;

  function hold({ owner, request, id, tools = NO_TOOLS }: StartTask): HeldTask {
    const taskId = request.id ?? id ?? options.newId();
    const { digest, bytes } = fingerprintOf(request);
    const log = new TaskLog(unstartedTask(owner, taskId, request, now()), now);
    return {
      log,
      get task() {
        return log.task;
      },
      fingerprint: digest,
      stop: new AbortController(),
      tools,
      heldBytes: EVENT_WEIGHT + bytes,
      outputBytes: 0,
      leaveQueue: () => undefined,
    };
  }

  async function run(held: HeldTask): Promise<void> {
    held.log.append({ type: 'status', state: 'working' });
    const recorded = new WeakSet<object>();
    const callOff = setTimer(() => {
      const message = `the task ran longer than ${options.maxRunMs} ms`;
      end(held, { type: 'status', state: 'failed', failure: { code: 'DEADLINE', message } });
    }, options.maxRunMs);
    const change = await runTask({
      onTask: options.onTask,
      task: held.task,
      context: createTaskContext({
        signal: held.stop.signal,
        deadline: now() + options.maxRunMs,
        tools: held.tools,
        record: (wanted) => {
          const event = recordReport(held, wanted, book, options);
          if (event !== undefined) recorded.add(event);
          return event;
        },
      }),
      isRecorded: (value) => recorded.has(value),
      onUnexpected: (cause) => {
        // Work that was told to stop may well fail on its way out.
        if (!isTerminal(held.task.state)) options.onError(cause, held.task);
      },
    });
    callOff();
    end(held, change);
  }

  /** The first end counts. */
  function end(held: HeldTask, change: TaskChange): void {
    if (isTerminal(held.task.state)) return;
    held.log.append(change);
    held.leaveQueue();
    live.delete(held);
    book.markEnded(held);
    held.stop.abort(new TaskError(`the task is ${held.task.state}`));
  }

  async function start(wanted: StartTask): Promise<StartedTask> {
    const held = hold(wanted);
    const known = book.find(wanted.owner, held.task.id);
    if (known !== undefined) {
      if (known.fingerprint === held.fingerprint) return startedOf(known, false);
      throw new SdlError('REPLAYED', 'its sender has another task of this id', {
        details: { path: '/context/task/id' },
      });
    }
    if (isClosing) throw new SdlError('DRAINING', 'the task engine is closing');
    book.add(held);
    live.add(held);
    held.log.append({ type: 'status', state: 'submitted' });
    held.leaveQueue = queue.enter(wanted.owner, () => run(held));
    return startedOf(held, true);
  }

  function cancel(held: HeldTask | undefined): Task | undefined {
    if (held !== undefined) end(held, { type: 'status', state: 'canceled' });
    return held?.task;
  }

  /** Until nothing runs, but no longer than `delayMs`. */
  function idleWithin(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = setTimer(resolve, delayMs);
      void queue.idle().then(() => {
        callOff();
        resolve();
      });
    });
  }

  return Object.freeze({
    start,
    get: async (owner: string, id: string) => book.find(owner, id)?.task,
    events: (owner: string, id: string, afterGeneration: number, signal?: AbortSignal) =>
      book.find(owner, id)?.log.follow(afterGeneration, signal) ?? nothing(),
    cancel: async (owner: string, id: string) => cancel(book.find(owner, id)),
    close: async (graceMs = 0) => {
      isClosing = true;
      if (graceMs > 0) await idleWithin(graceMs);
      for (const held of live) cancel(held);
      await idleWithin(options.stopGraceMs);
    },
  });
}

function startedOf({ log, task }: HeldTask, isNew: boolean): StartedTask {
  return { task, isNew, events: (after, signal) => log.follow(after, signal) };
}

async function* nothing(): AsyncGenerator<TaskEvent, undefined> {
  // There is no such task, or it is another owner's: no difference is shown.
}
