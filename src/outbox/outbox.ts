// Owns the outbox: what must be told to somebody outside is stored together with what happened, and told until it is
// done or given up. Any node that shares the store goes on when the one that tells is silent. SPEC.md section 9
// (#task-delegation).

import type { JsonObject } from '../codec/value.ts';
import type { Operation, Store } from '../stores/store.ts';
import type { SetTimer } from '../tasks/engine/timer.ts';
import { setTimer } from '../tasks/engine/timer.ts';
import type { Deliverer } from './deliverer.ts';
import type { StoredEntry, VersionedEntry } from './entry.ts';
import {
  SPACE,
  addingEntry,
  dueEntries,
  entryAt,
  nameOf,
  removingEntry,
  storedForm,
} from './entry.ts';
import { Places } from './places.ts';
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
  /** For a transaction: it is told no more. */
  removing(kind: string, key: string): Operation;
  /**
   * Something was added: it is tried at once. One that is named has something new: it is tried at once if it rests; what
   * was tried in vain keeps its time.
   */
  notice(kind?: string, key?: string): void;
  /** There is such an entry: it is still to be told, or being told. */
  has(kind: string, key: string): Promise<boolean>;
  /** From now on this is told here, too. One that was registered before is asked no more. */
  register(kind: string, deliverer: Deliverer): void;
  /** From now on it looks for what must be told. */
  open(): Promise<void>;
  /** Tells what is due, for at most `graceMs`. The rest is left to others, or to the next start. */
  close(graceMs: number): Promise<void>;
  stats(): OutboxStats;
}

/** Entries of one kind that are told at the same time: a kind that is stuck does not hold up the others. */
const MAX_AT_ONCE = 16;
/** Entries for which there is no place, among which others are looked for; more than these are put off. */
const MAX_PASSED = 1_000;
/** For how long. */
const PUT_OFF_MS = 2_000;
/** How many looks for what others left an entry without anything new is passed by. */
const LOOKS_OF_REST = 6;
/** So often an entry that changes is looked at again. */
const MAX_LOOKS = 5;
/** How long those that were told to stop may take to be written down. */
const LAST_WRITES_MS = 2_000;

export function createOutbox(options: OutboxOptions): Outbox {
  return new StoredOutbox(options);
}

/** One kind of entries. */
interface Kind {
  readonly name: string;
  deliverer: Deliverer;
  /** What is told now, by its name. */
  readonly telling: Map<string, Telling>;
  readonly places: Places;
  /** Something is due and waits for a place. */
  isWaiting: boolean;
  /** The outbox closes, and nothing more of it is told here. */
  isOver: boolean;
}

class StoredOutbox implements Outbox {
  readonly #services: TellingServices;
  readonly #lookEveryMs: number;
  readonly #kinds = new Map<string, Kind>();
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
  #isOpen = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #callOff: () => void = () => undefined;

  constructor(options: OutboxOptions) {
    const { store, holder, onError, now = Date.now, random = Math.random } = options;
    const { leaseMs = 30_000 } = options;
    this.#lookEveryMs = options.lookEveryMs ?? 10_000;
    for (const [kind, deliverer] of Object.entries(options.deliverers)) {
      this.register(kind, deliverer);
    }
    this.#services = {
      store,
      holder,
      leaseMs,
      restMs: LOOKS_OF_REST * this.#lookEveryMs,
      onError,
      now,
      random,
      setTimer: options.setTimer ?? setTimer,
    };
  }

  register(name: string, deliverer: Deliverer): void {
    const known = this.#kinds.get(name);
    if (known !== undefined) known.deliverer = deliverer;
    else this.#kinds.set(name, newKind(name, deliverer));
    if (this.#isOpen) this.notice();
  }

  adding(kind: string, key: string, facts: JsonObject): Operation {
    return addingEntry(kind, key, facts, this.#services.now());
  }

  removing(kind: string, key: string): Operation {
    return removingEntry(kind, key);
  }

  async has(kind: string, key: string): Promise<boolean> {
    return (await entryAt(this.#services.store, nameOf({ kind, key }))) !== undefined;
  }

  notice(kind?: string, key?: string): void {
    if (this.#isClosed) return;
    if (kind === undefined || key === undefined) void this.#look();
    else this.#track(this.#wake(kind, key));
  }

  open(): Promise<void> {
    this.#isOpen = true;
    return this.#look();
  }

  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  stats(): OutboxStats {
    const telling = [...this.#kinds.values()].reduce((sum, kind) => sum + kind.telling.size, 0);
    return { telling, ...this.#counts };
  }

  async #close(graceMs: number): Promise<void> {
    const kinds = [...this.#kinds.values()];
    const callOffs = kinds.map((kind) =>
      this.#services.setTimer(() => stopTelling(kind), kind.deliverer.lastWordsMs ?? graceMs),
    );
    await this.#within(graceMs, this.#rest());
    for (const callOff of callOffs) callOff();
    this.#isClosed = true;
    this.#callOff();
    for (const kind of kinds) stopTelling(kind);
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
    let soonest = Infinity;
    for (const kind of this.#kinds.values()) {
      soonest = Math.min(soonest, await this.#lookFor(kind));
    }
    return soonest;
  }

  /** When the next entry of the kind is due that waits for no place. */
  async #lookFor(kind: Kind): Promise<number> {
    const { store, now } = this.#services;
    const { name, telling, places } = kind;
    kind.isWaiting = false;
    let passed: VersionedEntry[] = [];
    for (let after: string | undefined; ;) {
      // Those that were just begun may not have been taken yet.
      const atMost = (kind.deliverer.atOnce ?? MAX_AT_ONCE) + telling.size;
      const { due, next, more } = await dueEntries(store, name, now(), atMost, after);
      for (const found of due) if (!this.#tell(kind, found)) passed.push(found);
      if (passed.length > 0) kind.isWaiting = true;
      if (places.isFull) return Infinity;
      if (more === undefined) return next;
      after = more;
      if (passed.length < MAX_PASSED) continue;
      await this.#putOff(passed);
      passed = [];
    }
  }

  /** They stand in the way of those behind them, which may be for others. */
  async #putOff(passed: readonly VersionedEntry[]): Promise<void> {
    const { store, now, random } = this.#services;
    for (const { entry, version: ifVersion } of passed) {
      const { holder: _silent, ...free } = entry;
      const notBefore = now() + Math.ceil(PUT_OFF_MS * (0.5 + random() / 2));
      const { value, ...listed } = storedForm({ ...free, notBefore });
      await store.put(SPACE, nameOf(entry), value, { ...listed, ifVersion });
    }
  }

  /** There is something new to tell. */
  async #wake(name: string, key: string): Promise<void> {
    const entryName = nameOf({ kind: name, key });
    if (this.#kinds.get(name)?.telling.has(entryName) === true) {
      // What is new may have come too late for this try.
      this.#woken.add(entryName);
      return;
    }
    const { store, now } = this.#services;
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const found = await entryAt(store, entryName);
      const woken = found && wokenEntry(found.entry, now());
      if (found === undefined || woken === undefined) break;
      const { value, ...listed } = storedForm(woken);
      const options = { ...listed, ifVersion: found.version };
      if ((await store.put(SPACE, entryName, value, options)).ok) break;
    }
    await this.#look();
  }

  /** False when there is no place for it. */
  #tell(kind: Kind, found: VersionedEntry): boolean {
    const { name: kindName, telling, deliverer, places } = kind;
    const { key } = found.entry;
    const name = nameOf(found.entry);
    if (telling.has(name) || kind.isOver || this.#isClosed) return true;
    const givePlace = places.enter(deliverer.lanesOf?.(found.entry) ?? []);
    if (givePlace === undefined) return false;
    const one = new Telling(found, deliverer, this.#services);
    telling.set(name, one);
    const leave = (): void => {
      givePlace();
      telling.delete(name);
      if (this.#woken.delete(name)) this.notice(kindName, key);
      else if (kind.isWaiting) this.notice();
    };
    this.#track(
      one
        .run()
        .finally(leave)
        .then((end) => this.#count(end)),
    );
    return true;
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

function newKind(name: string, deliverer: Deliverer): Kind {
  const places = new Places(deliverer.atOnce ?? MAX_AT_ONCE);
  return { name, deliverer, telling: new Map(), places, isWaiting: false, isOver: false };
}

function stopTelling(kind: Kind): void {
  kind.isOver = true;
  for (const one of kind.telling.values()) one.stop();
}

/** How it is written when there is something new; `undefined` when it is looked at anyway. */
function wokenEntry(entry: StoredEntry, nowMs: number): StoredEntry | undefined {
  // Who tells it now may have looked already.
  if (entry.holder !== undefined && entry.notBefore > nowMs) {
    return entry.isNoticed === true ? undefined : { ...entry, isNoticed: true };
  }
  const isResting = entry.attempt === 0 && entry.notBefore > nowMs;
  return isResting ? { ...entry, notBefore: nowMs } : undefined;
}
