// Rate limits in Redis: against the rules of all limiters, of several nodes at once, and while the server is away.

import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import type { RateLimiter } from '../../../src/stores/rate-limiter.ts';
import { createMemoryRateLimiter } from '../../../src/stores/rate-limiter.ts';
import { openRedisStore } from '../../../stores/redis/index.ts';
import { rateLimiterCompliance } from '../../compliance/rate-limiter.ts';
import { range } from '../../compliance/store/setup.ts';
import {
  commandOn,
  hasRedis,
  serverProgram,
  sharedRedis,
  startRedis,
} from '../../support/stores/redis.ts';

/** A rate at which nothing comes back while a test runs. */
const ONCE = { ratePerSecond: 1e-9, burst: 10 };

describe.skipIf(!hasRedis)('Redis', async () => {
  const redis = hasRedis ? await sharedRedis() : undefined;
  let places = 0;
  const newPlace = (): string => `rates-${(places += 1)}`;
  const open = async (place: string, now?: () => number): Promise<RateLimiter> => {
    // The clock of the store's entries is the node's, and may be wrong.
    const store = await redis!.open(place, { now: () => 0 });
    onTestFinished(() => store.close());
    return store.rateLimiter(now && { now });
  };

  const bucketIn = async (place: string): Promise<string> => {
    const key = (await redis!.keysOf(place)).find((name) => name.startsWith('r'));
    return redis!.prefixOf(place) + key!;
  };

  rateLimiterCompliance('the rate limiter in Redis', { open: (now) => open(newPlace(), now) });

  describe('#admit the rate limiter in Redis', () => {
    test('counts once for all nodes', async () => {
      const place = newPlace();
      const nodes = await Promise.all(range(4).map(() => open(place)));
      const taken = await Promise.all(
        range(64).map(async (at) => nodes[at % 4]!.take('agent', ONCE)),
      );
      expect(taken.filter((isTaken) => isTaken)).toHaveLength(10);
    });

    test('refills by the clock of the server, whatever the nodes think it is', async () => {
      const place = newPlace();
      const limiter = await open(place);
      const limits = { ratePerSecond: 1, burst: 1 };
      expect(await limiter.take('agent', limits)).toBe(true);
      const name = await bucketIn(place);
      const [, at] = String(await commandOn(redis!.url, ['GET', name])).split(' ');
      const [seconds] = (await commandOn(redis!.url, ['TIME'])) as string[];
      expect(Math.abs(Number(seconds) - Number(at) / 1_000)).toBeLessThan(60);
      // As if the last token had been taken a second earlier.
      await commandOn(redis!.url, ['SET', name, `0 ${Number(at) - 1_000}`]);
      expect(await limiter.take('agent', limits)).toBe(true);
    });

    test('keeps one key for a sender, for as long as its bucket is not full', async () => {
      const place = newPlace();
      const limiter = await open(place);
      const limits = { ratePerSecond: 0.01, burst: 5 };
      const lifeMs = async (): Promise<number> => {
        const keys = (await redis!.keysOf(place)).filter((name) => name !== 'format');
        expect(keys).toEqual([expect.stringMatching(/^r[\w-]{43}$/)]);
        return Number(await commandOn(redis!.url, ['PTTL', redis!.prefixOf(place) + keys[0]!]));
      };
      await limiter.take('x'.repeat(5_000), limits);
      const afterOne = await lifeMs();
      expect(afterOne).toBeGreaterThan(50_000);
      expect(afterOne).toBeLessThanOrEqual(100_000);
      for (const _ of range(10)) await limiter.take('x'.repeat(5_000), limits);
      const afterAll = await lifeMs();
      expect(afterAll).toBeGreaterThan(400_000);
      expect(afterAll).toBeLessThanOrEqual(500_000);
    });

    test('writes nothing for a sender that is refused', async () => {
      const place = newPlace();
      const limiter = await open(place, () => 0);
      for (const _ of range(10)) await limiter.take('agent', ONCE);
      const name = await bucketIn(place);
      await commandOn(redis!.url, ['PERSIST', name]);
      expect(await limiter.take('agent', ONCE)).toBe(false);
      expect(await commandOn(redis!.url, ['PTTL', name])).toBe(-1);
    });

    test('stays out of the way of entries', async () => {
      const place = newPlace();
      const store = await redis!.open(place);
      onTestFinished(() => store.close());
      await store.rateLimiter().take('agent', ONCE);
      expect(await store.purge()).toBe(0);
      expect(await store.count('replay')).toBe(0);
      expect(await redis!.keysOf(place)).toHaveLength(2);
    });

    test('any sequence of calls gives the same as in memory', async () => {
      const call = fc.record({
        passes: fc.integer({ min: -2_000, max: 5_000 }),
        key: fc.constantFrom('a', 'b'),
        ratePerSecond: fc.constantFrom(0.1, 0.3, 1, 7, 1_000 / 3),
        burst: fc.constantFrom(1, 1.5, 3, 10),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 60 }), async (calls) => {
          let nowMs = 1e12;
          const now = (): number => nowMs;
          const store = await redis!.open(newPlace());
          const inRedis = store.rateLimiter({ now });
          const inMemory = createMemoryRateLimiter({ now });
          for (const { passes, key, ...limits } of calls) {
            nowMs += passes;
            expect(await inRedis.take(key, limits)).toBe(inMemory.take(key, limits));
          }
          await store.close();
        }),
        { numRuns: 40 },
      );
    });
  });
});

describe.skipIf(serverProgram === undefined)('#admit a Redis that does not answer', () => {
  test('lets nobody through, and what was taken before a restart stays taken', async () => {
    const redis = await startRedis();
    const store = await openRedisStore({ url: redis.url });
    onTestFinished(() => store.close());
    const limiter = store.rateLimiter();
    for (const _ of range(9)) expect(await limiter.take('agent', ONCE)).toBe(true);
    await redis.stop();
    await expect(limiter.take('agent', ONCE)).rejects.toMatchObject({
      code: 'INTERNAL',
      fault: 'failed',
    });
    await redis.start();
    await vi.waitFor(() => store.count('replay'), { timeout: 30_000 });
    expect(await limiter.take('agent', ONCE)).toBe(true);
    expect(await limiter.take('agent', ONCE)).toBe(false);
  });

  test('or is silent fails the call in bounded time', async () => {
    const redis = await startRedis();
    const store = await openRedisStore({ url: redis.url, timeoutMs: 50 });
    onTestFinished(async () => {
      redis.resume();
      await store.close();
    });
    redis.pause();
    await expect(store.rateLimiter().take('agent', ONCE)).rejects.toMatchObject({
      fault: 'failed',
    });
  });

  test('is not asked any more once the store is closed', async () => {
    const redis = await startRedis();
    const store = await openRedisStore({ url: redis.url });
    const limiter = store.rateLimiter();
    await store.close();
    await expect(limiter.take('agent', ONCE)).rejects.toMatchObject({ fault: 'closed' });
  });
});
