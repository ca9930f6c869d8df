// Rules of counting: by index fields, all of them together, only what is live, and no further than asked.

import { expect, test } from 'vitest';

import { CONFUSABLE_VALUES, bytes, later, openStore, range } from './setup.ts';
import type { EntryStoreUnderTest } from './setup.ts';

export function countRules(subject: EntryStoreUnderTest): void {
  test('index fields filter counts, all of them together', async () => {
    const { store } = await openStore(subject);
    for (const at of range(12)) {
      await store.put('s', `k${at}`, bytes(at), {
        index: { owner: `o${at % 2}`, state: `s${at % 3}`, tenant: 't' },
      });
    }
    await store.put('other', 'x', bytes(), { index: { owner: 'o0' } });
    expect(await store.count('s')).toBe(12);
    expect(await store.count('s', { index: { owner: 'o0' } })).toBe(6);
    expect(await store.count('s', { index: { tenant: 't', state: 's1', owner: 'o1' } })).toBe(2);
    expect(await store.count('s', { index: { owner: 'o1', absent: 'x' } })).toBe(0);
    expect(await store.count('s', { index: { owner: 'o2' } })).toBe(0);
    expect(await store.count('s', { index: { absent: 'o0' } })).toBe(0);
    expect(await store.count('none')).toBe(0);
  });

  test('a count over several fields leaves out what has expired', async () => {
    const { store, clock } = await openStore(subject);
    for (const at of range(6)) {
      const expiresAt = at % 2 === 0 ? later(clock, 1) : undefined;
      await store.put('s', `k${at}`, bytes(), { index: { of: 'a', in: 'b' }, expiresAt });
    }
    expect(await store.count('s', { index: { of: 'a', in: 'b' } })).toBe(6);
    clock.now += 1;
    expect(await store.count('s', { index: { of: 'a', in: 'b' } })).toBe(3);
  });

  test('an entry moves between index values', async () => {
    const { store } = await openStore(subject);
    await store.put('s', 'k', bytes(), { index: { state: 'old' } });
    await store.put('s', 'k', bytes(), { index: { state: 'new' } });
    expect(await store.count('s', { index: { state: 'old' } })).toBe(0);
    expect(await store.count('s', { index: { state: 'new' } })).toBe(1);
  });

  test('index values are compared exactly', async () => {
    const { store } = await openStore(subject);
    for (const value of CONFUSABLE_VALUES) {
      await store.put('s', `k${value}`, bytes(), { index: { f: value } });
    }
    for (const value of CONFUSABLE_VALUES) {
      expect((await store.get('s', `k${value}`))?.index).toEqual({ f: value });
      expect(await store.count('s', { index: { f: value } })).toBe(1);
      await store.delete('s', `k${value}`);
      expect(await store.count('s', { index: { f: value } })).toBe(0);
    }
  });

  test('a count stops at its bound', async () => {
    const { store } = await openStore(subject);
    await Promise.all(
      range(20).map((at) => store.put('s', `k${at}`, bytes(), { index: { of: 'a', in: 'b' } })),
    );
    expect(await store.count('s', { atMost: 5 })).toBe(5);
    expect(await store.count('s', { atMost: 0 })).toBe(0);
    for (const index of [{ of: 'a' }, { of: 'a', in: 'b' }]) {
      expect(await store.count('s', { index, atMost: 19 })).toBe(19);
      expect(await store.count('s', { index, atMost: 21 })).toBe(20);
    }
  });

  test.each([
    ['atMost', { atMost: -1 }],
    ['index', { index: { 'not a name': 'x' } }],
    ['index', { index: Object.fromEntries(range(9).map((at) => [`f${at}`, ''])) }],
    ['index.a', { index: { a: 'x'.repeat(513) } }],
  ])('a wrong %s is refused by name', async (name, options) => {
    const { store } = await openStore(subject);
    await expect(store.count('s', options)).rejects.toThrow(`"${name}"`);
  });
}
