// The rules of every rate limiter: bursts, refill, concurrency, keys and clocks.

import { describe, expect, test } from 'vitest';

import type { RateLimiter, RateLimits } from '../../src/stores/rate-limiter.ts';
import { CONFUSABLE_NAMES, range } from './store/setup.ts';

export interface RateLimiterUnderTest {
  /** A limiter that has seen no key. */
  readonly open: (now: () => number) => Promise<RateLimiter>;
}

interface Opened {
  readonly clock: { now: number };
  readonly take: (key?: string, limits?: Partial<RateLimits>) => Promise<boolean>;
  /** How many tokens can be taken one after the other, until there is none. */
  readonly drain: (key?: string, limits?: Partial<RateLimits>) => Promise<number>;
}

const LIMITS: RateLimits = { ratePerSecond: 2, burst: 3 };
const START = Date.UTC(2026, 0, 1);

export function rateLimiterCompliance(name: string, subject: RateLimiterUnderTest): void {
  const open = async (): Promise<Opened> => {
    const clock = { now: START };
    const limiter = await subject.open(() => clock.now);
    const take: Opened['take'] = async (key = 'k', limits = {}) =>
      limiter.take(key, { ...LIMITS, ...limits });
    const drain: Opened['drain'] = async (key, limits) => {
      let taken = 0;
      while (await take(key, limits)) taken += 1;
      return taken;
    };
    return { clock, take, drain };
  };

  describe(`#admit ${name}`, () => {
    test('gives the burst at once, and then nothing', async () => {
      const { take, drain } = await open();
      expect(await drain()).toBe(3);
      expect(await take()).toBe(false);
      expect(await take()).toBe(false);
    });

    test('gives back at the rate, never more than the burst', async () => {
      const { clock, drain } = await open();
      await drain();
      clock.now += 499;
      expect(await drain()).toBe(0);
      clock.now += 1;
      expect(await drain()).toBe(1);
      clock.now += 1_000;
      expect(await drain()).toBe(2);
      clock.now += 3_600_000;
      expect(await drain()).toBe(3);
    });

    test('adds up what is less than a token, however often it is asked meanwhile', async () => {
      const { clock, take, drain } = await open();
      const slow = { ratePerSecond: 0.25, burst: 1 };
      expect(await drain('k', slow)).toBe(1);
      for (const step of range(8)) {
        clock.now += 1_000;
        expect([step, await take('k', slow)]).toEqual([step, step % 4 === 3]);
      }
    });

    test('keeps the part of a token that a fractional burst leaves', async () => {
      const { clock, drain } = await open();
      const limits = { ratePerSecond: 1, burst: 2.5 };
      expect(await drain('k', limits)).toBe(2);
      clock.now += 500;
      expect(await drain('k', limits)).toBe(1);
      clock.now += 999;
      expect(await drain('k', limits)).toBe(0);
      clock.now += 1;
      expect(await drain('k', limits)).toBe(1);
    });

    test('gives the last token to one of 64 that ask at once', async () => {
      const { take } = await open();
      const taken = await Promise.all(range(64).map(() => take('k', { burst: 1 })));
      expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
    });

    test('counts the keys each on its own', async () => {
      const { take, drain } = await open();
      expect(await drain('a')).toBe(3);
      expect(await take('b')).toBe(true);
      expect(await take('a')).toBe(false);
    });

    const long = 'k'.repeat(100_000);
    test.each<readonly [string, string, string]>([
      ...CONFUSABLE_NAMES,
      ['of which one is empty', '', ' '],
      ['with lone surrogates', '\ud800', '\ud801'],
      ['of any length', `${long}a`, `${long}b`],
    ])('tells keys apart %s', async (_, one, other) => {
      const { take } = await open();
      expect(await take(one, { burst: 1 })).toBe(true);
      expect(await take(one, { burst: 1 })).toBe(false);
      expect(await take(other, { burst: 1 })).toBe(true);
    });

    test('gives nothing for a clock that goes back, and goes on from there', async () => {
      const { clock, take, drain } = await open();
      await drain();
      clock.now -= 3_600_000;
      expect(await take()).toBe(false);
      clock.now += 500;
      expect(await drain()).toBe(1);
      clock.now -= 1_000;
      expect(await drain()).toBe(0);
    });

    test('takes the limits of the moment: a lower burst cuts, a higher one has to be earned', async () => {
      const { clock, take, drain } = await open();
      expect(await take('k', { burst: 10 })).toBe(true);
      expect(await drain('k', { burst: 2 })).toBe(2);
      expect(await drain('k', { burst: 10 })).toBe(0);
      clock.now += 1_000;
      expect(await drain('k', { burst: 10, ratePerSecond: 7 })).toBe(7);
    });

    test('keeps to a rate so slow that a bucket never fills', async () => {
      const { clock, drain } = await open();
      const never = { ratePerSecond: Number.MIN_VALUE, burst: 5 };
      expect(await drain('k', never)).toBe(5);
      clock.now += 3_600_000;
      expect(await drain('k', never)).toBe(0);
    });

    test.each([
      ['ratePerSecond', { ratePerSecond: 0 }],
      ['ratePerSecond', { ratePerSecond: Number.NaN }],
      ['ratePerSecond', { ratePerSecond: Number.POSITIVE_INFINITY }],
      ['burst', { burst: 0.99 }],
      ['burst', { burst: Number.NaN }],
    ])('refuses a wrong %s by name: %j', async (option, limits) => {
      const { take } = await open();
      await expect(take('k', limits)).rejects.toThrow(`"${option}"`);
    });
  });
}
