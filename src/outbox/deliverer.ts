// Owns how one kind of thing is told, how long that is tried, and how long to wait between two tries.

import type { OutboxEntry } from './entry.ts';

/** done: there is nothing more to tell. later: try again. Or how far it got. */
export type Delivered = 'done' | 'later' | Progress | Postponed;

/**
 * Told so far. If that is further than before, the rest follows at once; else, or where all there is was told, it rests
 * until it is noticed by its name, or for as long as six looks for what others left take: a minute.
 */
export interface Progress {
  readonly position: number;
  /** There was nothing more. @default false */
  readonly isCaughtUp?: boolean;
}

/** What follows could not be told: try again, but not before so long. */
export interface Postponed {
  /** Milliseconds, of which an hour counts at most. The usual delay is kept, too. */
  readonly later: number;
  /** Told so far. @default no further than before */
  readonly position?: number;
}

export interface Deliverer {
  /**
   * Tells it. It may be told twice, but never by two at the same time if this ends soon after `signal` aborts. What it
   * throws counts as `later`.
   */
  readonly deliver: (entry: OutboxEntry, signal: AbortSignal) => Promise<Delivered>;
  /** Tries in vain, one after the other, after which it is given up. @default no bound */
  readonly maxAttempts?: number;
  /** Tries in vain for so long are enough. @default 604800000: seven days */
  readonly maxAgeMs?: number;
  /** From the first try in vain to the second; twice as long after each. @default 5000 */
  readonly firstDelayMs?: number;
  /** @default 300000 */
  readonly longestDelayMs?: number;
  /** How long it may go on when the outbox closes; what is left is for others. @default as long as that may take */
  readonly lastWordsMs?: number;
  /** Entries that are told at the same time. @default 16 */
  readonly atOnce?: number;
  /**
   * Whose places it takes up, from the widest group to the narrowest, such as its owner and its host. No group ever has
   * more places than it leaves to others, so one that is stuck holds up nobody else. @default all are one
   */
  readonly lanesOf?: (entry: OutboxEntry) => readonly string[];
}

const MAX_AGE_MS = 604_800_000;
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 300_000;
/** Whoever asks for more time is not asked again before; nobody can ask for more than this. */
const LONGEST_ASKED_MS = 3_600_000;

/**
 * Between half of the delay and all of it, so that what failed together is not tried again together.
 * @param askedMs what the other end asked for.
 */
export function delayAfter(
  attempt: number,
  { firstDelayMs = FIRST_DELAY_MS, longestDelayMs = LONGEST_DELAY_MS }: Deliverer,
  random: () => number,
  askedMs = 0,
): number {
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  const spreadMs = Math.ceil(delayMs * (0.5 + random() / 2));
  return Math.max(spreadMs, Math.min(askedMs, LONGEST_ASKED_MS));
}

export function hasTriedEnough(attempt: number, { maxAttempts = Infinity }: Deliverer): boolean {
  return attempt >= maxAttempts;
}

export function isTooOld(
  since: number,
  nowMs: number,
  { maxAgeMs = MAX_AGE_MS }: Deliverer,
): boolean {
  return nowMs - since >= maxAgeMs;
}
