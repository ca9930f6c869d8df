// Owns how a task is made: stored in one transaction, and as begun if it can begin at once.

import type { TransactResult } from '../../stores/store.ts';
import { retryStoreCall } from './store-retry.ts';
import type { ResolvedEngineOptions } from './options.ts';
import { applyEvent } from '../events.ts';
import type { LeaseKeeper } from './lease.ts';
import type { Place } from './queue.ts';
import { ownerName } from '../log/row.ts';
import type { TaskRow } from '../log/row.ts';
import { draftOf, eventsOf, rowAfter } from '../log/table.ts';
import type { TaskTable } from '../log/table.ts';
import type { TaskWorker } from './worker.ts';
import type { Task } from '../task.ts';

/** A task that is stored. */
export interface MadeTask {
  readonly task: Task;
  readonly row: TaskRow;
  readonly begun: { readonly place: Place; readonly leaseVersion: number } | undefined;
}

export class TaskMaker {
  readonly #engine: ResolvedEngineOptions;
  readonly #table: TaskTable;
  readonly #leases: LeaseKeeper;
  readonly #worker: TaskWorker;

  constructor(
    engine: ResolvedEngineOptions,
    table: TaskTable,
    leases: LeaseKeeper,
    worker: TaskWorker,
  ) {
    this.#engine = engine;
    this.#table = table;
    this.#leases = leases;
    this.#worker = worker;
  }

  /** `undefined` when somebody else has made a task of this id in between. */
  async make(key: string, origin: Task, unstarted: TaskRow): Promise<MadeTask | undefined> {
    const { createdAt, deadline = Infinity } = origin;
    // What can begin at once is stored as begun: one transaction less.
    const place = deadline > createdAt ? this.#worker.tryEnter(ownerName(origin)) : undefined;
    try {
      const made = await this.#store(key, origin, unstarted, place);
      if (made === undefined) place?.leave();
      return made;
    } catch (cause) {
      place?.leave();
      throw cause;
    }
  }

  async #store(
    key: string,
    origin: Task,
    unstarted: TaskRow,
    place: Place | undefined,
  ): Promise<MadeTask | undefined> {
    const { createdAt } = origin;
    const submitted = draftOf({ type: 'status', state: 'submitted' }, createdAt);
    const begin = draftOf(this.#worker.begin(unstarted).change, createdAt);
    const drafts = place === undefined ? [] : [begin];
    const first =
      place === undefined ? { ...unstarted, queue: this.#engine.holder.name } : unstarted;
    const row = rowAfter(first, [submitted, ...drafts])!;
    const operations = this.#table.creation(key, origin, row, drafts);
    if (place !== undefined) operations.push(this.#leases.taking(key));
    const write = (): Promise<TransactResult> => this.#table.store.transact(operations);
    // A caller is waiting, so there is one repeat at once and no more.
    const { done, isRepeat } = await retryStoreCall(write, { ...this.#engine, forMs: 0 });
    const isMade = done.ok || (isRepeat && (await this.#table.isCreated(key, origin, drafts)));
    if (!isMade) return undefined;
    const task = Object.freeze(eventsOf([submitted, ...drafts], 0).reduce(applyEvent, origin));
    if (place === undefined) return { task, row, begun: undefined };
    const leaseVersion = done.ok ? done.results[2] : await this.#leases.ownVersion(key);
    return leaseVersion === undefined ? undefined : { task, row, begun: { place, leaseVersion } };
  }
}
