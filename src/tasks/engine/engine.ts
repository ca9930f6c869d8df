// Owns tasks from start to end. Each is started once, one engine at a time works on it, and its log is the only truth.
// It runs on any store; engines that share one share the work. SPEC.md section 8 (#task-ids, #task-answer).

import { SdlError } from '../../errors.ts';
import type { StatusChange, TaskStep } from '../event.ts';
import { carriedScope } from '../log/carriers.ts';
import { TaskDamage } from '../log/damage.ts';
import { TaskFeed } from '../log/feed.ts';
import type { StopSignal } from '../log/follower.ts';
import type { Folded } from '../log/fold.ts';
import { listTasks } from '../log/list.ts';
import { ENDED_PHASES, ownerName, taskKey } from '../log/row.ts';
import { TaskTable } from '../log/table.ts';
import type { StoredTask } from '../log/table.ts';
import type { Message } from '../message.ts';
import type { CanceledTask, StartedTask, TaskFilter, TaskPage } from '../request.ts';
import type { Task, TaskScope } from '../task.ts';
import { Alarms } from './alarms.ts';
import type { TaskStats } from './census.ts';
import type { EngineMessageOptions, EngineStart, TaskEngine } from './contract.ts';
import { Holding } from './holding.ts';
import { TaskHooks } from './hooks.ts';
import { Interventions, unknownTask } from './interventions.ts';
import { resolveEngineOptions } from './options.ts';
import type { ResolvedEngineOptions, TaskEngineOptions } from './options.ts';
import { TaskRecovery } from './recovery.ts';
import { Shares } from './shares.ts';
import { Starts, extensionOf } from './starts.ts';
import { TaskWorker } from './worker.ts';

export function createTaskEngine(options: TaskEngineOptions): TaskEngine {
  return new StoredTaskEngine(resolveEngineOptions(options));
}

class StoredTaskEngine implements TaskEngine {
  readonly hooks: TaskHooks;
  readonly #options: ResolvedEngineOptions;
  readonly #table: TaskTable;
  readonly #feed: TaskFeed;
  readonly #interventions: Interventions;
  readonly #shares: Shares;
  readonly #worker: TaskWorker;
  readonly #recovery: TaskRecovery;
  readonly #starts: Starts;
  readonly #timers = new Set<() => void>();
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ResolvedEngineOptions) {
    const { store, now, retentionMs, onError } = options;
    this.#options = options;
    const table = new TaskTable(store, now, retentionMs);
    const feed = new TaskFeed(table);
    const holding = new Holding({ ...options, table, onError: (cause) => onError(cause) });
    const shares = new Shares(options, options.tellHooks, table, feed, (cause) => onError(cause));
    const hooks = new TaskHooks(options, table, shares);
    const common = { engine: options, table, feed, holding, shares, hooks };
    const interventions = new Interventions({
      ...common,
      worker: () => this.#worker,
      load: (stored) => this.#load(stored),
      isClosing: () => this.#closing !== undefined,
    });
    const intervene = async (stored: StoredTask, change: StatusChange): Promise<boolean> =>
      (await interventions.record(stored, change)) !== undefined;
    const worker = new TaskWorker({
      ...common,
      alarms: new Alarms(options),
      ending: (key, row) => interventions.ending(key, row),
      intervene,
    });
    this.#table = table;
    this.#feed = feed;
    this.#shares = shares;
    this.#worker = worker;
    this.hooks = hooks;
    this.#interventions = interventions;
    this.#starts = new Starts({
      ...common,
      worker,
      onEnded: (key, row) => interventions.ended(key, row),
    });
    this.#recovery = new TaskRecovery({ engine: options, table, holding, worker, intervene });
  }

  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async start(start: EngineStart): Promise<StartedTask> {
    const id = start.idempotency?.id ?? this.#options.newId();
    const key = taskKey(start, id);
    if (this.#closing !== undefined) {
      const known = await this.#table.at(key);
      const joined = known && (await this.#starts.join(known, start));
      if (joined !== undefined) return joined;
      throw new SdlError('DRAINING', 'the task engine is closing');
    }
    this.#opening ??= this.#openQuietly();
    for (let withoutLog = 0; ;) {
      const made = await this.#starts.make(key, id, start, []);
      if (made !== undefined) return made;
      const known = await this.#table.at(key);
      if (known === undefined) continue;
      if (known.version === withoutLog) throw new TaskDamage(key);
      if (this.#table.hasPassed(known.row)) {
        await this.#shares.remove([known]);
        continue;
      }
      if ((await this.#starts.isRerun(known, start)) === true) {
        const again = await this.#starts.make(key, id, start, this.#shares.removal(known));
        if (again !== undefined) return again;
        continue;
      }
      const joined = await this.#starts.join(known, start);
      if (joined !== undefined && !(await this.#extend(known, start))) continue;
      if (joined !== undefined) {
        if (start.hook !== undefined) await this.hooks.set(start, id, start.hook);
        return joined;
      }
      // The task was probably removed between the two reads. If the row is still the same next time, it is damaged.
      withoutLog = known.version;
    }
  }

  carried(carrier: TaskScope, id: string): Promise<Required<TaskScope> | undefined> {
    return carriedScope(this.#table.store, carrier, id);
  }

  async get(scope: TaskScope, id: string): Promise<Task | undefined> {
    const stored = await this.#table.find(scope, id);
    return stored && (await this.#load(stored))?.task;
  }

  async list(scope: TaskScope | undefined, filter: TaskFilter = {}): Promise<TaskPage> {
    await this.#removePassed(scope);
    return listTasks(this.#table, scope, filter);
  }

  /** Gives a task that is joined more time, where that was asked for; false when it has changed meanwhile. */
  async #extend(stored: StoredTask, start: EngineStart): Promise<boolean> {
    if (start.idempotency?.extends !== true) return true;
    const folded = await this.#load(stored);
    const extension = folded && extensionOf(folded, stored.row, start, this.#options.maxRunMs);
    if (extension === undefined) return folded !== undefined;
    const { change, patch } = extension;
    if (change !== undefined) {
      return (await this.#interventions.record(stored, change, { patch })) !== undefined;
    }
    const operations = this.#table.recording(stored, { ...stored.row, ...patch }, []);
    return (await this.#table.store.transact(operations)).ok;
  }

  /** Before they are listed: a store counts all that it has. */
  async #removePassed(scope: TaskScope | undefined): Promise<void> {
    const lists =
      scope === undefined
        ? ENDED_PHASES.map((phase) => ({ phase }))
        : [{ ended: ownerName(scope) }];
    for (const list of lists) {
      const { tasks } = await this.#table.firstEnded(list, 1);
      if (tasks.some(({ row }) => this.#table.hasPassed(row))) {
        await this.purge();
        return;
      }
    }
  }

  follow(
    scope: TaskScope,
    id: string,
    after: number | undefined,
    signal?: StopSignal,
  ): AsyncIterable<TaskStep> {
    return this.#follow(taskKey(scope, id), () => this.#table.find(scope, id), after, signal);
  }

  followKept(
    scope: TaskScope,
    id: string,
    after: number | undefined,
    signal?: StopSignal,
  ): AsyncIterable<TaskStep> {
    const key = taskKey(scope, id);
    return this.#follow(key, () => this.#table.at(key), after, signal);
  }

  #follow(
    key: string,
    lookUp: () => Promise<StoredTask | undefined>,
    after: number | undefined,
    signal: StopSignal | undefined,
  ): AsyncIterable<TaskStep> {
    const find = async (): Promise<StoredTask> => {
      const stored = await lookUp();
      if (stored === undefined) throw unknownTask();
      return stored;
    };
    return this.#feed.follow(key, find, after, signal);
  }

  message(
    scope: TaskScope,
    id: string,
    message: Message,
    options: EngineMessageOptions = {},
  ): Promise<Task> {
    return this.#interventions.message(scope, id, message, options).catch(this.#reportDamage);
  }

  async cancel(scope: TaskScope, id: string): Promise<CanceledTask | undefined> {
    const stored = await this.#table.find(scope, id);
    if (stored === undefined) return undefined;
    const isCanceled = await this.#interventions.cancel(stored).catch(this.#reportDamage);
    const now = await this.#table.at(stored.key);
    const task = now && (await this.#load(now))?.task;
    return task && { task, hasEnded: !isCanceled };
  }

  async endDisallowed(): Promise<void> {
    for (const [key, row] of this.#worker.live) {
      if (this.#options.isAllowed(row)) continue;
      const stored = await this.#table.at(key);
      if (stored !== undefined) await this.#interventions.cancel(stored).catch(this.#reportQuietly);
    }
  }

  stats(): TaskStats {
    return this.#options.census.stats([...this.#worker.live.values()], this.#feed.watchers);
  }

  async purge(): Promise<number> {
    return this.#shares.purge(() => this.#closing !== undefined);
  }

  close(graceMs = 0): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  #openQuietly(): Promise<void> {
    const opening = this.#open();
    opening.catch(this.#reportQuietly);
    return opening;
  }

  async #open(): Promise<void> {
    const { recoverEveryMs, purgeEveryMs } = this.#options;
    const look = (): Promise<void> => this.#recovery.look(() => this.#closing !== undefined);
    this.#every(recoverEveryMs, look);
    this.#every(purgeEveryMs, () => this.purge());
    await look();
  }

  #every(delayMs: number, job: () => Promise<unknown>): void {
    if (this.#closing !== undefined) return;
    const callOff = this.#options.setTimer(() => {
      this.#timers.delete(callOff);
      void job()
        .catch(this.#reportQuietly)
        .then(() => this.#every(delayMs, job));
    }, delayMs);
    this.#timers.add(callOff);
  }

  /** The task of a row that was just read; it may have gone since. */
  async #load(stored: StoredTask): Promise<Folded | undefined> {
    const folded = await this.#feed.load(stored);
    if (folded !== undefined) return folded;
    const again = await this.#table.at(stored.key);
    if (again?.version === stored.version) {
      return this.#reportDamage(new TaskDamage(stored.key));
    }
    return again && this.#load(again);
  }

  /** The caller hears only that something failed. */
  readonly #reportDamage = (cause: unknown): never => {
    if (cause instanceof TaskDamage) this.#options.onError(cause);
    throw cause;
  };

  readonly #reportQuietly = (cause: unknown): void => this.#options.onError(cause);

  async #cancelAll(): Promise<void> {
    for (const key of this.#worker.live.keys()) {
      const stored = await this.#table.at(key);
      if (stored !== undefined) await this.#interventions.cancel(stored).catch(this.#reportQuietly);
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
  }
}
