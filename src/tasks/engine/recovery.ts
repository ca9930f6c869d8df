// Owns tasks that nobody works on: it finds them, page by page among those that are open, and starts or ends them.

import { TaskDamage } from '../log/damage.ts';
import type { ResolvedEngineOptions } from './options.ts';
import type { LeaseKeeper } from './lease.ts';
import { lateness } from './live-run.ts';
import { ownerName } from '../log/row.ts';
import type { TaskRow } from '../log/row.ts';
import type { StoredTask, TaskTable } from '../log/table.ts';
import { failuresOf } from './worker.ts';
import type { TaskWorker } from './worker.ts';
import type { StatusChange } from '../events.ts';

const PAGE = 100;

const INTERRUPTED: StatusChange = {
  type: 'status',
  state: 'failed',
  failure: { code: 'INTERRUPTED', message: 'the agent stopped while it worked on the task' },
};

export class TaskRecovery {
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

  /** One look at every open task. */
  async look(isStopped: () => boolean): Promise<void> {
    await this.#leases.endDead();
    const queued = new Set(this.#worker.queued);
    let live: Promise<ReadonlySet<string>> | undefined;
    await this.#each('active', isStopped, async (stored) => {
      const { key, row } = stored;
      queued.delete(key);
      if (this.#worker.has(key)) return;
      // A task that has not begun has no lease. All leases are read at once, because one read for each task would be
      // slow with a long backlog.
      if (row.state !== 'submitted' && (await (live ??= this.#leases.liveKeys())).has(key)) return;
      await this.#recover(stored);
    });
    // Somebody else has taken or ended what still waits for a place here.
    for (const key of queued) {
      if (isStopped()) return;
      await this.#worker.lookAt(key);
    }
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
      const page = await this.#table.inPhase(phase, after, PAGE);
      for (const stored of page.tasks) {
        if (isStopped()) return;
        await visit(stored).catch((cause: unknown) => {
          // One damaged task says nothing about the others, so the search goes on.
          if (!(cause instanceof TaskDamage)) throw cause;
          this.#engine.onError(cause);
        });
      }
      after = page.next;
    } while (after !== undefined);
  }

  async #recover(stored: StoredTask): Promise<void> {
    const { key, row } = stored;
    const { recovery, maxAttempts, leaseMs, now, holder } = this.#engine;
    const failures = failuresOf(row);
    const isGivenUp = recovery === 'fail' || failures >= maxAttempts;
    // Only the deadline of the request counts: the attempt that `row.deadline` belonged to is over.
    const isLate = this.#isPast(row.latest);
    if (isLate || (failures > row.failures && isGivenUp)) {
      // It may have been taken since the leases were read.
      if (await this.#leases.isLive(key)) return;
      if (isLate) await this.#end(stored);
      else await this.#table.intervene(stored, INTERRUPTED);
      return;
    }
    // A fresh task may stand in the queue of another engine: that one gets time to begin it.
    const isQueued = row.queue === undefined || !holder.hasEnded(row.queue);
    const isFresh = row.state === 'submitted' && isQueued && row.updatedAt + leaseMs > now();
    if (!isFresh && this.#hasRoom(row)) this.#worker.enqueue(stored);
  }

  /** Without room here, another engine may have some. One task of each owner may always wait, whatever others do. */
  #hasRoom(row: TaskRow): boolean {
    const { maxConcurrent, maxConcurrentPerOwner } = this.#engine;
    const { waiting } = this.#worker;
    const own = this.#worker.waitingOf(ownerName(row));
    return own === 0 || (own < maxConcurrentPerOwner && waiting < maxConcurrent);
  }

  async #end(stored: StoredTask): Promise<void> {
    await this.#table.intervene(stored, lateness(stored.row, this.#engine));
  }

  #isPast(deadline: number | undefined): boolean {
    return deadline !== undefined && deadline <= this.#engine.now();
  }
}
