// Rules of tallies: adding, bounds, the way down, and many writers at once.

import { expect, test } from 'vitest';

import type { Operation, TallyOperation } from '../../../src/stores/store.ts';
import { CONFUSABLE_NAMES, bytes, openStore, range } from './setup.ts';
import type { StoreUnderTest } from './setup.ts';

function add(
  count: number,
  sum: number,
  more: Partial<Pick<TallyOperation, 'name' | 'maxCount' | 'maxSum'>> = {},
): Operation {
  return { type: 'tally', name: 't', count, sum, ...more };
}

export function tallyRules(subject: StoreUnderTest): void {
  test('a tally begins at 0, adds up, and is gone at 0', async () => {
    const { store } = await openStore(subject);
    expect(await store.tally('t')).toEqual({ count: 0, sum: 0 });
    expect(await store.transact([add(1, 10)])).toEqual({ ok: true, results: [1] });
    expect(await store.transact([add(2, -3)])).toEqual({ ok: true, results: [3] });
    expect(await store.tally('t')).toEqual({ count: 3, sum: 7 });
    expect(await store.inventory!('tallies')).toEqual(['t']);
    expect(await store.transact([add(-3, 0)])).toEqual({ ok: true, results: [0] });
    expect(await store.tally('t')).toEqual({ count: 0, sum: 7 });
    expect(await store.inventory!('tallies')).toEqual(['t']);
    await store.transact([add(0, -7)]);
    expect(await store.tally('t')).toEqual({ count: 0, sum: 0 });
    expect(await store.inventory!('tallies')).toEqual([]);
    await store.transact([add(0, 0), add(-1, -1, { name: 'never' })]);
    expect(await store.inventory!('tallies')).toEqual([]);
  });

  test('neither number leaves its range, each for itself', async () => {
    const { store } = await openStore(subject);
    await store.transact([add(2, 5)]);
    expect(await store.transact([add(-7, 1)])).toEqual({ ok: true, results: [0] });
    expect(await store.tally('t')).toEqual({ count: 0, sum: 6 });
    await store.transact([add(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER), add(1, 1)]);
    expect(await store.tally('t')).toEqual({ count: Number.MAX_SAFE_INTEGER, sum: 1 });
  });

  test.each([
    ['a count', add(2, 0, { maxCount: 3 })],
    ['a sum', add(0, 10, { maxSum: 29 })],
    ['a sum with room for the count', add(1, 10, { maxCount: 3, maxSum: 29 })],
  ])('%s above its bound fails, with the count that was found', async (_, operation) => {
    const { store } = await openStore(subject);
    await store.transact([add(2, 20)]);
    const done = await store.transact([
      { type: 'put', space: 's', key: 'k', value: bytes(1) },
      add(5, 5, { name: 'other' }),
      operation,
      { type: 'append', log: 'l', values: [bytes(1)] },
    ]);
    expect(done).toEqual({ ok: false, failed: 2, found: 2 });
    expect(await store.tally('t')).toEqual({ count: 2, sum: 20 });
    expect(await store.tally('other')).toEqual({ count: 0, sum: 0 });
    expect(await store.get('s', 'k')).toBeUndefined();
    expect(await store.length('l')).toBe(0);
  });

  test('a bound is reached, not passed, also by the first of all', async () => {
    const { store } = await openStore(subject);
    const bounds = { maxCount: 2, maxSum: 10 };
    expect(await store.transact([add(3, 0, bounds)])).toEqual({ ok: false, failed: 0, found: 0 });
    expect(await store.transact([add(0, 11, bounds)])).toEqual({ ok: false, failed: 0, found: 0 });
    expect((await store.transact([add(2, 10, bounds)])).ok).toBe(true);
    expect((await store.transact([add(1, 0, bounds)])).ok).toBe(false);
    expect((await store.transact([add(0, 1, bounds)])).ok).toBe(false);
  });

  test('what does not go up passes, however far above the bound it is', async () => {
    const { store } = await openStore(subject);
    await store.transact([add(9, 90)]);
    const bounds = { maxCount: 1, maxSum: 1 };
    expect(await store.transact([add(-1, -10, bounds)])).toEqual({ ok: true, results: [8] });
    expect(await store.transact([add(0, 0, bounds)])).toEqual({ ok: true, results: [8] });
    expect(await store.transact([add(1, -10, { maxSum: 1 })])).toEqual({ ok: true, results: [9] });
    expect(await store.transact([add(-1, 1, { maxSum: 1 })])).toMatchObject({
      ok: false,
      found: 9,
    });
  });

  test('operations see those before them', async () => {
    const { store } = await openStore(subject);
    const one = add(1, 1, { maxCount: 2 });
    expect(await store.transact([one, one])).toEqual({ ok: true, results: [1, 2] });
    expect(await store.transact([add(-1, 0), one, one])).toMatchObject({ failed: 2, found: 2 });
    expect(await store.transact([add(-2, -2), one])).toEqual({ ok: true, results: [0, 1] });
    expect(await store.tally('t')).toEqual({ count: 1, sum: 1 });
  });

  test('a transaction that fails elsewhere leaves tallies as they were', async () => {
    const { store } = await openStore(subject);
    await store.transact([add(1, 1)]);
    const done = await store.transact([
      add(4, 4),
      { type: 'check', space: 's', key: 'k', ifVersion: 3 },
    ]);
    expect(done).toMatchObject({ ok: false, failed: 1 });
    expect(await store.tally('t')).toEqual({ count: 1, sum: 1 });
  });

  test('many at once lose nothing and pass no bound, in whatever order they name tallies', async () => {
    const { store, again } = await openStore(subject);
    const stores = subject.isShared ? [store, await again()] : [store];
    const names = ['a', 'b', 'c'];
    const done = await Promise.all(
      range(120).map((at) => {
        const turned = at % 2 === 0 ? names : names.toReversed();
        return stores[at % stores.length]!.transact(
          turned.map((name) => add(1, at, { name, maxCount: name === 'b' ? 50 : undefined })),
        );
      }),
    );
    const sum = range(120).reduce((total, at) => total + (done[at]!.ok ? at : 0), 0);
    expect(done.filter(({ ok }) => ok)).toHaveLength(50);
    for (const name of names) expect(await store.tally(name)).toEqual({ count: 50, sum });
  });

  test.each(CONFUSABLE_NAMES)('names %s are two tallies', async (_, one, other) => {
    const { store } = await openStore(subject);
    await store.transact([add(1, 1, { name: one }), add(2, 2, { name: other })]);
    expect(await store.tally(one)).toEqual({ count: 1, sum: 1 });
    expect(await store.tally(other)).toEqual({ count: 2, sum: 2 });
    expect(new Set(await store.inventory!('tallies'))).toEqual(new Set([one, other]));
  });

  test('they are listed by name, in pages', async () => {
    const { store } = await openStore(subject);
    const ordered = ['A', 'a', 'a\0', 'ab', '\u00e9', '\uffff', '😀'];
    await store.transact(ordered.toReversed().map((name) => add(1, 0, { name })));
    expect(await store.inventory!('tallies')).toEqual(ordered);
    expect(await store.inventory!('tallies', { after: 'ab', limit: 2 })).toEqual(
      ordered.slice(4, 6),
    );
    expect(await store.inventory!('spaces')).toEqual([]);
  });

  test.each([
    ['name', add(1, 1, { name: '' })],
    ['count', add(0.5, 1)],
    ['sum', add(1, 2 ** 53)],
    ['maxCount', add(1, 1, { maxCount: -1 })],
    ['maxSum', add(1, 1, { maxSum: Number.NaN })],
  ])('a wrong %s is refused by name', async (name, operation) => {
    const { store } = await openStore(subject);
    await expect(store.transact([operation])).rejects.toThrow(`"${name}"`);
    await expect(store.tally('')).rejects.toThrow('"name"');
  });
}
