// Owns the check `admit`: how many messages at once and how fast, per address before the sender is proven and per
// agent afterwards, so that one cannot use up the room of another. SPEC.md section 13 (#admit).

import { LRUCache } from 'lru-cache';

import { SdlError } from '../errors.ts';

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
  /** Counts the message for the agent that proved to have sent it. Throws LIMIT_RATE. */
  claim(agentId: string): void;
  /** Must be called once the message is done with; a second call does nothing. */
  release(): void;
}

export interface AdmissionControl {
  /** Throws LIMIT_RATE where there is no room, and DRAINING while the runtime stops. */
  admit(address: string): Ticket;
  /** From now on nothing is admitted. */
  drain(): void;
  readonly inFlight: number;
  /** Resolves once nothing is at work. */
  idle(): Promise<void>;
}

const DEFAULTS = {
  maxInFlight: 1_024,
  maxInFlightPerPeer: 256,
  ratePerSecond: 1_000,
  burst: 2_000,
};

/** Who sends: addresses and agents have each their own. Those that are idle may be forgotten: their bucket is full. */
interface Bucket {
  inFlight: number;
  tokens: number;
  refilledAtMs: number;
}

const MAX_BUCKETS = 100_000;

export function createAdmission(
  options: AdmissionOptions = {},
  now: () => number = Date.now,
): AdmissionControl {
  const limits = { ...DEFAULTS, ...options };
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULTS, name))
      throw new TypeError(`"${name}" is not an option of admission`);
    if (!(Number.isFinite(value) && value > 0)) {
      throw new RangeError(`"${name}" expected a number above 0`);
    }
  }
  const byAddress = new Buckets(limits, now);
  const byAgent = new Buckets(limits, now);
  const waiting: (() => void)[] = [];
  let inFlight = 0;
  let isDraining = false;

  const leave = (): void => {
    inFlight -= 1;
    if (inFlight === 0) for (const resolve of waiting.splice(0)) resolve();
  };

  return {
    admit(address) {
      if (isDraining) throw new SdlError('DRAINING', 'the runtime is stopping');
      if (inFlight >= limits.maxInFlight) {
        throw new SdlError('LIMIT_RATE', 'too many messages are at work');
      }
      const releases = [byAddress.take(address)];
      inFlight += 1;
      return {
        claim: (agentId) => {
          releases.push(byAgent.take(agentId));
        },
        release: () => {
          if (releases.length === 0) return;
          for (const release of releases.splice(0)) release();
          leave();
        },
      };
    },
    drain: () => {
      isDraining = true;
    },
    get inFlight() {
      return inFlight;
    },
    idle: () =>
      inFlight === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  };
}

class Buckets {
  readonly #limits: Required<AdmissionOptions>;
  readonly #now: () => number;
  /** Holds those that are busy however many they are: forgetting one would give it new room. */
  readonly #busy = new Map<string, Bucket>();
  readonly #idle = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  constructor(limits: Required<AdmissionOptions>, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  take(key: string): () => void {
    const bucket = this.#busy.get(key) ?? this.#idle.get(key) ?? this.#fresh();
    this.#refill(bucket);
    if (bucket.inFlight >= this.#limits.maxInFlightPerPeer || bucket.tokens < 1) {
      if (bucket.inFlight === 0) this.#idle.set(key, bucket);
      throw new SdlError(
        'LIMIT_RATE',
        'one sender has too many messages at work or sends too fast',
      );
    }
    bucket.tokens -= 1;
    bucket.inFlight += 1;
    this.#busy.set(key, bucket);
    return () => {
      bucket.inFlight -= 1;
      if (bucket.inFlight > 0) return;
      this.#busy.delete(key);
      this.#idle.set(key, bucket);
    };
  }

  #fresh(): Bucket {
    return { inFlight: 0, tokens: this.#limits.burst, refilledAtMs: this.#now() };
  }

  #refill(bucket: Bucket): void {
    const nowMs = this.#now();
    const earned = (Math.max(0, nowMs - bucket.refilledAtMs) / 1_000) * this.#limits.ratePerSecond;
    bucket.tokens = Math.min(this.#limits.burst, bucket.tokens + earned);
    bucket.refilledAtMs = nowMs;
  }
}
