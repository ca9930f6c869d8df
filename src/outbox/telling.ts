// Owns one try to tell one entry: taken with a lease, which is renewed while it lasts, and written down when it is over.
// Who has lost the lease is told to stop a little before anybody else may begin, and writes nothing any more.

import { equalBytes } from '../crypto/bytes.ts';
import type { Store } from '../stores/store.ts';
import type { StoreRetryResult } from '../tasks/engine/store-retry.ts';
import { retryStoreCall } from '../tasks/engine/store-retry.ts';
import type { SetTimer } from '../tasks/engine/timer.ts';
import type { Delivered, Deliverer, Postponed, Progress } from './deliverer.ts';
import { delayAfter, hasTriedEnough, isTooOld } from './deliverer.ts';
import type { StoredEntry, VersionedEntry } from './entry.ts';
import { SPACE, entryAt, nameOf, storedForm } from './entry.ts';

export interface TellingServices {
  readonly store: Store;
  readonly now: () => number;
  readonly setTimer: SetTimer;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Who tells: one process, and nobody else ever. */
  readonly holder: string;
  /** How long one that is silent keeps what it took. */
  readonly leaseMs: number;
  /** What has nothing new to tell is looked at again after this: who had something new may have died before it said so. */
  readonly restMs: number;
  readonly onError: (cause: unknown) => void;
}

/** taken: somebody else was faster, or took it away. over: given up. */
export type TellingEnd = 'taken' | 'done' | 'further' | 'failed' | 'stopped' | 'over';

/** A try is not longer than this. */
const LONGEST_MS = 600_000;

export class Telling {
  readonly #services: TellingServices;
  readonly #deliverer: Deliverer;
  readonly #name: string;
  readonly #abort = new AbortController();
  #entry: StoredEntry;
  #version: number;
  #isStopped = false;
  #isTold = false;
  /** Another node has said that there is something new. */
  #isNoticed = false;
  #callOffRenewal: () => void = () => undefined;
  #callOffEnd: () => void = () => undefined;
  #renewing: Promise<void> | undefined;

  constructor(found: VersionedEntry, deliverer: Deliverer, services: TellingServices) {
    this.#services = services;
    this.#deliverer = deliverer;
    this.#entry = found.entry;
    this.#version = found.version;
    this.#name = nameOf(found.entry);
  }

  /** It is given back, for another one to take up at once. */
  stop(): void {
    this.#isStopped = true;
    this.#abort.abort(new Error('the outbox closes'));
  }

  /** Throws only what the store throws. */
  async run(): Promise<TellingEnd> {
    const { attempt } = this.#entry;
    const latest = this.#services.now() + LONGEST_MS;
    const taken = { ...this.#leased(), attempt: attempt + 1 };
    if (!(await this.#write(() => taken))) return 'taken';
    // Whoever tried it last may have died of it.
    if (hasTriedEnough(attempt, this.#deliverer)) return this.#giveUp(undefined);
    this.#guard();
    this.#renewFrom(latest);
    const told = await this.#tell();
    this.#isTold = true;
    this.#callOffRenewal();
    this.#callOffEnd();
    await this.#renewing;
    return this.#markAs(told);
  }

  async #tell(): Promise<Told> {
    const { signal } = this.#abort;
    try {
      signal.throwIfAborted();
      const delivered = await this.#deliverer.deliver(this.#entry, signal);
      if (typeof delivered === 'object') assertProgress(delivered, this.#entry.position);
      return { delivered };
    } catch (cause) {
      return { delivered: 'later', cause };
    }
  }

  /** The lease may have run out by now: then this is written only if nobody else has taken the entry. */
  async #markAs({ delivered, cause }: Told): Promise<TellingEnd> {
    if (delivered === 'done') return (await this.#remove()) ? 'done' : 'taken';
    if (delivered === 'later') return this.#markVain({ later: 0 }, cause);
    return 'later' in delivered ? this.#markVain(delivered, cause) : this.#markProgress(delivered);
  }

  #markProgress({ position, isCaughtUp = false }: Progress): Promise<TellingEnd> {
    const { holder: _free, ...entry } = this.#entry;
    const { now, restMs } = this.#services;
    const since = now();
    const isResting = isCaughtUp || position === entry.position;
    const marked = { ...entry, position, attempt: 0, since };
    const entryFor = (isNoticed: boolean): StoredEntry => ({
      ...marked,
      notBefore: isResting && !isNoticed ? since + restMs : since,
    });
    return this.#mark(entryFor, 'further');
  }

  async #markVain({ later, position }: Postponed, cause: unknown): Promise<TellingEnd> {
    const { now, random } = this.#services;
    const { holder: _free, ...before } = this.#entry;
    const isFurther = position !== undefined && position > before.position;
    // The first try in vain to tell what follows.
    const entry = isFurther ? { ...before, position, attempt: 1, since: now() } : before;
    if (this.#isStopped) {
      const stopped = { ...entry, attempt: entry.attempt - 1, notBefore: now() };
      return this.#mark(() => stopped, 'stopped');
    }
    const isEnough =
      hasTriedEnough(entry.attempt, this.#deliverer) ||
      isTooOld(entry.since, now(), this.#deliverer);
    if (isEnough) return this.#giveUp(cause);
    const delayMs = delayAfter(entry.attempt, this.#deliverer, random, later);
    const failed = { ...entry, notBefore: now() + delayMs };
    return this.#mark(() => failed, 'failed');
  }

  async #mark(entryFor: EntryFor, end: TellingEnd): Promise<TellingEnd> {
    return (await this.#write(entryFor)) ? end : 'taken';
  }

  async #giveUp(cause: unknown): Promise<TellingEnd> {
    if (!(await this.#remove())) return 'taken';
    const { kind, key, attempt } = this.#entry;
    const words = `gave up telling ${kind} ${key} after ${attempt} tries`;
    this.#services.onError(new Error(words, { cause }));
    return 'over';
  }

  #leased(): StoredEntry {
    const { holder, now, leaseMs } = this.#services;
    // What was noticed before is told now.
    const { isNoticed: _told, ...entry } = this.#entry;
    return { ...entry, holder, notBefore: now() + leaseMs };
  }

  /** Tells to stop when the lease is about to run out. */
  #guard(): void {
    const { setTimer, now, leaseMs } = this.#services;
    this.#callOffEnd();
    const leftMs = Math.max(0, this.#entry.notBefore - leaseMs / 6 - now());
    this.#callOffEnd = setTimer(() => this.#lose(), leftMs);
  }

  #lose(): void {
    this.#abort.abort(new Error('somebody else may tell it'));
  }

  /** Twice before it runs out, so that one failure is no loss. */
  #renewFrom(latest: number): void {
    const { now, setTimer, leaseMs } = this.#services;
    this.#callOffRenewal = setTimer(
      () => {
        if (now() >= latest) return;
        this.#renewing = this.#renew().then(() => {
          if (!this.#isTold) this.#renewFrom(latest);
        });
      },
      Math.floor(leaseMs / 3),
    );
  }

  async #renew(): Promise<void> {
    try {
      const leased = this.#leased();
      if (!(await this.#tryWrite(() => leased))) this.#lose();
      else if (!this.#isTold) this.#guard();
    } catch {
      // The next renewal finds out, or the lease ends.
    }
  }

  async #write(entryFor: EntryFor): Promise<boolean> {
    return (await this.#insist(() => this.#tryWrite(entryFor))).done;
  }

  /** False when somebody else has changed the entry. That it was noticed meanwhile is no change. */
  async #tryWrite(entryFor: EntryFor): Promise<boolean> {
    const { store, holder } = this.#services;
    for (;;) {
      const entry = entryFor(this.#isNoticed);
      const { value, ...listed } = storedForm(entry);
      const done = await store.put(SPACE, this.#name, value, {
        ...listed,
        ifVersion: this.#version,
      });
      if (done.ok) {
        this.#version = done.version;
        this.#entry = entry;
        return true;
      }
      const found = await entryAt(store, this.#name);
      if (found === undefined) return false;
      // An earlier write of ours was done, and its answer lost.
      const isWritten = equalBytes(storedForm(found.entry).value, value);
      if (!isWritten && found.entry.holder !== holder) return false;
      this.#version = found.version;
      if (found.entry.isNoticed === true) this.#isNoticed = true;
      if (!isWritten) continue;
      this.#entry = entry;
      return true;
    }
  }

  /** False when somebody else has changed the entry. */
  async #remove(): Promise<boolean> {
    const { store, holder } = this.#services;
    const { done, isRepeat } = await this.#insist(async () => {
      for (;;) {
        const gone = await store.delete(SPACE, this.#name, { ifVersion: this.#version });
        if (gone.ok || gone.version === 0) return gone;
        const found = await entryAt(store, this.#name);
        if (found?.entry.holder !== holder) return gone;
        this.#version = found.version;
      }
    });
    return done.ok || (isRepeat && done.version === 0);
  }

  #insist<T>(call: () => Promise<T>): Promise<StoreRetryResult<T>> {
    const { now, setTimer, leaseMs: forMs } = this.#services;
    return retryStoreCall(call, { now, setTimer, forMs, isHurried: () => this.#isStopped });
  }
}

interface Told {
  readonly delivered: Delivered;
  readonly cause?: unknown;
}

/** The same each time, but for whether something new came meanwhile. */
type EntryFor = (isNoticed: boolean) => StoredEntry;

function assertProgress(told: Progress | Postponed, from: number): void {
  const { position = from } = told;
  if (!Number.isSafeInteger(position) || position < from) {
    throw new RangeError(`"position" expected an integer of at least ${from}`);
  }
  if ('later' in told && !(told.later >= 0)) {
    throw new RangeError('"later" expected a number of milliseconds');
  }
}
