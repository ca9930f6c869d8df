// Owns tasks that nobody works on: it finds them, page by page among those that are open, and starts or ends them.

import type { ResolvedEngineOptions } from './task-engine-options.ts';
import type { LeaseKeeper } from './task-lease.ts';
import { lateness } from './task-live-run.ts';
import type { StoredTask, TaskShelf } from './task-shelf.ts';
import { failuresOf } from './task-worker.ts';
import type { TaskWorker } from './task-worker.ts';
import type { StatusChange } from './task-events.ts';

const PAGE = 100;

const INTERRUPTED: StatusChange = {
  type: 'status',
  state: 'failed',
  failure: { code: 'INTERRUPTED', message: 'the agent stopped while it worked on the task' },
};

export class TaskRecovery {
  readonly #engine: ResolvedEngineOptions;
  readonly #shelf: TaskShelf;
  readonly #leases: LeaseKeeper;
  readonly #worker: TaskWorker;

  constructor(
    engine: ResolvedEngineOptions,
    shelf: TaskShelf,
    leases: LeaseKeeper,
    worker: TaskWorker,
  ) {
    this.#engine = engine;
    this.#shelf = shelf;
    this.#leases = leases;
    this.#worker = worker;
  }

  /** One look at every open task. */
  async look(isStopped: () => boolean): Promise<void> {
    await this.#each('active', isStopped, (stored) => this.#recover(stored));
    await this.#each('waiting', isStopped, async (stored) => {
      const { key, row } = stored;
      if (!this.#worker.has(key) && this.#isPast(row.deadline)) await this.#end(stored);
    });
  }

  async #each(
    phase: 'active' | 'waiting',
    isStopped: () => boolean,
    visit: (stored: StoredTask) => Promise<void>,
  ): Promise<void> {
    let after: string | undefined;
    do {
      const page = await this.#shelf.inPhase(phase, after, PAGE);
      for (const stored of page.tasks) {
        if (isStopped()) return;
        await visit(stored);
      }
      after = page.next;
    } while (after !== undefined);
  }

  async #recover(stored: StoredTask): Promise<void> {
    const { key, row } = stored;
    if (this.#worker.has(key) || (await this.#leases.isLive(key))) return;
    // The deadline of an attempt that nobody makes any more does not count.
    if (this.#isPast(row.latest)) {
      await this.#end(stored);
      return;
    }
    const { recovery, maxAttempts, leaseMs, now, maxConcurrent } = this.#engine;
    const failures = failuresOf(row);
    if (failures > row.failures && (recovery === 'fail' || failures >= maxAttempts)) {
      await this.#shelf.intervene(stored, INTERRUPTED);
      return;
    }
    // It may stand in the queue of another engine, which would rather do it itself.
    const isFresh = row.state === 'submitted' && row.updatedAt + leaseMs > now();
    // What finds no place here may find one elsewhere.
    if (!isFresh && this.#worker.waiting < maxConcurrent) this.#worker.enqueue(stored);
  }

  async #end(stored: StoredTask): Promise<void> {
    await this.#shelf.intervene(stored, lateness(stored.row, this.#engine));
  }

  #isPast(deadline: number | undefined): boolean {
    return deadline !== undefined && deadline <= this.#engine.now();
  }
}
