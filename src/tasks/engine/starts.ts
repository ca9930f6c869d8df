// Owns how a task comes to be: stored in one transaction, as begun if it can begin at once, with room made for it; or
// joined by an equal start. SPEC.md sections 8 and 13 (#task-ids, #task-shares).

import { SdlError } from '../../errors.ts';
import type { Operation, TransactResult } from '../../stores/store.ts';
import type { StatusChange } from '../event.ts';
import { joiningCarrier } from '../log/carriers.ts';
import { TaskDamage } from '../log/damage.ts';
import type { TaskFeed } from '../log/feed.ts';
import type { Folded } from '../log/fold.ts';
import { newRow, rowAfter } from '../log/row.ts';
import type { TaskRow } from '../log/row.ts';
import { draftOf, firstDraft, recordsOf } from '../log/table.ts';
import type { Draft, StoredTask, TaskTable } from '../log/table.ts';
import type { StartedTask } from '../request.ts';
import { isTerminal, optionalFacts } from '../task.ts';
import type { TaskOrigin } from '../task.ts';
import type { EngineStart } from './contract.ts';
import type { Holding } from './holding.ts';
import type { TaskHooks } from './hooks.ts';
import type { ResolvedEngineOptions } from './options.ts';
import type { Shares } from './shares.ts';
import { reservedFor } from './shares.ts';
import { retryStoreCall } from './store-retry.ts';
import type { TaskWorker } from './worker.ts';
import { foldAll, newFolded } from './worker.ts';

export interface StartServices {
  readonly engine: ResolvedEngineOptions;
  readonly table: TaskTable;
  readonly feed: TaskFeed;
  readonly holding: Holding;
  readonly shares: Shares;
  readonly hooks: TaskHooks;
  readonly worker: TaskWorker;
  /** Told of a task that was stored as ended. */
  readonly onEnded: (key: string, row: TaskRow) => void;
}

/** What is about to be stored. */
interface NewTask {
  readonly key: string;
  readonly origin: TaskOrigin;
  readonly row: TaskRow;
  readonly drafts: readonly Draft[];
}

export class Starts {
  readonly #options: ResolvedEngineOptions;
  readonly #table: TaskTable;
  readonly #feed: TaskFeed;
  readonly #holding: Holding;
  readonly #shares: Shares;
  readonly #hooks: TaskHooks;
  readonly #worker: TaskWorker;
  readonly #onEnded: (key: string, row: TaskRow) => void;
  #made = 0;

  constructor(services: StartServices) {
    const { engine, table, feed, holding, shares, hooks, worker, onEnded } = services;
    this.#options = engine;
    this.#table = table;
    this.#feed = feed;
    this.#holding = holding;
    this.#shares = shares;
    this.#hooks = hooks;
    this.#worker = worker;
    this.#onEnded = onEnded;
  }

  /**
   * Stores the task in one transaction, as begun if it can begin at once; `undefined` when there is one of this id.
   * @param first operations that go before: they remove the one that was there.
   */
  async make(
    key: string,
    id: string,
    start: EngineStart,
    first: readonly Operation[],
  ): Promise<StartedTask | undefined> {
    const task = this.#newTask(key, id, start);
    const {
      origin,
      row: unstarted,
      drafts: [submitted],
    } = task;
    const { createdAt, deadline = Infinity } = origin;
    const end = endOf(start);
    const mayBegin = end === undefined && deadline > createdAt && this.#options.isAllowed(start);
    const place = mayBegin ? this.#worker.tryEnter(unstarted) : undefined;
    try {
      const drafts = [submitted!];
      if (place !== undefined) {
        drafts.push(draftOf(this.#worker.beginning(unstarted), createdAt));
      } else if (end !== undefined) {
        drafts.push(draftOf(end, createdAt));
      }
      const row = rowAfter(unstarted, drafts)!;
      const hook = start.hook && this.#hooks.first(key, origin, start.hook);
      if (hook !== undefined) {
        row.hooks = hook.names;
        row.bytes += hook.bytes;
      }
      const carrier = start.carrier && joiningCarrier(row, start.carrier);
      if (carrier !== undefined) {
        row.carriers = carrier.keys;
        row.bytes += carrier.bytes;
      }
      if (place !== undefined) row.holder = this.#holding.own;
      else if (end === undefined) row.queue = this.#options.holder.name;
      row.reserved = reservedFor(row.bytes);
      const together = [...(hook?.operations ?? []), ...(carrier?.operations ?? [])];
      const version = await this.#store({ key, origin, row, drafts }, first, together);
      if (version === undefined) {
        place?.leave();
        return undefined;
      }
      return this.#begin({ key, row, version }, origin, drafts, place);
    } catch (cause) {
      place?.leave();
      throw cause;
    }
  }

  #newTask(key: string, id: string, start: EngineStart): NewTask {
    const { tenant, owner, message, metadata, source, authority } = start;
    const { idempotency, share, priority = 0 } = start;
    const origin: TaskOrigin = {
      tenant,
      owner,
      id,
      ...optionalFacts(start),
      message,
      metadata: metadata ?? {},
      source,
      authority,
      createdAt: this.#options.now(),
    };
    this.#made += 1;
    const made = `${this.#options.holder.name}#${this.#made}`;
    const digest = idempotency?.digest;
    const row = newRow(origin, { made, digest, priority, share, reserved: 0 });
    return { key, origin, row, drafts: [firstDraft(origin, made)] };
  }

  /** The version of its row; `undefined` when somebody else has made a task of this id. Makes room where it can. */
  async #store(
    { key, row, drafts }: NewTask,
    first: readonly Operation[],
    together: readonly Operation[],
  ): Promise<number | undefined> {
    const entry = this.#shares.entry(row);
    const creation = this.#table.creation(key, row, drafts);
    const operations = [...first, ...creation, ...together, ...entry];
    const write = (): Promise<TransactResult> => this.#table.transact(operations);
    for (;;) {
      // A caller is waiting, so there is one repeat at once and no more.
      const { done, isRepeat } = await retryStoreCall(write, { ...this.#options, forMs: 0 });
      if (done.ok) return done.results[first.length];
      const refused = entry[done.failed - operations.length + entry.length];
      if (refused !== undefined) {
        if (await this.#shares.makeRoom(refused, row)) continue;
        throw await this.#shares.refusal(refused);
      }
      if (done.failed > first.length) throw new TaskDamage(key);
      if (!isRepeat) return undefined;
      const stored = await this.#table.at(key);
      const isDone = stored?.row.made === row.made;
      return isDone && (await this.#table.holds(key, 0, recordsOf(drafts)))
        ? stored.version
        : undefined;
    }
  }

  /** Works on it now if it has a place, else when it gets one. */
  #begin(
    stored: StoredTask,
    origin: TaskOrigin,
    drafts: readonly Draft[],
    place: ReturnType<TaskWorker['tryEnter']>,
  ): StartedTask {
    const { key, row } = stored;
    this.#options.census.countStart();
    const { folded, steps } = foldAll(newFolded(origin, row.made), drafts, 0);
    this.#feed.forget(key);
    this.#feed.keep(key, folded, steps);
    this.#hooks.notice(key, row);
    if (place !== undefined) this.#worker.work(stored, folded, place);
    else if (isTerminal(row.state)) this.#onEnded(key, row);
    else this.#worker.enqueue(stored);
    return { task: folded.task, isNew: true };
  }

  /** Does the start begin an ended task anew? `undefined` when there is no log of that any more. */
  async isRerun(stored: StoredTask, { idempotency }: EngineStart): Promise<boolean | undefined> {
    const { row } = stored;
    const { rerun, digest } = idempotency ?? {};
    if (rerun === undefined || !isTerminal(row.state)) return false;
    if (rerun === 'retryable') return row.digest === digest && row.failure?.retryable === true;
    const folded = await this.#feed.load(stored);
    return folded && rerun(folded.task);
  }

  /** `undefined` when there is no log of it any more. */
  async join(stored: StoredTask, start: EngineStart): Promise<StartedTask | undefined> {
    if (this.#table.hasPassed(stored.row)) return undefined;
    if (stored.row.digest === undefined || stored.row.digest !== start.idempotency?.digest) {
      throw new SdlError('TASK_CONFLICT', 'the owner already has a different task with this id');
    }
    const folded = await this.#feed.load(stored);
    return folded && { task: folded.task, isNew: false };
  }
}

/** Of a task that ended before any work. */
function endOf({ answer, rejection }: EngineStart): StatusChange | undefined {
  if (answer !== undefined) {
    return { type: 'status', status: { state: 'completed', message: answer }, direct: true };
  }
  return rejection && { type: 'status', status: { state: 'rejected', failure: rejection } };
}

/** What gives a task that is joined the time until a later deadline; `undefined` where it has as much already. */
export function extensionOf(
  { task }: Folded,
  row: TaskRow,
  { deadline, idempotency }: EngineStart,
  maxRunMs: number,
): { readonly change?: StatusChange; readonly patch: Partial<TaskRow> } | undefined {
  const { latest } = row;
  if (idempotency?.extends !== true || isTerminal(row.state)) return undefined;
  if (deadline === undefined || latest === undefined || deadline <= latest) return undefined;
  const patch = { latest: deadline };
  // The attempt that comes next, or the next reply, takes the new one.
  if (row.state !== 'working' || row.deadline !== latest) return { patch };
  const until = Math.max(latest, Math.min(deadline, row.createdAt + maxRunMs));
  const { message, fraction } = task.status;
  const status = {
    state: 'working',
    ...(message !== undefined && { message }),
    ...(fraction !== undefined && { fraction }),
  } as const;
  return { patch, change: { type: 'status', status, deadline: until } };
}
