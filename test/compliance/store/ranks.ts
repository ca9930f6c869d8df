// Rules of ranks: lists from either end, pages while ranks change, `since`, and what is refused.

import { expect, test } from 'vitest';

import type { ListOrder, Store } from '../../../src/stores/store.ts';
import { bytes, keysByPage, later, numbered, openStore, range } from './setup.ts';
import type { EntryStoreUnderTest, StoreUnderTest } from './setup.ts';

const BY_RANK = ['highest', 'lowest'] as const;

/** 60 entries, three of each rank and two of no rank in ten; every second one is of `a`. */
async function fill(store: Store): Promise<void> {
  for (const at of range(60)) {
    const rank = at % 10 > 7 ? undefined : at % 20;
    await store.put('s', `k${at}`, numbered(at), { rank, index: { of: at % 2 === 0 ? 'a' : 'b' } });
  }
}

/** What {@link fill} made, by rank and then by creation. */
function expected(order: (typeof BY_RANK)[number], isOfA: boolean, since = 0): string[] {
  const places = range(60)
    .filter((at) => at % 10 <= 7 && at % 20 >= since && !(isOfA && at % 2 === 1))
    .sort((one, other) => (one % 20) - (other % 20) || one - other);
  if (order === 'highest') places.reverse();
  return places.map((at) => `k${at}`);
}

export function rankRules(subject: StoreUnderTest): void {
  test('an entry has the rank that it was given last', async () => {
    const { store } = await openStore(subject);
    const rankOf = async (): Promise<number | undefined> => (await store.get('s', 'k'))?.rank;
    await store.add('s', 'k', { value: bytes(), rank: 7 });
    expect(await rankOf()).toBe(7);
    await store.put('s', 'k', bytes(1), { rank: Number.MAX_SAFE_INTEGER });
    expect(await rankOf()).toBe(Number.MAX_SAFE_INTEGER);
    expect((await store.list('s')).entries[0]?.rank).toBe(Number.MAX_SAFE_INTEGER);
    await store.put('s', 'k', bytes(1), { rank: 0 });
    expect(await rankOf()).toBe(0);
    await store.put('s', 'k', bytes(1));
    expect(await rankOf()).toBeUndefined();
  });

  test.each(BY_RANK)(
    'the %s come first, then by creation, without what has no rank',
    async (order) => {
      const { store } = await openStore(subject);
      await fill(store);
      for (const limit of [7, 1_000]) {
        expect(await keysByPage(store, 's', { order, limit })).toEqual(expected(order, false));
        const index = { of: 'a' };
        expect(await keysByPage(store, 's', { order, limit, index })).toEqual(
          expected(order, true),
        );
      }
    },
  );

  test('a list by rank may filter by several fields', async () => {
    const { store } = await openStore(subject);
    for (const at of range(12)) {
      const index = { owner: `o${at % 2}`, state: `s${at % 3}` };
      await store.put('s', `k${at}`, bytes(), { rank: 100 - at, index });
    }
    const both = { state: 's1', owner: 'o1' };
    const keys = (order: ListOrder) => keysByPage(store, 's', { index: both, limit: 1, order });
    expect(await keys('lowest')).toEqual(['k7', 'k1']);
    expect(await keys('highest')).toEqual(['k1', 'k7']);
  });

  test.each(BY_RANK)('a list from the %s holds only what has a rank since', async (order) => {
    const { store } = await openStore(subject);
    await fill(store);
    for (const [index, isOfA] of [
      [undefined, false],
      [{ of: 'a' }, true],
    ] as const) {
      for (const since of [0, 6, 17, 18]) {
        const keys = await keysByPage(store, 's', { order, index, since, limit: 4 });
        expect(keys).toEqual(expected(order, isOfA, since));
        expect(await store.count('s', { index, since })).toBe(keys.length);
      }
    }
    expect(await store.count('s', { since: 0, atMost: 5 })).toBe(5);
  });

  test.each([
    ['oldest', ['k3', 'k5']],
    ['newest', ['k5', 'k3']],
  ] as const)('since holds for the %s too', async (order, keys) => {
    const { store } = await openStore(subject);
    for (const [at, rank] of [1, undefined, 2, 9, undefined, 8, 3].entries()) {
      await store.put('s', `k${at}`, bytes(), { rank, index: { of: 'a' } });
    }
    expect(await keysByPage(store, 's', { order, since: 8, limit: 1 })).toEqual(keys);
    const index = { of: 'a' };
    expect(await keysByPage(store, 's', { order, since: 8, limit: 1, index })).toEqual(keys);
  });

  test('a new rank moves an entry in every list, and one without a rank is in none', async () => {
    const { store } = await openStore(subject);
    const index = { of: 'a' };
    for (const [at, key] of ['a', 'b', 'c'].entries()) {
      await store.put('s', key, bytes(), { index, rank: at });
    }
    const keys = async (order: ListOrder): Promise<string[][]> => [
      await keysByPage(store, 's', { order }),
      await keysByPage(store, 's', { order, index }),
    ];
    await store.put('s', 'a', bytes(), { index, rank: 9 });
    expect(await keys('highest')).toEqual([
      ['a', 'c', 'b'],
      ['a', 'c', 'b'],
    ]);
    expect(await keys('oldest')).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
    await store.put('s', 'a', bytes(), { index: { of: 'b' }, rank: 1 });
    expect(await keys('lowest')).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
    await store.put('s', 'c', bytes(), { index });
    await store.delete('s', 'b');
    expect(await keys('highest')).toEqual([['a'], []]);
  });

  test.each(BY_RANK)(
    'pages from the %s return what stays exactly once while others change rank, come and go',
    async (order) => {
      const { store } = await openStore(subject);
      const index = { of: 'a' };
      for (const at of range(60)) await store.put('s', `k${at}`, bytes(), { rank: at % 7, index });
      const keys = await keysByPage(store, 's', { order, limit: 5, index }, async (page) => {
        // Also the very entries that cursors point at.
        for (const at of range(60).filter((each) => each % 3 === 0)) {
          await store.put('s', `k${at}`, bytes(), { rank: (at + page) % 7, index });
        }
        await store.put('s', `new${page}`, bytes(), { rank: page % 7, index });
        await store.delete('s', `k${page * 3}`);
      });
      const stayed = range(60).filter((at) => at % 3 !== 0);
      const seen = keys.filter((key) => stayed.includes(Number(key.slice(1))));
      const sorted = stayed.sort((one, other) => (one % 7) - (other % 7) || one - other);
      if (order === 'highest') sorted.reverse();
      expect(seen).toEqual(sorted.map((at) => `k${at}`));
    },
  );

  test('what has expired is in no list by rank, and what is made anew is', async () => {
    const { store, clock } = await openStore(subject);
    const index = { of: 'a' };
    await store.put('s', 'k', bytes(), { rank: 5, index, expiresAt: later(clock, 1) });
    clock.now += 1;
    for (const look of [{}, { index }]) {
      expect((await store.list('s', { order: 'highest', ...look })).entries).toEqual([]);
      expect(await store.count('s', { since: 0, ...look })).toBe(0);
    }
    expect(await store.add('s', 'k', { value: bytes(), rank: 3, index })).toBe(true);
    const { entries } = await store.list('s', { order: 'highest', index });
    expect(entries.map(({ rank }) => rank)).toEqual([3]);
  });

  test('a cursor is good for its own order alone', async () => {
    const { store } = await openStore(subject);
    for (const at of range(3)) await store.put('s', `k${at}`, bytes(), { rank: at });
    const orders: readonly ListOrder[] = ['oldest', 'newest', 'highest', 'lowest'];
    for (const order of orders) {
      const { next } = await store.list('s', { order, limit: 1 });
      for (const other of orders.filter((each) => each !== order)) {
        await expect(store.list('s', { order: other, after: next })).rejects.toMatchObject({
          code: 'PAYLOAD_INVALID',
          message: expect.stringContaining(`in another order than '${other}'`),
        });
      }
    }
    await expect(store.list('s', { after: 'c1' })).rejects.toThrow('earlier version');
  });

  test.each([
    '',
    'h',
    'h1',
    'h.1',
    'h.1.',
    'h..1',
    'h.01.1',
    'h.1.01',
    'h.1.1.1',
    'h.zzzzzzzzzzz.1',
    'H.1.1',
  ])('the cursor "%s" is refused as wrong input', async (after) => {
    const { store } = await openStore(subject);
    await store.put('s', 'k', bytes(), { rank: 1 });
    await expect(store.list('s', { order: 'highest', after })).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
    });
  });

  test.each([-1, 1.5, Number.NaN, 2 ** 53, '1' as unknown as number])(
    'the rank %s is refused by name',
    async (rank) => {
      const { store } = await openStore(subject);
      await expect(store.add('s', 'k', { value: bytes(), rank })).rejects.toThrow('"rank"');
      await expect(store.put('s', 'k', bytes(), { rank })).rejects.toThrow('"rank"');
      await expect(store.list('s', { since: rank })).rejects.toThrow('"since"');
      await expect(store.count('s', { since: rank })).rejects.toThrow('"since"');
    },
  );
}

/** For a store of entries alone. */
export function noRankRules(subject: EntryStoreUnderTest): void {
  test('a rank is refused, not dropped', async () => {
    const { store } = await openStore(subject);
    await expect(store.add('s', 'k', { value: bytes(), rank: 1 })).rejects.toThrow('"rank"');
    await expect(store.put('s', 'k', bytes(), { rank: 1 })).rejects.toThrow('"rank"');
    await expect(store.count('s', { since: 1 })).rejects.toThrow('"since"');
    expect(await store.get('s', 'k')).toBeUndefined();
  });
}
