// Owns the outbox: what must be told to somebody outside is stored together with what happened, and told until it is
// done or given up. Any node that shares the store goes on when the one that tells is silent. SPEC.md section 9
// (#task-delegation).

import type { JsonObject } from '../codec/value.ts';
import type { Operation, Store } from '../stores/store.ts';
import type { SetTimer } from '../tasks/engine/timer.ts';
import { setTimer } from '../tasks/engine/timer.ts';
import type { Deliverer } from './deliverer.ts';
import type { VersionedEntry } from './entry.ts';
import { SPACE, addingEntry, dueEntries, entryAt, nameOf, storedForm } from './entry.ts';
import type { TellingEnd, TellingServices } from './telling.ts';
import { Telling } from './telling.ts';

export interface OutboxOptions {
  readonly store: Store;
  /** Names this process to those that share the store; nobody else ever has this name. */
  readonly holder: string;
  /** Kind → who tells it. What is of another kind waits for a node that knows it. */
  readonly deliverers: Readonly<Record<string, Deliverer>>;
  /** Told once of each entry that was given up, and when the store fails. */
  readonly onError: (cause: unknown) => void;
  /** How long a node that is silent keeps what it took. @default 30000 */
  readonly leaseMs?: number;
  /** From one look for what others left to the next. @default 10000 */
  readonly lookEveryMs?: number;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** @default real time */
  readonly setTimer?: SetTimer;
  /** From 0 up to 1, to spread tries. @default Math.random */
  readonly random?: () => number;
}

/** Since the start of this process. */
export interface OutboxStats {
  /** Being told now. */
  readonly telling: number;
  /** Told to the end. */
  readonly told: number;
  /** Tries in vain. */
  readonly failed: number;
  readonly givenUp: number;
}

export interface Outbox {
  /**
   * For the transaction of what happened; {@link notice} after it. Under a name that is there already, the new entry
   * takes the place of the old one.
   */
  adding(kind: string, key: string, facts: JsonObject): Operation;
  /** Something was added: it is tried at once. One that is named is tried even if its time has not come. */
  notice(kind?: string, key?: string): void;
  /** From now on it looks for what must be told. */
  open(): Promise<void>;
  /** Tells what is due, for at most `graceMs`. The rest is left to others, or to the next start. */
  close(graceMs: number): Promise<void>;
  stats(): OutboxStats;
}

/** Entries of one kind that are told at the same time: a kind that is stuck does not hold up the others. */
const MAX_AT_ONCE = 16;
/** How long those that were told to stop may take to be written down. */
const LAST_WRITES_MS = 2_000;

export function createOutbox(options: OutboxOptions): Outbox {
  return new StoredOutbox(options);
}

class StoredOutbox implements Outbox {
  readonly #services: TellingServices;
  readonly #deliverers: ReadonlyMap<string, Deliverer>;
  readonly #lookEveryMs: number;
  /** Kind → what is told now, by its name. */
  readonly #telling: ReadonlyMap<string, Map<string, Telling>>;
  /** Names of entries that were noticed while they were told. */
  readonly #woken = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #counts: Record<'told' | 'failed' | 'givenUp', number> = {
    told: 0,
    failed: 0,
    givenUp: 0,
  };
  #looking: Promise<void> | undefined;
  #mustLookAgain = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #callOff: () => void = () => undefined;

  constructor(options: OutboxOptions) {
    const { store, holder, onError, now = Date.now, random = Math.random } = options;
    const { leaseMs = 30_000 } = options;
    this.#lookEveryMs = options.lookEveryMs ?? 10_000;
    this.#deliverers = new Map(Object.entries(options.deliverers));
    this.#telling = new Map([...this.#deliverers.keys()].map((kind) => [kind, new Map()]));
    this.#services = {
      store,
      holder,
      leaseMs,
      onError,
      now,
      random,
      setTimer: options.setTimer ?? setTimer,
    };
  }

  adding(kind: string, key: string, facts: JsonObject): Operation {
    return addingEntry(kind, key, facts, this.#services.now());
  }

  notice(kind?: string, key?: string): void {
    if (this.#isClosed) return;
    if (kind === undefined || key === undefined) void this.#look();
    else this.#track(this.#wake(kind, key));
  }

  open(): Promise<void> {
    return this.#look();
  }

  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  stats(): OutboxStats {
    const telling = [...this.#telling.values()].reduce((sum, { size }) => sum + size, 0);
    return { telling, ...this.#counts };
  }

  async #close(graceMs: number): Promise<void> {
    await this.#within(graceMs, this.#rest());
    this.#isClosed = true;
    this.#callOff();
    for (const all of this.#telling.values()) for (const telling of all.values()) telling.stop();
    await this.#within(LAST_WRITES_MS, Promise.all(this.#underWay));
  }

  /** Resolves when nothing is due, and nothing is being told. */
  async #rest(): Promise<void> {
    do {
      await this.#look();
      await Promise.all(this.#underWay);
    } while (this.#looking !== undefined || this.#underWay.size > 0);
  }

  #within(delayMs: number, done: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#services.setTimer(resolve, delayMs);
      void done.then(() => {
        callOff();
        resolve();
      });
    });
  }

  /** Resolves when all that is due and has a place is being told. */
  #look(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#mustLookAgain = true;
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookWhileAsked(): Promise<void> {
    let next = Infinity;
    while (this.#mustLookAgain && !this.#isClosed) {
      this.#mustLookAgain = false;
      next = await this.#lookOnce().catch((cause: unknown) => {
        this.#services.onError(cause);
        return Infinity;
      });
    }
    if (this.#isClosed) return;
    const { now, setTimer: wait } = this.#services;
    this.#callOff();
    const delayMs = Math.max(1, Math.min(this.#lookEveryMs, next - now()));
    this.#callOff = wait(() => void this.#look(), delayMs);
  }

  /** When the next entry is due. */
  async #lookOnce(): Promise<number> {
    const { store, now } = this.#services;
    let soonest = Infinity;
    for (const [kind, telling] of this.#telling) {
      // Those that were just begun may not have been taken yet.
      const atMost = MAX_AT_ONCE + telling.size;
      const { due, next } = await dueEntries(store, kind, now(), atMost);
      for (const found of due) this.#tell(found);
      if (telling.size < MAX_AT_ONCE) soonest = Math.min(soonest, next);
    }
    return soonest;
  }

  /** Its time has come. */
  async #wake(kind: string, key: string): Promise<void> {
    const { store, now } = this.#services;
    const name = nameOf({ kind, key });
    if (this.#telling.get(kind)?.has(name) === true) {
      // What is new may have come too late for this try.
      this.#woken.add(name);
      return;
    }
    const found = await entryAt(store, name);
    if (found === undefined) return;
    const { entry, version: ifVersion } = found;
    // Whoever holds it looks for what is new.
    if (entry.holder === undefined && entry.notBefore > now()) {
      const { value, ...listed } = storedForm({ ...entry, notBefore: now() });
      await store.put(SPACE, name, value, { ...listed, ifVersion });
    }
    await this.#look();
  }

  #tell(found: VersionedEntry): void {
    const { kind, key } = found.entry;
    const name = nameOf(found.entry);
    const deliverer = this.#deliverers.get(kind);
    const telling = this.#telling.get(kind);
    if (deliverer === undefined || telling === undefined || this.#isClosed) return;
    if (telling.size >= MAX_AT_ONCE || telling.has(name)) return;
    const one = new Telling(found, deliverer, this.#services);
    telling.set(name, one);
    const leave = (): void => {
      const wasFull = telling.size >= MAX_AT_ONCE;
      telling.delete(name);
      if (this.#woken.delete(name)) this.notice(kind, key);
      else if (wasFull) this.notice();
    };
    this.#track(
      one
        .run()
        .finally(leave)
        .then((end) => this.#count(end)),
    );
  }

  #count(end: TellingEnd): void {
    if (end === 'done') this.#counts.told += 1;
    else if (end === 'over') this.#counts.givenUp += 1;
    else {
      if (end === 'failed') this.#counts.failed += 1;
      // It goes on at once, or at its own time; what was replaced meanwhile has something new to tell.
      this.notice();
    }
  }

  #track(underWay: Promise<void>): void {
    const tracked = underWay.catch(this.#services.onError).finally(() => {
      this.#underWay.delete(tracked);
    });
    this.#underWay.add(tracked);
  }
}
