// What the Redis store keeps where: nothing is dropped early, nothing stays for ever, no version comes twice.

import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { EntryStore } from '../../../src/stores/store.ts';
import { openRedisStore } from '../../../stores/redis/index.ts';
import { bytes, numbered, range } from '../../compliance/store/setup.ts';
import {
  commandOn,
  hasRedis,
  serverProgram,
  sharedRedis,
  startRedis,
} from '../../support/stores/redis.ts';

const HOUR = 3_600_000;

describe.skipIf(!hasRedis)('#replay in Redis', async () => {
  const redis = hasRedis ? await sharedRedis() : undefined;
  let places = 0;
  const newPlace = (): string => `own-${(places += 1)}`;

  /** A store whose clock stands `ahead` of the server's. */
  async function openAhead(
    place: string,
    ahead: number,
  ): Promise<{ store: EntryStore; now: () => number }> {
    const start = Date.now();
    const now = (): number => start + ahead;
    const store = await redis!.open(place, { now, clockMarginMs: HOUR });
    onTestFinished(() => store.close());
    return { store, now };
  }

  test('a node whose clock is ahead frees nothing that the server and others still hold', async () => {
    const place = newPlace();
    const right = await openAhead(place, 0);
    const ahead = await openAhead(place, 10 * HOUR);
    await right.store.add('s', 'k', { value: bytes(1), expiresAt: right.now() + HOUR });
    expect(await ahead.store.get('s', 'k')).toBeUndefined();
    expect(await ahead.store.purge()).toBe(0);
    for (const at of range(8)) await ahead.store.put('s', `new${at}`, bytes(2));
    expect((await right.store.get('s', 'k'))?.value).toEqual(bytes(1));
    expect(await right.store.count('s')).toBe(9);
  });

  test('a node whose clock is behind keeps what it writes until it has expired for that node', async () => {
    const place = newPlace();
    const behind = await openAhead(place, -10 * HOUR);
    await behind.store.add('s', 'k', { value: bytes(1), expiresAt: behind.now() + HOUR });
    expect(await behind.store.purge()).toBe(0);
    expect((await behind.store.get('s', 'k'))?.value).toEqual(bytes(1));
  });

  test('what expired within the margin is absent and still kept', async () => {
    const place = newPlace();
    const { store, now } = await openAhead(place, 0);
    await store.add('s', 'k', { value: bytes(1), expiresAt: now() - HOUR / 2 });
    expect(await store.purge()).toBe(0);
    expect(await store.get('s', 'k')).toBeUndefined();
    expect(await redis!.keysOf(place)).toContain('e1:sk');
  });

  test('no key has a time to live, so the server frees nothing by itself', async () => {
    const place = newPlace();
    const { store, now } = await openAhead(place, 0);
    await store.add('s', 'k', { value: bytes(1), expiresAt: now() + 1, index: { of: 'a' } });
    const keys = await redis!.keysOf(place);
    expect(keys).toEqual(['e1:sk', 'format', 'i1:sof=a', 'spaces', 'ss', 'v']);
    const prefix = redis!.prefixOf(place);
    const lives = await Promise.all(
      keys.map((key) => commandOn(redis!.url, ['PTTL', prefix + key])),
    );
    expect(new Set(lives)).toEqual(new Set([-1]));
  });

  test('after a purge nothing is left of what has expired, index and spaces neither', async () => {
    const place = newPlace();
    const { store, now } = await openAhead(place, 0);
    const expiresAt = now() - 2 * HOUR;
    for (const at of range(300)) {
      await store.add(`space-${at % 3}`, `k${at}`, {
        value: bytes(),
        expiresAt,
        index: { of: `a${at}` },
      });
    }
    await store.purge();
    expect(await redis!.keysOf(place)).toEqual(['format', 'v']);
  });

  test('writes alone free what is overdue, a few at a time', async () => {
    const place = newPlace();
    let now = Date.now() - 100 * HOUR;
    const store = await redis!.open(place, { now: () => now, clockMarginMs: HOUR });
    onTestFinished(() => store.close());
    await Promise.all(
      range(40).map((at) =>
        store.add('s', `k${at}`, { value: bytes(), expiresAt: now + 1, index: { of: 'a' } }),
      ),
    );
    now += 2 * HOUR;
    for (const at of range(16)) await store.put('s', `new${at}`, bytes());
    const keys = await redis!.keysOf(place);
    expect(keys.filter((key) => key.startsWith('e'))).toHaveLength(16);
    expect(keys).not.toContain('i1:sof=a');
  });

  test('any sequence of calls gives the same as in the memory store', async () => {
    const name = { space: fc.constantFrom('s', 't'), key: fc.constantFrom('a', 'b', 'c') };
    const entry = {
      value: fc.nat(99).map(numbered),
      expiresAt: fc.option(fc.nat(40), { nil: undefined }),
      index: fc.constantFrom({}, { f: '1' }, { f: '2', g: '1' }),
    };
    const call = fc.record({
      type: fc.constantFrom('add', 'put', 'delete', 'purge'),
      ...name,
      ...entry,
      condition: fc.constantFrom('none', 'absent', 'current', 'wrong'),
      passes: fc.nat(3),
    });
    const indexes = [{}, { f: '1' }, { g: '1', f: '2' }];
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 20 }), async (calls) => {
        let now = 0;
        const stores = [
          createMemoryStore({ now: () => now }),
          await redis!.open(newPlace(), { now: () => now }),
        ];
        for (const { type, space, key, value, expiresAt, index, condition, passes } of calls) {
          now += passes;
          const outcomes = stores.map(async (store) => {
            const current = (await store.get(space, key))?.version;
            const ifVersion = {
              none: undefined,
              absent: 0,
              current,
              wrong: Number.MAX_SAFE_INTEGER,
            }[condition];
            if (type === 'add') return store.add(space, key, { value, expiresAt, index });
            if (type === 'purge') return store.purge();
            const { ok, version } =
              type === 'put'
                ? await store.put(space, key, value, { expiresAt, index, ifVersion })
                : await store.delete(space, key, { ifVersion });
            return { ok, isThere: version !== 0, isCurrent: version === current };
          });
          const [expected, actual] = await Promise.all(outcomes);
          expect(actual).toEqual(expected);
          const [inMemory, inRedis] = await Promise.all(stores.map(viewOf));
          expect(inRedis).toEqual(inMemory);
        }
        await Promise.all(stores.map((store) => store.close()));
      }),
      { numRuns: 60 },
    );

    async function viewOf(store: EntryStore): Promise<unknown> {
      const names = ['s', 't'].flatMap((space) =>
        ['a', 'b', 'c'].map((key) => [space, key] as const),
      );
      const entries = await Promise.all(names.map(([space, key]) => store.get(space, key)));
      return {
        entries: entries.map(
          (each) => each && [each.key, each.value, each.expiresAt, each.index, each.version > 0],
        ),
        counts: await Promise.all(
          ['s', 't'].flatMap((space) => indexes.map((index) => store.count(space, { index }))),
        ),
      };
    }
  });
});

describe.skipIf(serverProgram === undefined)('versions in Redis', () => {
  test('are not used again even when the server has forgotten everything', async () => {
    const redis = await startRedis();
    const store = await openRedisStore({ url: redis.url });
    onTestFinished(() => store.close());
    const before: number[] = [];
    for (const at of range(5)) before.push((await store.put('s', `k${at}`, bytes())).version);
    expect(new Set(before).size).toBe(5);
    expect(before.every((version) => Number.isSafeInteger(version))).toBe(true);
    await redis.command('FLUSHALL');
    const after = await store.put('s', 'k0', bytes());
    expect(after.version).toBeGreaterThan(Math.max(...before));
    expect((await store.put('s', 'k0', bytes(1), { ifVersion: before[0]! })).ok).toBe(false);
    expect((await store.get('s', 'k0'))?.version).toBe(after.version);
  });
});
