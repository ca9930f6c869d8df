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
  /** Messages a second that one address or one agent may keep up. @default 1000 */
  readonly ratePerSecond?: number;
  /** Messages that one may send at once before the rate counts. @default 2000 */
  readonly burst?: number;
}

/** Room for one message. */
export interface Ticket {
  /** Counts the message for the agent that proved to have sent it. Throws LIMIT_RATE, or rejects with it. */
  claim(agentId: string): MaybePromise<void>;
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
   * DRAINING; resolves with what gives the room back.
   */
  enter(principalId: string): Promise<() => void>;
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
  const atWork = new Count();
  const awaited = new Count();
  let isDraining = false;

  const takeShared = async (limiter: RateLimiter, agentId: string): Promise<void> => {
    if (await limiter.take(agentId, limits)) return;
    throw new SdlError('LIMIT_RATE', 'one agent sends too fast to all nodes together');
  };

  return {
    admit(address) {
      if (isDraining) throw new SdlError('DRAINING', 'the runtime is stopping');
      if (atWork.size >= limits.maxInFlight) {
        throw new SdlError('LIMIT_RATE', 'too many messages are at work');
      }
      const leaveAddress = byAddress.enter(address);
      const stopAwaiting = awaited.add();
      const releases = [leaveAddress, atWork.add(), stopAwaiting];
      return {
        claim: (agentId) => {
          // First here: who is too fast for one node alone costs the others nothing.
          releases.push(byAgent.enter(agentId));
          return shared === undefined ? undefined : takeShared(shared, agentId);
        },
        awaitedUntil: (signal) => {
          signal.addEventListener('abort', stopAwaiting, { once: true });
          releases.push(() => signal.removeEventListener('abort', stopAwaiting));
          if (signal.aborted) stopAwaiting();
        },
        release: () => {
          for (const release of releases.splice(0)) release();
        },
      };
    },
    enter: async (principalId) => {
      if (isDraining) throw new SdlError('DRAINING', 'the runtime is stopping');
      const leave = byAgent.enter(principalId);
      try {
        if (shared !== undefined) await takeShared(shared, principalId);
      } catch (thrown) {
        leave();
        throw thrown;
      }
      return leave;
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

/** How many there are, and the wait for none. */
class Count {
  readonly #waiting: (() => void)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns what takes it away again; a second call does nothing. */
  add(): () => void {
    let isCounted = true;
    this.#size += 1;
    return () => {
      if (!isCounted) return;
      isCounted = false;
      this.#size -= 1;
      if (this.#size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  none(): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** Addresses, or agents: each has its own room. */
class Senders {
  readonly #limits: Required<AdmissionOptions>;
  readonly #rates: MemoryRateLimiter;
  readonly #atWork = new Map<string, number>();

  constructor(limits: Required<AdmissionOptions>, now: () => number) {
    this.#limits = limits;
    this.#rates = createMemoryRateLimiter({ now });
  }

  enter(key: string): () => void {
    const hasRoom = this.#countOf(key) < this.#limits.maxInFlightPerPeer;
    if (!hasRoom || !this.#rates.take(key, this.#limits)) {
      throw new SdlError(
        'LIMIT_RATE',
        'one sender has too many messages at work or sends too fast',
      );
    }
    this.#atWork.set(key, this.#countOf(key) + 1);
    return () => {
      const left = this.#countOf(key) - 1;
      if (left > 0) this.#atWork.set(key, left);
      else this.#atWork.delete(key);
    };
  }

  #countOf(key: string): number {
    return this.#atWork.get(key) ?? 0;
  }
}
