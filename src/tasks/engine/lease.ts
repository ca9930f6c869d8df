// Owns who works on a task: a lease in the store that only its holder renews. Every write of a run depends on the
// version of the lease, so a holder that has lost the lease can write no more.

import { decodeUtf8, encodeUtf8 } from '../../codec/utf8.ts';
import { equalBytes } from '../../crypto/bytes.ts';
import type { Entry, Operation, Store, TransactResult } from '../../stores/store.ts';
import type { TaskHolder } from './holder.ts';
import { retryStoreCall } from './store-retry.ts';
import type { StoreRetryResult } from './store-retry.ts';
import type { SetTimer } from './timer.ts';

export interface Lease {
  readonly key: string;
  version: number;
  /** Ended, given back or lost. */
  isOver: boolean;
  /** It ran out. Perhaps nobody else has taken the task yet: the next write finds out. */
  isExpired: boolean;
  /** A renewal that is under way. It changes the version. */
  renewing: Promise<unknown> | undefined;
  /** Told once when somebody else may have the task. */
  readonly onLost: () => void;
}

export interface LeaseKeeperOptions {
  readonly store: Store;
  /** Who holds the leases: one engine of one process, and nobody else ever. */
  readonly holder: TaskHolder;
  readonly leaseMs: number;
  readonly now: () => number;
  readonly setTimer: SetTimer;
  readonly onError: (cause: unknown) => void;
}

const SPACE = 'task-lease';
/** Leases that are read at once. */
const PAGE = 1_000;
/** Leases of one transaction. */
const BATCH = 200;

export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #value: Uint8Array;
  readonly #intervalMs: number;
  readonly #held = new Set<Lease>();
  #callOff: (() => void) | undefined;
  #isRenewing = false;
  #isHurried = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#value = encodeUtf8(options.holder.name);
    this.#intervalMs = Math.max(1, Math.floor(options.leaseMs / 3));
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

  /** The tasks that somebody works on. */
  async liveKeys(): Promise<ReadonlySet<string>> {
    const live = new Set<string>();
    for await (const { key } of this.#all()) live.add(key);
    return live;
  }

  /** Ends the leases of holders that are known to have ended, so that nobody waits for them to run out. */
  async endDead(): Promise<void> {
    const { store, holder } = this.#options;
    if (!holder.isExclusive) return;
    for await (const { key, value, version } of this.#all()) {
      if (holder.hasEnded(decodeUtf8(value)))
        await store.delete(SPACE, key, { ifVersion: version });
    }
  }

  async *#all(): AsyncGenerator<Entry> {
    for (let after: string | undefined; ;) {
      const { entries, next } = await this.#options.store.list(SPACE, { after, limit: PAGE });
      yield* entries;
      if (next === undefined) return;
      after = next;
    }
  }

  async isLive(key: string): Promise<boolean> {
    return (await this.#options.store.get(SPACE, key)) !== undefined;
  }

  /** The version of the lease if this engine holds it, even if the answer to taking or renewing it was lost. */
  async ownVersion(key: string): Promise<number | undefined> {
    const entry = await this.#options.store.get(SPACE, key);
    return entry !== undefined && equalBytes(entry.value, this.#value) ? entry.version : undefined;
  }

  /** Repeats a call when its answer was lost, for as long as a lease lasts. */
  retry<T>(call: () => Promise<T>): Promise<StoreRetryResult<T>> {
    const { now, setTimer, leaseMs: forMs } = this.#options;
    return retryStoreCall(call, { now, setTimer, forMs, isHurried: () => this.#isHurried });
  }

  /** From now on nobody waits for a store that is away: the engine closes. */
  hurry(): void {
    this.#isHurried = true;
  }

  /**
   * Writes under the lease: all operations, or none when the lease is lost. `isEnd` gives it back with them.
   * A lease that ran out is taken again if nobody holds one. Somebody may have held one in between, so the operations
   * must carry conditions that fail then.
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
      await lease.renewing?.catch(() => undefined);
      if (done.found === 0 && !isExpired) lease.isExpired = true;
      else if (lease.version === version && (await this.#look(lease)) !== 'own') return 'lost';
    }
  }

  /** Who holds it. If the answer to a renewal was lost, the lease has a new version: it is taken over here. */
  async #look(lease: Lease): Promise<'own' | 'other' | 'nobody'> {
    const entry = await this.#options.store.get(SPACE, lease.key);
    if (entry === undefined) return 'nobody';
    if (!equalBytes(entry.value, this.#value)) return 'other';
    lease.version = entry.version;
    lease.isExpired = false;
    return 'own';
  }

  #expiry(): number {
    return this.#options.now() + this.#options.leaseMs;
  }

  #schedule(): void {
    if (this.#callOff !== undefined || this.#isRenewing) return;
    // Twice before it runs out, so that one failure is no loss.
    this.#callOff = this.#options.setTimer(() => void this.#renewAll(), this.#intervalMs);
  }

  async #renewAll(): Promise<void> {
    this.#callOff = undefined;
    this.#isRenewing = true;
    const { now, setTimer, onError } = this.#options;
    const next = now() + this.#intervalMs;
    const all = [...this.#held];
    for (let at = 0; at < all.length; at += BATCH) {
      const batch = all.slice(at, at + BATCH).filter(isRenewable);
      const renewing = retryStoreCall(() => this.#renew(batch), {
        now,
        setTimer,
        forMs: next - now(),
      });
      for (const lease of batch) lease.renewing = renewing;
      await renewing.catch(onError);
      for (const lease of batch) lease.renewing = undefined;
    }
    this.#isRenewing = false;
    if (this.#held.size > 0) this.#schedule();
  }

  async #renew(batch: readonly Lease[]): Promise<void> {
    for (let rest = batch.filter(isRenewable); rest.length > 0;) {
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
      if (done.found === 0) rest[done.failed]!.isExpired = true;
      // All leases were renewed in one call: if its answer was lost, every one of them has a new version.
      else await Promise.all(rest.map((lease) => this.#loseIfTaken(lease)));
      rest = rest.filter(isRenewable);
    }
  }

  async #loseIfTaken(lease: Lease): Promise<void> {
    // Its run may have ended while this was under way.
    if ((await this.#look(lease)) !== 'other' || lease.isOver) return;
    this.drop(lease);
    lease.onLost();
  }
}

function isRenewable({ isOver, isExpired }: Lease): boolean {
  return !isOver && !isExpired;
}
