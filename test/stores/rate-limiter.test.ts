// The rate limiter of one process against the rules of all, and how much it remembers.

import { describe, expect, test } from 'vitest';

import { createMemoryRateLimiter } from '../../src/stores/rate-limiter.ts';
import { rateLimiterCompliance } from '../compliance/rate-limiter.ts';

rateLimiterCompliance('the rate limiter in memory', {
  open: async (now) => createMemoryRateLimiter({ now }),
});

describe('#admit the rate limiter in memory', () => {
  test('forgets the key that was unused for longest', () => {
    const limiter = createMemoryRateLimiter({ now: () => 0, maxKeys: 2 });
    const take = (key: string): boolean => limiter.take(key, { ratePerSecond: 1, burst: 1 });
    expect(['a', 'b', 'a', 'c', 'a', 'b'].map(take)).toEqual([
      true,
      true,
      false,
      true,
      false,
      true,
    ]);
  });
});
