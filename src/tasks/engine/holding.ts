// Owns who holds a task: an engine of one start of one node, by name and until a moment, in the task's row. Every write
// moves that moment on; what is not written for long is renewed here, many tasks at once.

import type { Holder, TaskRow } from '../log/row.ts';
import type { StoredTask, TaskTable } from '../log/table.ts';
import { retryStoreCall } from './store-retry.ts';
import type { StoreRetryResult } from './store-retry.ts';
import type { SetTimer } from './timer.ts';

interface HolderNameOptions {
  readonly node: string | undefined;
  /** Nobody else works under the name of the node while this engine lives. */
  readonly isExclusive: boolean;
  /** Of this start; without a slash. */
  readonly startId: string;
}

/** One engine as rows name it. If it is alone under the name of its node, all earlier starts of that have ended. */
export interface HolderName {
  readonly name: string;
  /** Whether it is certain that this holder, as it stands in a row, works no more. */
  hasEnded(name: string): boolean;
}

export function createHolderName({ node, isExclusive, startId }: HolderNameOptions): HolderName {
  if (isExclusive && (node === undefined || node === '')) {
    throw new TypeError('"isNodeExclusive" needs "node", the same at every start');
  }
  const own = `${node ?? ''}/`;
  const name = own + startId;
  return Object.freeze({
    name,
    hasEnded: (other: string) =>
      isExclusive && other !== name && other.slice(0, other.lastIndexOf('/') + 1) === own,
  });
}

/** A run that holds a task. */
export interface HeldTask {
  /** As it stands in the store, if nothing of it is being written now. */
  readonly idle: StoredTask | undefined;
  /** Writes nothing until this has settled. */
  pauseFor(renewing: Promise<unknown>): void;
  renewed(stored: StoredTask): void;
  /** Its row has another version than it knew: it has to look who holds it. */
  lookAgain(): void;
}

export interface HoldingOptions {
  readonly table: TaskTable;
  readonly holder: HolderName;
  readonly leaseMs: number;
  readonly now: () => number;
  readonly setTimer: SetTimer;
  readonly onError: (cause: unknown) => void;
}

/** Tasks of one transaction. */
const BATCH = 200;

export class Holding {
  readonly #options: HoldingOptions;
  readonly #held = new Set<HeldTask>();
  readonly #intervalMs: number;
  #callOff: (() => void) | undefined;
  #isRenewing = false;
  #isHurried = false;

  constructor(options: HoldingOptions) {
    this.#options = options;
    // Twice before it runs out, so that one failure is no loss.
    this.#intervalMs = Math.max(1, Math.floor(options.leaseMs / 3));
  }

  /** This engine, from now on. */
  get own(): Holder {
    const { holder, now, leaseMs } = this.#options;
    return { name: holder.name, until: now() + leaseMs };
  }

  isOwn({ holder }: TaskRow): boolean {
    return holder?.name === this.#options.holder.name;
  }

  /** Nobody works on it. */
  isFree({ holder }: TaskRow): boolean {
    const { now, holder: own } = this.#options;
    return holder === undefined || holder.until <= now() || own.hasEnded(holder.name);
  }

  /** From now on it is renewed. */
  add(task: HeldTask): void {
    this.#held.add(task);
    this.#schedule();
  }

  delete(task: HeldTask): void {
    this.#held.delete(task);
  }

  /** Repeats a call when its answer was lost, for as long as a task is held without a renewal. */
  retry<T>(call: () => Promise<T>): Promise<StoreRetryResult<T>> {
    const { now, setTimer, leaseMs: forMs } = this.#options;
    return retryStoreCall(call, { now, setTimer, forMs, isHurried: () => this.#isHurried });
  }

  /** From now on nobody waits for a store that is away: the engine closes. */
  hurry(): void {
    this.#isHurried = true;
    this.#callOff?.();
    this.#callOff = undefined;
  }

  #schedule(): void {
    if (this.#callOff !== undefined || this.#isRenewing || this.#isHurried) return;
    this.#callOff = this.#options.setTimer(() => void this.#renewAll(), this.#intervalMs);
  }

  async #renewAll(): Promise<void> {
    this.#callOff = undefined;
    this.#isRenewing = true;
    const { now, setTimer, onError, leaseMs } = this.#options;
    const next = now() + this.#intervalMs;
    // Who has written lately needs no renewal.
    const soon = now() + leaseMs - this.#intervalMs / 2;
    const due = [...this.#held].filter((task) => {
      const until = task.idle?.row.holder?.until;
      return until !== undefined && until < soon;
    });
    for (let at = 0; at < due.length; at += BATCH) {
      const batch = due.slice(at, at + BATCH);
      const renewing = retryStoreCall(() => this.#renew(batch), {
        now,
        setTimer,
        forMs: next - now(),
        isHurried: () => this.#isHurried,
      });
      for (const task of batch) task.pauseFor(renewing);
      await renewing.catch(onError);
    }
    this.#isRenewing = false;
    if (this.#held.size > 0) this.#schedule();
  }

  async #renew(batch: readonly HeldTask[]): Promise<void> {
    const { table } = this.#options;
    const found = batch.flatMap((task) => {
      const { idle } = task;
      return idle === undefined || !this.#held.has(task) ? [] : [{ task, stored: idle }];
    });
    for (let rest = found; rest.length > 0;) {
      const rows = rest.map(({ stored }) => ({ ...stored.row, holder: this.own }));
      const done = await table.transact(
        rest.map(({ stored }, at) => table.recording(stored, rows[at]!, [])[0]!),
      );
      if (done.ok) {
        for (const [at, { task, stored }] of rest.entries()) {
          task.renewed({ ...stored, row: rows[at]!, version: done.results[at]! });
        }
        return;
      }
      const { failed } = done;
      rest[failed]!.task.lookAgain();
      rest = rest.filter((_task, at) => at !== failed);
    }
  }
}
