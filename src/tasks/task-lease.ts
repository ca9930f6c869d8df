// Owns who works on a task: a lease in the store that only its holder renews. Every write of a run is made under the
// lease's version, so that who has lost it can write no more.

import { encodeUtf8 } from '../codec/utf8.ts';
import type { Operation, Store, TransactResult } from '../stores/store.ts';
import type { SetTimer } from './timer.ts';

export interface Lease {
  readonly key: string;
  version: number;
  /** Ended, given back or lost. */
  isOver: boolean;
  /** It ran out. Nobody may have the task yet: the next write tells. */
  isExpired: boolean;
  /** Under way: afterwards the version is another. */
  renewing: Promise<void> | undefined;
  /** Told once when somebody else may have the task. */
  readonly onLost: () => void;
}

export interface LeaseKeeperOptions {
  readonly store: Store;
  /** Who holds the leases: names one engine of one process. */
  readonly node: string;
  readonly leaseMs: number;
  readonly now: () => number;
  readonly setTimer: SetTimer;
  readonly onError: (cause: unknown) => void;
}

const SPACE = 'task-lease';
/** Leases of one transaction. */
const BATCH = 200;

export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #value: Uint8Array;
  readonly #held = new Set<Lease>();
  #callOff: (() => void) | undefined;
  #isRenewing = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#value = encodeUtf8(options.node);
  }

  /** Fails in its transaction when somebody holds the lease. Its result is the version. */
  taking(key: string): Operation {
    return { type: 'add', space: SPACE, key, value: this.#value, expiresAt: this.#expiry() };
  }

  /** From now on it is renewed. */
  hold(key: string, version: number, onLost: () => void): Lease {
    const lease: Lease = {
      key,
      version,
      isOver: false,
      isExpired: false,
      renewing: undefined,
      onLost,
    };
    this.#held.add(lease);
    this.#schedule();
    return lease;
  }

  /** From now on it is not renewed: it was given back, or it runs out. */
  drop(lease: Lease): void {
    lease.isOver = true;
    this.#held.delete(lease);
    if (this.#held.size > 0) return;
    this.#callOff?.();
    this.#callOff = undefined;
  }

  async isLive(key: string): Promise<boolean> {
    return (await this.#options.store.get(SPACE, key)) !== undefined;
  }

  /**
   * Writes under the lease: all operations, or none when the lease is lost. `isEnd` gives it back with them.
   * A lease that ran out is taken again, if nobody has one: the operations must fail if somebody had one meanwhile.
   * What fails is counted from the first of `operations`.
   */
  async write(
    lease: Lease,
    operations: readonly Operation[],
    isEnd: boolean,
  ): Promise<TransactResult | 'lost'> {
    for (;;) {
      if (lease.isOver) return 'lost';
      const { key, version, isExpired } = lease;
      const condition: Operation = isExpired
        ? isEnd
          ? { type: 'check', space: SPACE, key, ifVersion: 0 }
          : this.taking(key)
        : { type: isEnd ? 'delete' : 'check', space: SPACE, key, ifVersion: version };
      const done = await this.#options.store.transact([condition, ...operations]);
      if (done.ok) {
        if (isExpired && !isEnd) {
          lease.version = done.results[0]!;
          lease.isExpired = false;
        }
        return { ok: true, results: done.results.slice(1) };
      }
      if (done.failed > 0) return { ...done, failed: done.failed - 1 };
      await lease.renewing;
      if (done.found === 0 && !isExpired) lease.isExpired = true;
      else if (lease.version === version) return 'lost';
    }
  }

  #expiry(): number {
    return this.#options.now() + this.#options.leaseMs;
  }

  #schedule(): void {
    if (this.#callOff !== undefined || this.#isRenewing) return;
    const { setTimer, leaseMs } = this.#options;
    // Twice before it runs out, so that one failure is no loss.
    this.#callOff = setTimer(() => void this.#renewAll(), Math.max(1, Math.floor(leaseMs / 3)));
  }

  async #renewAll(): Promise<void> {
    this.#callOff = undefined;
    this.#isRenewing = true;
    const all = [...this.#held];
    for (let at = 0; at < all.length; at += BATCH) {
      const batch = all.slice(at, at + BATCH).filter(isRenewable);
      const renewing = this.#renew(batch).catch(this.#options.onError);
      for (const lease of batch) lease.renewing = renewing;
      await renewing;
      for (const lease of batch) lease.renewing = undefined;
    }
    this.#isRenewing = false;
    if (this.#held.size > 0) this.#schedule();
  }

  async #renew(batch: readonly Lease[]): Promise<void> {
    let rest = [...batch];
    while (rest.length > 0) {
      const expiresAt = this.#expiry();
      const done = await this.#options.store.transact(
        rest.map(({ key, version: ifVersion }) => {
          return { type: 'put', space: SPACE, key, value: this.#value, expiresAt, ifVersion };
        }),
      );
      if (done.ok) {
        for (const [at, lease] of rest.entries()) lease.version = done.results[at]!;
        return;
      }
      const lost = rest[done.failed]!;
      if (done.found === 0) lost.isExpired = true;
      // Its run may have ended while this was under way.
      else if (!lost.isOver) {
        this.drop(lost);
        lost.onLost();
      }
      rest = rest.filter(isRenewable);
    }
  }
}

function isRenewable({ isOver, isExpired }: Lease): boolean {
  return !isOver && !isExpired;
}
