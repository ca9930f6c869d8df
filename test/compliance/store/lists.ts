// Rules of listing: order, filters, pages, and pages while others write.

import { expect, test } from 'vitest';

import type { Store } from '../../../src/stores/store.ts';
import { STORE_LIMITS } from '../../../src/stores/store.ts';
import {
  CONFUSABLE_NAMES,
  CONFUSABLE_VALUES,
  bytes,
  keysByPage,
  later,
  numbered,
  openStore,
  range,
} from './setup.ts';
import type { StoreUnderTest } from './setup.ts';

async function fill(store: Store, count: number): Promise<void> {
  await Promise.all(range(count).map((at) => store.put('s', `k${at}`, numbered(at))));
}

export function listRules(subject: StoreUnderTest): void {
  test('a list is in order of creation, from either end', async () => {
    const { store } = await openStore(subject);
    for (const key of ['b', 'a', 'c']) await store.put('s', key, bytes());
    await store.put('s', 'b', bytes(1));
    const keys = async (order: 'oldest' | 'newest'): Promise<string[]> =>
      (await store.list('s', { order })).entries.map(({ key }) => key);
    expect(await keys('oldest')).toEqual(['b', 'a', 'c']);
    expect(await keys('newest')).toEqual(['c', 'a', 'b']);
  });

  test('what was deleted or had expired and is made anew comes last', async () => {
    const { store, clock } = await openStore(subject);
    await store.put('s', 'a', bytes());
    await store.put('s', 'b', bytes(), { expiresAt: later(clock, 1) });
    await store.put('s', 'c', bytes());
    clock.now += 1;
    await store.delete('s', 'a');
    await store.put('s', 'b', bytes());
    await store.put('s', 'a', bytes());
    expect(await keysByPage(store, 's', {})).toEqual(['c', 'b', 'a']);
  });

  test.each(['oldest', 'newest'] as const)(
    'pages from the %s cover the list without gap or repeat, and the last has no cursor',
    async (order) => {
      const { store } = await openStore(subject);
      await fill(store, 1_300);
      const expected = range(1_300).map((at) => `k${at}`);
      if (order === 'newest') expected.reverse();
      expect(await keysByPage(store, 's', { order, limit: 100 })).toEqual(expected);
      expect((await store.list('s', { order, limit: 1_000 })).entries).toHaveLength(1_000);
      expect((await store.list('s', { order })).entries).toHaveLength(100);
    },
  );

  test('a page that holds all has no cursor', async () => {
    const { store } = await openStore(subject);
    await fill(store, 3);
    expect((await store.list('s', { limit: 3 })).next).toBeUndefined();
    expect((await store.list('s', { limit: 2 })).next).toBeTypeOf('string');
    expect(await store.list('empty')).toEqual({ entries: [], next: undefined });
  });

  test.each(['oldest', 'newest'] as const)(
    'pages from the %s return what stays exactly once while others insert, replace and delete',
    async (order) => {
      const { store } = await openStore(subject);
      await fill(store, 60);
      const doomed = new Set(range(60).filter((at) => at % 3 === 0));
      const keys = await keysByPage(store, 's', { order, limit: 7 }, async (page) => {
        await store.put('s', `new${page}`, bytes());
        // Also the very entries that cursors point at.
        for (const at of [...doomed].slice(0, 4)) {
          await store.delete('s', `k${at}`);
          doomed.delete(at);
        }
        await store.put('s', 'k1', bytes(2));
        await store.put('s', 'k58', bytes(2));
      });
      const stayed = keys.filter((key) => key.startsWith('k') && Number(key.slice(1)) % 3 !== 0);
      expect(stayed.toSorted()).toEqual(
        range(60)
          .filter((at) => at % 3 !== 0)
          .map((at) => `k${at}`)
          .toSorted(),
      );
      expect(new Set(keys).size).toBe(keys.length);
    },
  );

  test('a cursor outlives the entry that it was made from', async () => {
    const { store } = await openStore(subject);
    await fill(store, 4);
    const { next } = await store.list('s', { limit: 2 });
    await store.delete('s', 'k1');
    await store.delete('s', 'k2');
    const { entries } = await store.list('s', { limit: 2, after: next });
    expect(entries.map(({ key }) => key)).toEqual(['k3']);
  });

  test.each(['', 'o.', 'o.-1', 'O.1', 'o.01', 'o.1 ', 'o.zzzzzzzzzzz', 'o.1.1', 'k1', 'o1'])(
    'the cursor "%s" is refused as wrong input',
    async (after) => {
      const { store } = await openStore(subject);
      await fill(store, 1);
      await expect(store.list('s', { after })).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' });
    },
  );

  test('what has expired is not listed', async () => {
    const { store, clock } = await openStore(subject);
    await store.put('s', 'k', bytes(), { expiresAt: later(clock, 1) });
    clock.now += 1;
    expect(await store.list('s')).toEqual({ entries: [], next: undefined });
  });

  test.each(CONFUSABLE_NAMES)('keys %s are listed as they are', async (_, one, other) => {
    const { store } = await openStore(subject);
    await store.put('s', one, bytes());
    await store.put('s', other, bytes());
    expect(await keysByPage(store, 's', {})).toEqual([one, other]);
  });

  test('changing what was listed changes nothing', async () => {
    const { store } = await openStore(subject);
    await store.put('s', 'k', bytes(1));
    (await store.list('s')).entries[0]!.value.fill(0);
    expect((await store.get('s', 'k'))?.value).toEqual(bytes(1));
  });

  test('index fields filter lists, all of them together', async () => {
    const { store } = await openStore(subject);
    for (const at of range(12)) {
      await store.put('s', `k${at}`, bytes(at), {
        index: { owner: `o${at % 2}`, state: `s${at % 3}`, tenant: 't' },
      });
    }
    const both = { tenant: 't', state: 's1', owner: 'o1' };
    expect(await keysByPage(store, 's', { index: both, limit: 1 })).toEqual(['k1', 'k7']);
    expect(await keysByPage(store, 's', { index: both, limit: 1, order: 'newest' })).toEqual([
      'k7',
      'k1',
    ]);
  });

  test('an entry moves between index values and keeps its place', async () => {
    const { store } = await openStore(subject);
    for (const key of ['a', 'b', 'c']) {
      await store.put('s', key, bytes(), { index: { state: key === 'a' ? 'old' : 'new' } });
    }
    await store.put('s', 'a', bytes(), { index: { state: 'new' } });
    expect(await keysByPage(store, 's', { index: { state: 'new' }, limit: 1 })).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  test('index values are told apart exactly', async () => {
    const { store } = await openStore(subject);
    for (const value of CONFUSABLE_VALUES) {
      await store.put('s', `k${value}`, bytes(), { index: { f: value } });
    }
    for (const value of CONFUSABLE_VALUES) {
      const { entries } = await store.list('s', { index: { f: value } });
      expect(entries.map(({ index }) => index['f'])).toEqual([value]);
    }
  });

  test('a page of large values is shorter, and the next one goes on', async () => {
    const { store } = await openStore(subject);
    const large = new Uint8Array(STORE_LIMITS.pageBytes / 2);
    for (const key of ['a', 'b', 'c', 'd']) await store.put('s', key, large);
    expect((await store.list('s')).entries).toHaveLength(3);
    expect(await keysByPage(store, 's', {})).toEqual(['a', 'b', 'c', 'd']);
  });

  test.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 1_001 }],
    ['order', { order: 'random' as 'oldest' }],
    ['index', { index: { 'not a name': 'x' } }],
    ['index', { index: Object.fromEntries(range(9).map((at) => [`f${at}`, ''])) }],
    ['index.a', { index: { a: 'x'.repeat(513) } }],
  ])('a wrong %s is refused by name', async (name, options) => {
    const { store } = await openStore(subject);
    await expect(store.list('s', options)).rejects.toThrow(`"${name}"`);
  });
}
