// Owns how long tasks are kept and how many: ended ones go when their time is over, or earlier to make room; open ones
// never go. SPEC.md section 13 (#admit).

import { SdlError } from '../errors.ts';
import type { ResolvedEngineOptions } from './task-engine-options.ts';
import type { TaskLedger } from './task-ledger.ts';
import { ownerName } from './task-row.ts';
import type { TaskShelf } from './task-shelf.ts';
import type { TaskScope } from './task.ts';

const PURGE_BATCH = 100;

export class TaskRetention {
  readonly #options: ResolvedEngineOptions;
  readonly #shelf: TaskShelf;
  readonly #ledger: TaskLedger;
  /** Starts that were counted and are not yet stored. */
  readonly #starting = new Map<string, number>();

  constructor(options: ResolvedEngineOptions, shelf: TaskShelf, ledger: TaskLedger) {
    this.#options = options;
    this.#shelf = shelf;
    this.#ledger = ledger;
  }

  /** Makes room for one more task, or throws LIMIT_RATE. What it returns is told whether the task was made. */
  async admit(key: string, scope: TaskScope, bytes: number): Promise<(isMade: boolean) => void> {
    const owner = ownerName(scope);
    const { maxTasksPerOwner } = this.#options;
    const count = await this.#shelf.store.count('task', {
      index: { owner },
      atMost: maxTasksPerOwner,
    });
    const starting = this.#starting.get(owner) ?? 0;
    if (count + starting >= maxTasksPerOwner) {
      const [oldest] = await this.#shelf.firstEnded(1, owner);
      if (oldest === undefined) {
        throw new SdlError('LIMIT_RATE', 'too many tasks of one owner have not ended');
      }
      await this.remove([oldest.key]);
    }
    const reservation = this.#ledger.reserve(owner, bytes);
    this.#count(owner, 1);
    await this.remove(reservation.dropped);
    return (isMade) => {
      this.#count(owner, -1);
      this.#ledger.settle(reservation, isMade ? key : undefined);
    };
  }

  /** Room for more of one task; false when there is none. */
  charge(key: string, bytes: number): boolean {
    const dropped = this.#ledger.charge(key, bytes);
    if (dropped === undefined) return false;
    this.remove(dropped).catch((cause: unknown) => this.#options.onError(cause));
    return true;
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#ledger.forget(key);
      await this.#shelf.remove(key);
    }
  }

  /** Removes what ended too long ago, in the order of ends: what is still kept costs nothing. */
  async purge(isStopped: () => boolean): Promise<number> {
    const { now, retentionMs } = this.#options;
    let removed = 0;
    for (;;) {
      const ended = await this.#shelf.firstEnded(PURGE_BATCH);
      const due = ended.filter(({ endedAt }) => endedAt + retentionMs <= now());
      for (const { key } of due) {
        if (isStopped()) return removed;
        await this.remove([key]);
        removed += 1;
      }
      if (due.length < PURGE_BATCH) return removed;
    }
  }

  #count(owner: string, change: 1 | -1): void {
    const left = (this.#starting.get(owner) ?? 0) + change;
    if (left === 0) this.#starting.delete(owner);
    else this.#starting.set(owner, left);
  }
}
