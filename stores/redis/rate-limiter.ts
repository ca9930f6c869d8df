// Owns rate limits in Redis: the nodes that share a server share the buckets. SPEC.md section 13 (#admit).

import { createHash } from 'node:crypto';

import type { RateLimiter } from '../../src/stores/index.ts';
import { checkRateLimits } from '../../src/stores/index.ts';
import type { RedisLink } from './link.ts';
import { TAKE } from './scripts.ts';

export interface RedisRateLimiterOptions {
  /** Milliseconds since 1970. @default the server's clock, which is one for all nodes */
  readonly now?: () => number;
}

interface Place {
  readonly base: string;
  /** How far another clock may be from the server's, by which Redis drops full buckets. */
  readonly clockMarginMs: number;
}

export function createRedisRateLimiter(
  link: RedisLink,
  { base, clockMarginMs }: Place,
  { now }: RedisRateLimiterOptions,
): RateLimiter {
  const margin = String(now === undefined ? 0 : clockMarginMs);
  return {
    async take(key, limits) {
      checkRateLimits(limits);
      const { ratePerSecond, burst } = limits;
      const nowText = now === undefined ? '' : String(now());
      const args = [nameOf(key), String(ratePerSecond), String(burst), nowText, margin];
      return (await link.run(TAKE, base, args)) === 1;
    },
  };
}

/** Keys of any length and text take the same room, and no two become one. */
function nameOf(key: string): string {
  return createHash('sha256').update(key, 'utf16le').digest('base64url');
}
