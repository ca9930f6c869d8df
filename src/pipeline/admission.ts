// Owns the check `admit`: how many messages at once and how fast, per address before the sender is proven and per
// agent afterwards, each out of the share of its class. SPEC.md section 13 (#admit, #budget).

import type { Bounds, Budget, ResourceName, ShareClass } from '../budget/index.ts';
import { RESOURCES, createBudget } from '../budget/index.ts';
import type { MaybePromise } from '../crypto/provider.ts';
import { SdlError } from '../errors.ts';
import type { MemoryRateLimiter, RateLimiter } from '../stores/rate-limiter.ts';
import { checkRateLimits, createMemoryRateLimiter } from '../stores/rate-limiter.ts';
import { Count } from './count.ts';
import { Joiners } from './joiners.ts';
import { KnownAddresses } from './known-addresses.ts';
import type { Rooms } from './ticket.ts';
import { Room } from './ticket.ts';

export interface AdmissionOptions {
  /**
   * Messages at once, of everybody together: so many that are not proven yet, so many at work, and so many that only
   * wait. @default 1024
   */
  readonly maxInFlight?: number;
  /** The same from one address, or of one agent. @default 256 */
  readonly maxInFlightPerPeer?: number;
  /** Streams open at once, of everybody together. @default 512 */
  readonly maxStreams?: number;
  /** Streams open at once of one agent or caller. @default 64 */
  readonly maxStreamsPerPeer?: number;
  /** Messages of all strangers together in a day; so many may come at once. @default 100000 */
  readonly strangersPerDay?: number;
  /** Messages a second that one address or one agent may keep up. @default 1000 */
  readonly ratePerSecond?: number;
  /** Messages that one may send at once before the rate counts. @default 2000 */
  readonly burst?: number;
}

/** Room for one message. */
export interface Ticket {
  /**
   * Its sender is proven: from now on it takes the room of that agent, out of the share of its class, and none of its
   * address. Strangers go on counting by address. Throws LIMIT_RATE, or rejects with it.
   */
  claim(agentId: string, share: ShareClass): MaybePromise<void>;
  /** Its caller is proven, and the door counts by itself what it does: it takes no room of its address any more. */
  identified(principalId: string, share: ShareClass): void;
  /** It only waits for a task from now on: its room goes to others. False, and it keeps its room, when too many wait. */
  wait(): boolean;
  /** It stays open for as long as somebody listens. Throws LIMIT_RATE when there are too many such. */
  stream(principalId?: string): void;
  /** As {@link stream}, for who can do without. */
  tryStream(): boolean;
  /**
   * It is a copy of a message that was sent before, and waits for the same answer: its room goes to others. When too
   * many copies wait, `onCrowded` of the one that waits for longest is called. Returns what ends the wait. Throws
   * LIMIT_RATE when no copy has room.
   */
  join(run: string, onCrowded: (error: SdlError) => void): () => void;
  /** It is a request: when this aborts nobody waits for its answer any more. */
  awaitedUntil(signal: AbortSignal): void;
  /** Must be called once the message is done with; a second call does nothing. */
  release(): void;
}

export interface AdmissionControl {
  /**
   * Throws LIMIT_RATE where there is no room, and DRAINING while the runtime stops.
   * @param isOperators only the operator can come this way. @default false
   */
  admit(address: string, isOperators?: boolean): Ticket;
  /**
   * Room for one call of somebody who is proven already, whatever dialect is spoken. Rejects with LIMIT_RATE or
   * DRAINING, or throws them; gives what gives the room back.
   */
  enter(
    principalId: string,
    share: ShareClass,
    doing: 'messages' | 'waiters',
  ): MaybePromise<() => void>;
  /** From now on nothing is admitted. */
  drain(): void;
  readonly inFlight: number;
  /** Resolves once nothing is at work but requests of who has gone. */
  unawaited(): Promise<void>;
  /** Resolves once nothing is at work. */
  idle(): Promise<void>;
}

const DAY_S = 86_400;

const DEFAULTS = {
  maxInFlight: RESOURCES.messages.bound,
  maxInFlightPerPeer: RESOURCES.messages.perOwner,
  maxStreams: RESOURCES.streams.bound,
  maxStreamsPerPeer: RESOURCES.streams.perOwner,
  strangersPerDay: RESOURCES.daily.bound,
  ratePerSecond: 1_000,
  burst: 2_000,
};

/** How the options of admission bound the resources of the budget. */
export function admissionBounds(options: AdmissionOptions): Partial<Record<ResourceName, Bounds>> {
  const { maxInFlight, maxInFlightPerPeer, maxStreams, maxStreamsPerPeer, strangersPerDay } = {
    ...DEFAULTS,
    ...options,
  };
  const inFlight = { bound: maxInFlight, perOwner: maxInFlightPerPeer };
  return {
    unproven: inFlight,
    messages: inFlight,
    waiters: inFlight,
    joiners: { bound: maxInFlight },
    daily: { bound: strangersPerDay },
    streams: { bound: maxStreams, perOwner: maxStreamsPerPeer },
  };
}

export interface AdmissionParts {
  readonly options?: AdmissionOptions;
  readonly now?: () => number;
  /** @default one with these options */
  readonly budget?: Budget;
  /** Counts agents once more, for all nodes together. What is at work is counted here alone: a node that dies takes it along. */
  readonly shared?: RateLimiter | undefined;
}

export function createAdmission(parts: AdmissionParts = {}): AdmissionControl {
  const { options = {}, now = Date.now, shared } = parts;
  const limits = { ...DEFAULTS, ...options };
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULTS, name))
      throw new TypeError(`"${name}" is not an option of admission`);
    if (!(Number.isFinite(value) && value > 0)) {
      throw new RangeError(`"${name}" expected a number above 0`);
    }
  }
  checkRateLimits(limits);
  checkRateLimits({ ratePerSecond: 1, burst: limits.strangersPerDay });
  const { budget = createBudget(admissionBounds(options)) } = parts;
  const addressRates = createMemoryRateLimiter({ now });
  const agentRates = createMemoryRateLimiter({ now });
  const dailyRates = createMemoryRateLimiter({ now });
  const dailyMeter = budget.meter('daily');
  const daily = { burst: limits.strangersPerDay, ratePerSecond: limits.strangersPerDay / DAY_S };
  let isDraining = false;

  const takeRate = (rates: MemoryRateLimiter, key: string): void => {
    if (rates.take(key, limits)) return;
    throw new SdlError('LIMIT_RATE', 'one sender sends too fast');
  };
  const takeShared = async (limiter: RateLimiter, agentId: string): Promise<void> => {
    if (await limiter.take(agentId, limits)) return;
    throw new SdlError('LIMIT_RATE', 'one agent sends too fast to all nodes together');
  };

  const rooms: Rooms = {
    unproven: budget.pool('unproven'),
    messages: budget.pool('messages'),
    waiters: budget.pool('waiters'),
    streams: budget.pool('streams'),
    joiners: new Joiners(budget.pool('joiners')),
    addresses: new KnownAddresses(),
    atWork: new Count(),
    awaited: new Count(),
    // First here: who is too fast for one node alone costs the others nothing.
    takeRate: (agentId, share) => {
      budget.disk.check(share);
      takeRate(agentRates, agentId);
      if (share === 'stranger' && !dailyRates.take('', daily)) {
        dailyMeter.refused(share);
        throw new SdlError('LIMIT_RATE', 'strangers have sent all that they may send in a day');
      }
      return shared === undefined ? undefined : takeShared(shared, agentId);
    },
  };
  const { addresses, atWork, awaited, unproven } = rooms;

  return {
    admit(address, isOperators = false) {
      if (isDraining) throw new SdlError('DRAINING', 'the runtime is stopping');
      const share = isOperators ? 'operator' : addresses.shareOf(address);
      if (!unproven.hasRoom(address, share)) throw unproven.refuse(share);
      takeRate(addressRates, address);
      return new Room(rooms, address, share);
    },
    enter: (principalId, share, doing) => {
      if (isDraining) throw new SdlError('DRAINING', 'the runtime is stopping');
      const pool = rooms[doing];
      pool.take(principalId, share);
      const leave = (): void => pool.give(principalId, share);
      const giveUp = (thrown: unknown): never => {
        leave();
        throw thrown;
      };
      try {
        const taking = rooms.takeRate(principalId, share);
        return taking === undefined ? leave : taking.then(() => leave, giveUp);
      } catch (thrown) {
        return giveUp(thrown);
      }
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
