// Owns how one kind of thing is told, how long that is tried, and how long to wait between two tries.

import type { OutboxEntry } from './entry.ts';

/**
 * done: there is nothing more to tell. A position: told so far; if it is further than before, the rest follows at once,
 * else there was nothing new, and it rests until it is noticed by its name, or for a minute. later: try again.
 */
export type Delivered = 'done' | 'later' | { readonly position: number };

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
}

const MAX_AGE_MS = 604_800_000;
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 300_000;

/** Between half of the delay and all of it, so that what failed together is not tried again together. */
export function delayAfter(
  attempt: number,
  { firstDelayMs = FIRST_DELAY_MS, longestDelayMs = LONGEST_DELAY_MS }: Deliverer,
  random: () => number,
): number {
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  return Math.ceil(delayMs * (0.5 + random() / 2));
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
