// Owns how long tasks are kept and how many. Ended tasks are removed when their time is over, or earlier to make room;
// open tasks never are. SPEC.md section 13 (#admit).

import { SdlError } from '../../errors.ts';
import { TaskDamage } from '../log/damage.ts';
import type { ResolvedEngineOptions } from './options.ts';
import type { TaskLedger } from './ledger.ts';
import { ownerName } from '../log/row.ts';
import type { TaskTable } from '../log/table.ts';
import type { TaskScope } from '../task.ts';

/** Starts of one owner at the same time for which room is made. */
const MOST_STARTS = 1_000;
/** Tasks that go in one transaction. */
const PURGE_BATCH = 100;

export class TaskRetention {
  readonly #options: ResolvedEngineOptions;
  readonly #table: TaskTable;
  readonly #ledger: TaskLedger;
  /** Starts that were counted and are not yet stored. */
  readonly #starting = new Map<string, string[]>();
  /** Ended tasks that go for a start. */
  readonly #leaving = new Set<string>();

  constructor(options: ResolvedEngineOptions, table: TaskTable, ledger: TaskLedger) {
    this.#options = options;
    this.#table = table;
    this.#ledger = ledger;
  }

  /** Makes room for one more task, or throws LIMIT_RATE. Tell the returned function whether the task was made. */
  async admit(key: string, scope: TaskScope, bytes: number): Promise<(isMade: boolean) => void> {
    const owner = ownerName(scope);
    const starts = this.#starting.get(owner) ?? [];
    this.#starting.set(owner, starts);
    starts.push(key);
    try {
      await this.#makeRoom(owner, key, starts);
      const reservation = this.#ledger.reserve(owner, bytes);
      await this.remove(reservation.dropped);
      return (isMade) => {
        this.#leave(owner, key, starts);
        this.#ledger.settle(reservation, isMade ? key : undefined);
      };
    } catch (cause) {
      this.#leave(owner, key, starts);
      throw cause;
    }
  }

  /** Room for more of one task; false when there is none. */
  charge(key: string, bytes: number): boolean {
    const dropped = this.#ledger.charge(key, bytes);
    if (dropped === undefined) return false;
    this.remove(dropped).catch((cause: unknown) => this.#options.onError(cause));
    return true;
  }

  /** Returns those that have not ended, and stay. */
  async remove(keys: readonly string[]): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    for (const key of keys) this.#ledger.forget(key);
    return this.#table.remove(keys);
  }

  /** Removes what ended too long ago, in the order of ends: what is still kept costs nothing. */
  async purge(isStopped: () => boolean): Promise<number> {
    const { now, retentionMs } = this.#options;
    let removed = 0;
    for (let after: string | undefined; ;) {
      const { tasks, next } = await this.#table.firstEnded(PURGE_BATCH, { after });
      const due = tasks.filter(({ endedAt }) => endedAt + retentionMs <= now());
      const open = await this.remove(due.map(({ key }) => key));
      removed += due.length - open.length;
      for (const key of open) await this.#reportIfMarked(key);
      if (due.length < PURGE_BATCH || next === undefined || isStopped()) return removed;
      after = next;
    }
  }

  /** The task is open. If it is still marked as ended, its row and its mark disagree. */
  async #reportIfMarked(key: string): Promise<void> {
    if (await this.#table.hasEnd(key)) {
      this.#options.onError(new TaskDamage(key, 'the row and the end'));
    }
  }

  /** Room for the tasks of one owner: the stored ones, those that are being stored before this one, and this one. */
  async #makeRoom(owner: string, key: string, starts: readonly string[]): Promise<void> {
    const { maxTasksPerOwner } = this.#options;
    for (;;) {
      const before = starts.indexOf(key);
      const count = await this.#table.store.count('task', {
        index: { owner },
        atMost: maxTasksPerOwner,
      });
      const excess = count + before + 1 - maxTasksPerOwner;
      if (excess <= 0) return;
      const { tasks } = await this.#table.firstEnded(Math.min(excess, MOST_STARTS), { owner });
      if (tasks.length >= excess) {
        await this.#removeOnce(tasks.map((ended) => ended.key));
        return;
      }
      // If the queue moved, a task before this one was counted twice, as waiting and as stored: count again.
      if (starts.indexOf(key) === before) {
        throw new SdlError('LIMIT_RATE', 'too many tasks of one owner have not ended');
      }
    }
  }

  /** Those that no other start is removing. */
  async #removeOnce(keys: readonly string[]): Promise<void> {
    const own = keys.filter((key) => !this.#leaving.has(key));
    for (const key of own) this.#leaving.add(key);
    await this.remove(own).finally(() => {
      for (const key of own) this.#leaving.delete(key);
    });
  }

  #leave(owner: string, key: string, starts: string[]): void {
    starts.splice(starts.indexOf(key), 1);
    if (starts.length === 0) this.#starting.delete(owner);
  }
}
