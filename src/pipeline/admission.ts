// Owns the check `admit`: how many messages at once and how fast, per address before the sender is proven and per
// agent afterwards, so that one cannot use up the room of another. SPEC.md section 13 (#admit).

import type { MaybePromise } from '../crypto/provider.ts';
import { SdlError } from '../errors.ts';
import type { MemoryRateLimiter, RateLimiter } from '../stores/rate-limiter.ts';
import { checkRateLimits, createMemoryRateLimiter } from '../stores/rate-limiter.ts';

export interface AdmissionOptions {
  /** Messages at work at once, of everybody together. @default 1024 */
  readonly maxInFlight?: number;
  /** Messages at work at once from one address or of one agent. @default 256 */
  readonly maxInFlightPerPeer?: number;
  /** Streams open at once, of everybody together: of what is at work they leave room for the rest. @default 512 */
  readonly maxStreams?: number;
  /** Streams open at once of one agent or caller. @default 64 */
  readonly maxStreamsPerPeer?: number;
  /** Messages a second that one address or one agent may keep up. @default 1000 */
  readonly ratePerSecond?: number;
  /** Messages that one may send at once before the rate counts. @default 2000 */
  readonly burst?: number;
}

/** Room for one message. */
export interface Ticket {
  /** Counts the message for the agent that proved to have sent it. Throws LIMIT_RATE, or rejects with it. */
  claim(agentId: string): MaybePromise<void>;
  /** It stays open for as long as somebody listens: counts it among the streams of this caller. Throws LIMIT_RATE. */
  stream(principalId: string): void;
  /** It is a request: when this aborts nobody waits for its answer any more. */
  awaitedUntil(signal: AbortSignal): void;
  /** Must be called once the message is done with; a second call does nothing. */
  release(): void;
}

export interface AdmissionControl {
  /** Throws LIMIT_RATE where there is no room, and DRAINING while the runtime stops. */
  admit(address: string): Ticket;
  /**
   * Room for one call of somebody who is proven already, whatever dialect is spoken. Rejects with LIMIT_RATE or
   * DRAINING, or throws them; gives what gives the room back.
   */
  enter(principalId: string): MaybePromise<() => void>;
  /** From now on nothing is admitted. */
  drain(): void;
  readonly inFlight: number;
  /** Resolves once nothing is at work but requests of who has gone. */
  unawaited(): Promise<void>;
  /** Resolves once nothing is at work. */
  idle(): Promise<void>;
}

const DEFAULTS = {
  maxInFlight: 1_024,
  maxInFlightPerPeer: 256,
  maxStreams: 512,
  maxStreamsPerPeer: 64,
  ratePerSecond: 1_000,
  burst: 2_000,
};

/** @param shared counts agents once more, for all nodes together. What is at work is counted here alone: a node that dies takes it along. */
export function createAdmission(
  options: AdmissionOptions = {},
  now: () => number = Date.now,
  shared?: RateLimiter,
): AdmissionControl {
  const limits = { ...DEFAULTS, ...options };
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULTS, name))
      throw new TypeError(`"${name}" is not an option of admission`);
    if (!(Number.isFinite(value) && value > 0)) {
      throw new RangeError(`"${name}" expected a number above 0`);
    }
  }
  checkRateLimits(limits);
  const byAddress = new Senders(limits, now);
  const byAgent = new Senders(limits, now);
  const streams = new Streams(limits);
  const atWork = new Count();
  const awaited = new Count();
  let isDraining = false;

  const takeShared = async (limiter: RateLimiter, agentId: string): Promise<void> => {
    if (await limiter.take(agentId, limits)) return;
    throw new SdlError('LIMIT_RATE', 'one agent sends too fast to all nodes together');
  };

  const rooms: Rooms = {
    byAddress,
    streams,
    atWork,
    awaited,
    claim: (agentId, onLeave) => {
      // First here: who is too fast for one node alone costs the others nothing.
      onLeave(byAgent.enter(agentId));
      return shared === undefined ? undefined : takeShared(shared, agentId);
    },
  };

  return {
    admit(address) {
      if (isDraining) throw new SdlError('DRAINING', 'the runtime is stopping');
      if (atWork.size >= limits.maxInFlight) {
        throw new SdlError('LIMIT_RATE', 'too many messages are at work');
      }
      return new Room(rooms, address);
    },
    enter: (principalId) => {
      if (isDraining) throw new SdlError('DRAINING', 'the runtime is stopping');
      const leave = byAgent.enter(principalId);
      if (shared === undefined) return leave;
      return takeShared(shared, principalId).then(
        () => leave,
        (thrown: unknown) => {
          leave();
          throw thrown;
        },
      );
    },
    drain: () => {
      isDraining = true;
    },
    get inFlight() {
      return atWork.size;
    },
    unawaited: () => awaited.none(),
    idle: () => atWork.none(),
  };
}

/** What a ticket is counted in. */
interface Rooms {
  readonly byAddress: Senders;
  readonly streams: Streams;
  readonly atWork: Count;
  readonly awaited: Count;
  /** @param onLeave given what takes the agent away again. */
  readonly claim: (agentId: string, onLeave: (leave: () => void) => void) => MaybePromise<void>;
}

/** Most of them are only made and released: what else a ticket may need is made when it is asked for. */
class Room implements Ticket {
  readonly #rooms: Rooms;
  readonly #leaveAddress: () => void;
  #further: (() => void)[] | undefined;
  #isAwaited = true;
  #isReleased = false;

  /** Throws LIMIT_RATE. */
  constructor(rooms: Rooms, address: string) {
    this.#rooms = rooms;
    this.#leaveAddress = rooms.byAddress.enter(address);
    rooms.atWork.add();
    rooms.awaited.add();
  }

  claim(agentId: string): MaybePromise<void> {
    return this.#rooms.claim(agentId, (leave) => this.#onRelease(leave));
  }

  stream(principalId: string): void {
    this.#onRelease(this.#rooms.streams.enter(principalId));
  }

  awaitedUntil(signal: AbortSignal): void {
    const stop = (): void => this.#stopAwaiting();
    signal.addEventListener('abort', stop, { once: true });
    this.#onRelease(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
  }

  release(): void {
    if (!this.#isReleased) {
      this.#isReleased = true;
      this.#leaveAddress();
      this.#rooms.atWork.take();
      this.#stopAwaiting();
    }
    for (const leave of this.#further?.splice(0) ?? []) leave();
  }

  #onRelease(leave: () => void): void {
    this.#further ??= [];
    this.#further.push(leave);
  }

  #stopAwaiting(): void {
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    this.#rooms.awaited.take();
  }
}

/** How many there are, and the wait for none. */
class Count {
  readonly #waiting: (() => void)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(): void {
    this.#size += 1;
  }

  /** One that was added is there no more. */
  take(): void {
    this.#size -= 1;
    if (this.#size > 0 || this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  none(): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** How many there are of each. */
class CountsByKey {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Returns what takes it away again, which is called once. */
  add(key: string): () => void {
    this.#counts.set(key, this.of(key) + 1);
    return () => {
      const left = this.of(key) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    };
  }
}

/** What stays open: each has its own room, and all together leave some to what is done soon. */
class Streams {
  readonly #limits: Required<AdmissionOptions>;
  readonly #open = new CountsByKey();
  readonly #all = new Count();

  constructor(limits: Required<AdmissionOptions>) {
    this.#limits = limits;
  }

  enter(key: string): () => void {
    if (this.#open.of(key) >= this.#limits.maxStreamsPerPeer) {
      throw new SdlError('LIMIT_RATE', 'one caller has too many streams open');
    }
    if (this.#all.size >= this.#limits.maxStreams) {
      throw new SdlError('LIMIT_RATE', 'too many streams are open');
    }
    const leave = this.#open.add(key);
    this.#all.add();
    return () => {
      leave();
      this.#all.take();
    };
  }
}

/** Addresses, or agents: each has its own room. */
class Senders {
  readonly #limits: Required<AdmissionOptions>;
  readonly #rates: MemoryRateLimiter;
  readonly #atWork = new CountsByKey();

  constructor(limits: Required<AdmissionOptions>, now: () => number) {
    this.#limits = limits;
    this.#rates = createMemoryRateLimiter({ now });
  }

  enter(key: string): () => void {
    const hasRoom = this.#atWork.of(key) < this.#limits.maxInFlightPerPeer;
    if (!hasRoom || !this.#rates.take(key, this.#limits)) {
      throw new SdlError(
        'LIMIT_RATE',
        'one sender has too many messages at work or sends too fast',
      );
    }
    return this.#atWork.add(key);
  }
}
