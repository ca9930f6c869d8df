// Owns the contract of rate limits, and the limiter that counts in this process: a bucket of tokens for every sender.
// SPEC.md section 13 (#admit).

import { LRUCache } from 'lru-cache';

import type { Awaitable } from './entry-backend.ts';

export interface RateLimits {
  /** Tokens that come back in a second. */
  readonly ratePerSecond: number;
  /** Tokens of a full bucket: what may be taken at once. At least 1. */
  readonly burst: number;
}

export interface RateLimiter {
  /**
   * Atomic: takes one token of this key, and says whether there was one. A key that was never seen has a full bucket.
   * A clock that goes back brings no token. Fails with a StoreError when the answer cannot be known.
   */
  take(key: string, limits: RateLimits): Awaitable<boolean>;
}

export interface MemoryRateLimiterOptions {
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Keys that are remembered; the one unused for longest is forgotten first. @default 100000 */
  readonly maxKeys?: number;
}

export interface MemoryRateLimiter extends RateLimiter {
  take(key: string, limits: RateLimits): boolean;
}

export function createMemoryRateLimiter(options: MemoryRateLimiterOptions = {}): MemoryRateLimiter {
  const { now = Date.now, maxKeys = 100_000 } = options;
  const buckets = new LRUCache<string, Bucket>({ max: maxKeys });
  return {
    take(key, limits) {
      checkRateLimits(limits);
      const { ratePerSecond, burst } = limits;
      const nowMs = now();
      let bucket = buckets.get(key);
      if (bucket === undefined) buckets.set(key, (bucket = { tokens: burst, atMs: nowMs }));
      const earned = (Math.max(0, nowMs - bucket.atMs) / 1_000) * ratePerSecond;
      const tokens = Math.min(burst, bucket.tokens + earned);
      const isTaken = tokens >= 1;
      // A refusal leaves the bucket as it is. But if the clock went back, the bucket takes the new time: otherwise it
      // would stay empty until the clock has caught up.
      if (isTaken || nowMs < bucket.atMs) {
        bucket.tokens = isTaken ? tokens - 1 : tokens;
        bucket.atMs = nowMs;
      }
      return isTaken;
    },
  };
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export function checkRateLimits({ ratePerSecond, burst }: RateLimits): void {
  if (!(Number.isFinite(ratePerSecond) && ratePerSecond > 0)) {
    throw new RangeError('"ratePerSecond" expected a number above 0');
  }
  if (!(Number.isFinite(burst) && burst >= 1)) {
    throw new RangeError('"burst" expected a number of at least 1');
  }
}
