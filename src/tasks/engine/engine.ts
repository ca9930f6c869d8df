// Owns tasks from start to end. Each is started once, one engine at a time works on it, and its log is the only truth.
// It runs on any store; engines that share one share the work. SPEC.md section 8 (#task-ids, #task-answer).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { writeJson } from '../../codec/json/write.ts';
import { equalBytes } from '../../crypto/bytes.ts';
import { SdlError } from '../../errors.ts';
import type { ToolBox } from '../context.ts';
import { resolveEngineOptions } from './options.ts';
import type { ResolvedEngineOptions, TaskEngineOptions } from './options.ts';
import { TaskDamage } from '../log/damage.ts';
import type { TaskChange, TaskEvent } from '../events.ts';
import type { TaskStats } from './census.ts';
import { LeaseKeeper } from './lease.ts';
import { TaskLedger } from './ledger.ts';
import { listTasks } from '../log/list.ts';
import type { ListTasks, TaskList } from '../log/list.ts';
import { EVENT_WEIGHT, earliest } from './live-run.ts';
import { TaskParts } from './parts.ts';
import { TaskMaker } from './maker.ts';
import type { MadeTask } from './maker.ts';
import { TaskRecovery } from './recovery.ts';
import { fingerprintOf } from '../request.ts';
import { TaskRetention } from './retention.ts';
import { newRow, summaryOf, taskKey } from '../log/row.ts';
import type { TaskRow } from '../log/row.ts';
import { TaskTable } from '../log/table.ts';
import type { StoredTask } from '../log/table.ts';
import { TaskWorker } from './worker.ts';
import { isTerminal, isWaiting, unstartedTask } from '../task.ts';
import type { Task, TaskRequest, TaskScope } from '../task.ts';

interface StartTask extends TaskScope {
  readonly request: TaskRequest;
  /** For a request that names none. @default a new one */
  readonly id?: string;
  /** Kept with the task, and never sent. @default none */
  readonly metadata?: JsonObject;
  /** The tools of the task until this engine restarts; later `toolsFor` gives them. @default those of `toolsFor` */
  readonly tools?: ToolBox;
}

export interface StartedTask {
  readonly task: Task;
  /** False when an equal task of this id was there already. */
  readonly isNew: boolean;
  /** As {@link TaskEngine.events}, of this task. */
  readonly events: (afterGeneration: number, signal?: AbortSignal) => AsyncIterable<TaskEvent>;
}

interface ReplyOptions {
  /**
   * The generation of the question. With it, a repeated reply to an earlier question changes nothing.
   * @default the open question
   */
  readonly generation?: number;
}

/** Whose tasks: an owner without a tenant, or both. */
type TaskOwner = string | TaskScope;

export interface TaskEngine {
  /** Begins to look for tasks that nobody works on, at once and from time to time; starting a task does it too. */
  open(): Promise<void>;
  /**
   * The task is stored before this resolves. Throws TASK_CONFLICT for a different task of the same owner and id,
   * LIMIT_RATE without room, DRAINING when closing.
   */
  start(start: StartTask): Promise<StartedTask>;
  /** `undefined` also for the task of another owner. */
  get(owner: TaskOwner, id: string): Promise<Task | undefined>;
  /**
   * Without an owner it lists the tasks of everybody, for the operator. A page may be shorter than `limit` when few of
   * many tasks match.
   */
  list(owner: TaskOwner | undefined, options?: ListTasks): Promise<TaskList>;
  /**
   * Every event after `afterGeneration` (0: all), then each new one, until the task has ended. With a `signal` it
   * ends when that aborts, once it has caught up. Nothing for a task that the owner does not have.
   */
  events(
    owner: TaskOwner,
    id: string,
    afterGeneration: number,
    signal?: AbortSignal,
  ): AsyncIterable<TaskEvent>;
  /** Ends the task at once and tells its work to stop, wherever it runs; one that has ended stays as it is. */
  cancel(owner: TaskOwner, id: string): Promise<Task | undefined>;
  /** Answers the question of a task that waits. TASK_UNKNOWN, or TASK_CONFLICT when it does not wait for this. */
  reply(owner: TaskOwner, id: string, reply: JsonValue, options?: ReplyOptions): Promise<Task>;
  /** What it has to do and has done, from memory. */
  stats(): TaskStats;
  /** Removes tasks whose time is over; done from time to time by itself. Returns how many. */
  purge(): Promise<number>;
  /** Takes no new tasks, lets the others go on for `graceMs`, then gives them back or cancels them, as `onClose` says. */
  close(graceMs?: number): Promise<void>;
}

export function createTaskEngine(options: TaskEngineOptions): TaskEngine {
  return new StoredTaskEngine(resolveEngineOptions(options));
}

class StoredTaskEngine implements TaskEngine {
  readonly #options: ResolvedEngineOptions;
  readonly #table: TaskTable;
  readonly #leases: LeaseKeeper;
  readonly #ledger: TaskLedger;
  readonly #worker: TaskWorker;
  readonly #maker: TaskMaker;
  readonly #recovery: TaskRecovery;
  readonly #retention: TaskRetention;
  readonly #parts: TaskParts;
  readonly #timers = new Set<() => void>();
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ResolvedEngineOptions) {
    const { store, now, onError } = options;
    this.#options = options;
    this.#table = new TaskTable(store, now, options.retentionMs, (key, row) => {
      options.census.countEnd(row.state);
      // If somebody works on the task, that run reports the end itself.
      if (!this.#worker.isAtWorkOn(key)) options.onState(summaryOf(row));
      this.#parts.end(key, row);
    });
    this.#parts = new TaskParts(options, this.#table);
    this.#leases = new LeaseKeeper({ ...options, onError: (cause) => onError(cause) });
    this.#ledger = new TaskLedger(options);
    this.#retention = new TaskRetention(options, this.#table, this.#ledger);
    this.#worker = new TaskWorker({
      engine: options,
      table: this.#table,
      leases: this.#leases,
      charge: (key, bytes) => this.#retention.charge(key, bytes),
      onDone: (key, row) => {
        this.#ledger.settleRun(key, isTerminal(row.state));
        if (isTerminal(row.state)) this.#parts.end(key, row);
      },
      onLeft: (key, row) => this.#ledger.settleRun(key, row !== undefined && isTerminal(row.state)),
    });
    this.#maker = new TaskMaker(options, this.#table, this.#leases, this.#worker);
    this.#recovery = new TaskRecovery(options, this.#table, this.#leases, this.#worker);
  }

  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async start(start: StartTask): Promise<StartedTask> {
    const { request } = start;
    const id = request.id ?? start.id ?? this.#options.newId();
    const key = taskKey(start, id);
    const { digest, bytes } = fingerprintOf(request);
    for (let withoutLog = 0; ;) {
      const known = await this.#table.at(key);
      if (known !== undefined && !this.#table.hasPassed(known.row)) {
        if (known.version === withoutLog) throw new TaskDamage(key);
        const joined = await this.#join(known, digest);
        if (joined !== undefined) return joined;
        // The task was probably removed between the two reads. If the row is still the same next time, it is damaged.
        withoutLog = known.version;
        continue;
      }
      if (known !== undefined) await this.#retention.remove([key]);
      if (this.#closing !== undefined) throw new SdlError('DRAINING', 'the task engine is closing');
      void this.open().catch((cause: unknown) => this.#options.onError(cause));
      const settle = await this.#retention.admit(key, start, EVENT_WEIGHT + bytes);
      const origin = unstartedTask({ ...start, id, createdAt: this.#options.now() });
      const made = await this.#maker
        .make(key, origin, newRow(origin, digest))
        .catch((cause: unknown) => {
          settle(false);
          throw cause;
        });
      settle(made !== undefined);
      if (made !== undefined) return this.#begin(key, made, start.tools);
    }
  }

  async get(owner: TaskOwner, id: string): Promise<Task | undefined> {
    const stored = await this.#table.find(scopeOf(owner), id);
    return stored && this.#table.load(stored.key);
  }

  list(owner: TaskOwner | undefined, options: ListTasks = {}): Promise<TaskList> {
    return listTasks(this.#table, owner === undefined ? undefined : scopeOf(owner), options);
  }

  events(
    owner: TaskOwner,
    id: string,
    afterGeneration: number,
    signal?: AbortSignal,
  ): AsyncIterable<TaskEvent> {
    const key = taskKey(scopeOf(owner), id);
    const isThere = (row: TaskRow): boolean => !this.#table.hasPassed(row);
    return this.#table.follow(key, afterGeneration, signal, isThere);
  }

  async cancel(owner: TaskOwner, id: string): Promise<Task | undefined> {
    const stored = await this.#table.find(scopeOf(owner), id);
    if (stored === undefined) return undefined;
    await this.#cancel(stored).catch(this.#reportDamage);
    return this.#table.load(stored.key);
  }

  reply(owner: TaskOwner, id: string, reply: JsonValue, options: ReplyOptions = {}): Promise<Task> {
    return this.#reply(owner, id, reply, options).catch(this.#reportDamage);
  }

  async #reply(
    owner: TaskOwner,
    id: string,
    reply: JsonValue,
    { generation }: ReplyOptions,
  ): Promise<Task> {
    for (let refused = 0; ;) {
      const stored = await this.#table.find(scopeOf(owner), id);
      const task = stored && (await this.#table.load(stored.key));
      if (stored === undefined || task === undefined) {
        throw new SdlError('TASK_UNKNOWN', 'the sender has no task with this id');
      }
      // The log allowed the reply and the row refused it, although the row has not changed: the two disagree.
      if (stored.version === refused) throw new TaskDamage(stored.key);
      refused = stored.version;
      if (hasReply(task, reply, generation)) return task;
      const asked = task.history.at(-1);
      if (!isWaiting(task.state) || (generation ?? asked?.generation) !== asked?.generation) {
        throw new SdlError('TASK_CONFLICT', 'the task does not wait for this reply');
      }
      const { now, maxRunMs } = this.#options;
      const deadline = earliest(now() + maxRunMs, task.request.deadline);
      const isReleased = !(await this.#leases.isLive(stored.key));
      const change: TaskChange = { type: 'reply', reply, deadline };
      const row = await this.#table.intervene(stored, change, { isReleased });
      if (row === undefined) continue;
      await this.#worker.notice(stored.key, row);
      if (isReleased && this.#closing === undefined) this.#worker.enqueue({ ...stored, row });
      return (await this.#table.load(stored.key)) ?? task;
    }
  }

  stats(): TaskStats {
    return this.#options.census.stats(this.#worker.live, this.#table.watchers);
  }

  purge(): Promise<number> {
    return this.#retention.purge(() => this.#closing !== undefined);
  }

  close(graceMs = 0): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #open(): Promise<void> {
    const { recoverEveryMs, purgeEveryMs } = this.#options;
    const isStopped = (): boolean => this.#closing !== undefined;
    const look = async (): Promise<void> => {
      await this.#recovery.look(isStopped);
      await this.#parts.look(isStopped);
    };
    this.#every(recoverEveryMs, look);
    this.#every(purgeEveryMs, () => this.purge());
    await look();
  }

  #every(delayMs: number, job: () => Promise<unknown>): void {
    if (this.#closing !== undefined) return;
    const callOff = this.#options.setTimer(() => {
      this.#timers.delete(callOff);
      void job()
        .catch((cause: unknown) => this.#options.onError(cause))
        .then(() => this.#every(delayMs, job));
    }, delayMs);
    this.#timers.add(callOff);
  }

  /** Works on it now if it has a place, else when it gets one. */
  #begin(key: string, made: MadeTask, tools: ToolBox | undefined): StartedTask {
    this.#options.census.countStart();
    const { task, row, begun } = made;
    if (begun === undefined) {
      this.#worker.enqueue({ key, row }, tools);
    } else {
      const { place, leaseVersion } = begun;
      this.#worker.work({ key, task, row, leaseVersion, tools }, place);
    }
    return this.#startedOf(key, task, true);
  }

  /** `undefined` when there is no log of it any more. */
  async #join({ key, row }: StoredTask, digest: string): Promise<StartedTask | undefined> {
    if (row.digest !== digest) {
      throw new SdlError('TASK_CONFLICT', 'the sender already has a different task with this id', {
        details: { path: '/context/task/id' },
      });
    }
    const task = await this.#table.load(key);
    return task && this.#startedOf(key, task, false);
  }

  #startedOf(key: string, task: Task, isNew: boolean): StartedTask {
    return { task, isNew, events: (after, signal) => this.#table.follow(key, after, signal) };
  }

  /** Tries again until the task has ended, by this call or by another. */
  async #cancel(stored: StoredTask): Promise<void> {
    const { key } = stored;
    for (let found: StoredTask | undefined = stored; found !== undefined;) {
      if (isTerminal(found.row.state)) return;
      const row = await this.#table.intervene(found, { type: 'status', state: 'canceled' });
      if (row !== undefined) {
        await this.#worker.notice(key, row);
        return;
      }
      found = await this.#table.at(key);
    }
  }

  /** The caller hears only that something failed. */
  readonly #reportDamage = (cause: unknown): never => {
    if (cause instanceof TaskDamage) this.#options.onError(cause);
    throw cause;
  };

  async #cancelAll(): Promise<void> {
    for (const key of this.#worker.keys) {
      const stored = await this.#table.at(key);
      if (stored !== undefined) await this.#cancel(stored).catch(this.#options.onError);
    }
  }

  async #close(graceMs: number): Promise<void> {
    for (const callOff of this.#timers) callOff();
    this.#timers.clear();
    const { onClose, stopGraceMs } = this.#options;
    const isReleasing = onClose === 'release';
    if (isReleasing) {
      this.#worker.stop();
      this.#worker.interrupt('waiting');
    }
    if (graceMs > 0) await this.#worker.idleWithin(graceMs);
    if (isReleasing) this.#worker.interrupt('all');
    else await this.#cancelAll();
    await this.#worker.idleWithin(stopGraceMs);
    await this.#worker.releaseAll();
    await this.#opening?.catch(() => undefined);
    await this.#parts.idleWithin(stopGraceMs);
  }
}

function scopeOf(owner: TaskOwner): TaskScope {
  return typeof owner === 'string' ? { owner } : owner;
}

/** Is this the reply that was given to that question already? */
function hasReply(task: Task, reply: JsonValue, generation: number | undefined): boolean {
  const at = task.history.findIndex((message) => message.generation === generation);
  const given = at < 0 ? undefined : task.history[at + 1];
  if (given === undefined || task.history[at]?.role !== 'agent') return false;
  return equalBytes(writeJson(given.content), writeJson(reply));
}
