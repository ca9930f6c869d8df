// Owns tasks that nobody works on: it finds them, page by page among those that are open, and starts or ends them.

import type { StatusChange } from '../event.ts';
import { TaskDamage } from '../log/damage.ts';
import { ownerName } from '../log/row.ts';
import type { TaskRow } from '../log/row.ts';
import type { StoredTask, TaskTable } from '../log/table.ts';
import type { Holding } from './holding.ts';
import type { ResolvedEngineOptions } from './options.ts';
import { lateness } from './run.ts';
import { CANCELED, failuresOf } from './worker.ts';
import type { TaskWorker, TaskWorkerOptions } from './worker.ts';

const PAGE = 100;

const INTERRUPTED: StatusChange = {
  type: 'status',
  status: {
    state: 'failed',
    failure: {
      code: 'INTERRUPTED',
      message: 'the agent stopped while it worked on the task',
      retryable: true,
    },
  },
};

export interface TaskRecoveryOptions extends Pick<TaskWorkerOptions, 'intervene'> {
  readonly engine: ResolvedEngineOptions;
  readonly table: TaskTable;
  readonly holding: Holding;
  readonly worker: TaskWorker;
}

export class TaskRecovery {
  readonly #options: TaskRecoveryOptions;

  constructor(options: TaskRecoveryOptions) {
    this.#options = options;
  }

  /** One look at every open task. */
  async look(isStopped: () => boolean): Promise<void> {
    const { worker, holding, intervene, engine } = this.#options;
    const queued = new Set(worker.queued);
    await this.#each('active', isStopped, async (stored) => {
      const { key, row } = stored;
      queued.delete(key);
      if (!worker.has(key) && holding.isFree(row)) await this.#recover(stored);
    });
    // Somebody else has taken or ended what still waits for a place here.
    for (const key of queued) {
      if (isStopped()) return;
      await worker.lookAt(key);
    }
    await this.#each('waiting', isStopped, async (stored) => {
      const { key, row } = stored;
      if (worker.has(key)) return;
      if (this.#isPast(row.deadline)) await intervene(stored, lateness(row, engine));
      else if (holding.isFree(row) && !engine.isAllowed(row)) await intervene(stored, CANCELED);
    });
  }

  async #each(
    phase: 'active' | 'waiting',
    isStopped: () => boolean,
    visit: (stored: StoredTask) => Promise<void>,
  ): Promise<void> {
    const { table, engine } = this.#options;
    let after: string | undefined;
    do {
      const page = await table.inPhase(phase, after, PAGE);
      for (const stored of page.tasks) {
        if (isStopped()) return;
        await visit(stored).catch((cause: unknown) => {
          // One damaged task says nothing about the others, so the search goes on.
          if (!(cause instanceof TaskDamage)) throw cause;
          engine.onError(cause);
        });
      }
      after = page.next;
    } while (after !== undefined);
  }

  async #recover(stored: StoredTask): Promise<void> {
    const { row } = stored;
    const { engine, worker, intervene } = this.#options;
    const { recovery, maxAttempts, leaseMs, now, holder } = engine;
    const failures = failuresOf(row);
    const isGivenUp = recovery === 'fail' || failures >= maxAttempts;
    // Only the deadline of the request counts: the attempt that `row.deadline` belonged to is over.
    if (this.#isPast(row.latest)) return void (await intervene(stored, lateness(row, engine)));
    if (!engine.isAllowed(row)) return void (await intervene(stored, CANCELED));
    if (failures > row.failures && isGivenUp) return void (await intervene(stored, INTERRUPTED));
    // A fresh task may stand in the queue of another engine: that one gets time to begin it.
    const isQueued = row.queue === undefined || !holder.hasEnded(row.queue);
    const isFresh = row.state === 'submitted' && isQueued && row.at + leaseMs > now();
    if (!isFresh && this.#hasRoom(row)) worker.enqueue(stored);
  }

  /** Without room here, another engine may have some. One task of each owner may always wait, whatever others do. */
  #hasRoom(row: TaskRow): boolean {
    const { engine, worker } = this.#options;
    const own = worker.waitingOf(ownerName(row));
    return (
      own === 0 || (own < engine.maxConcurrentPerOwner && worker.waiting < engine.maxConcurrent)
    );
  }

  #isPast(deadline: number | undefined): boolean {
    return deadline !== undefined && deadline <= this.#options.engine.now();
  }
}
