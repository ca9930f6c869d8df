// Rules of the inventory: every space and log that holds something, by name, in pages.

import { expect, test } from 'vitest';

import { CONFUSABLE_NAMES, bytes, later, openStore, range } from './setup.ts';
import type { StoreUnderTest } from './setup.ts';

/** In the order of their UTF-8 bytes, which is not that of JavaScript: a surrogate comes after U+FFFF. */
const ORDERED = ['A', 'a', 'a\0', 'ab', '\u00e9', '\uffff', '😀'];

export function inventoryRules(subject: StoreUnderTest): void {
  test('a new store holds nothing', async () => {
    const { store } = await openStore(subject);
    expect(await store.inventory!('spaces')).toEqual([]);
    expect(await store.inventory!('logs')).toEqual([]);
  });

  test('names come in the order of their bytes, whatever was made first', async () => {
    const { store } = await openStore(subject);
    for (const name of ORDERED.toReversed()) {
      await store.put(name, 'k', bytes());
      await store.put(name, 'k2', bytes());
      await store.append(name, [bytes(1), bytes(2)]);
    }
    for (const of of ['spaces', 'logs'] as const) {
      expect(await store.inventory!(of)).toEqual(ORDERED);
      const pages: (readonly string[])[] = [];
      for (let after: string | undefined; ; after = pages.at(-1)!.at(-1)) {
        pages.push(await store.inventory!(of, { after, limit: 3 }));
        if (pages.at(-1)!.length < 3) break;
      }
      expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
      expect(pages.flat()).toEqual(ORDERED);
    }
  });

  test.each(CONFUSABLE_NAMES)('names of logs %s stay what they are', async (_, one, other) => {
    const { store } = await openStore(subject);
    await store.append(one, [bytes()]);
    await store.append(other, [bytes()]);
    expect(new Set(await store.inventory!('logs'))).toEqual(new Set([one, other]));
  });

  test('what is empty, dropped, deleted or purged is not in it', async () => {
    const { store, clock } = await openStore(subject);
    await store.append('empty', []);
    await store.append('dropped', [bytes()]);
    await store.transact([{ type: 'drop', log: 'dropped' }]);
    await store.put('deleted', 'k', bytes());
    await store.delete('deleted', 'k');
    await store.put('purged', 'k', bytes(), { expiresAt: later(clock, 1) });
    clock.now += 1;
    await store.purge();
    expect(await store.inventory!('spaces')).toEqual([]);
    expect(await store.inventory!('logs')).toEqual([]);
  });

  test('a page has 1000 names unless it is told otherwise', async () => {
    const { store } = await openStore(subject);
    await store.transact(
      range(1_001).map((at) => ({ type: 'append', log: `l${at}`, values: [bytes()] })),
    );
    const first = await store.inventory!('logs');
    expect(first).toHaveLength(1_000);
    expect(await store.inventory!('logs', { after: first.at(-1) })).toHaveLength(1);
  });

  test.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 1_001 }],
    ['log', { after: '' }],
  ])('a wrong %s is refused by name', async (name, options) => {
    const { store } = await openStore(subject);
    await expect(store.inventory!('logs', options)).rejects.toThrow(`"${name}"`);
    await expect(store.inventory!('tables' as never)).rejects.toThrow('"of"');
  });
}
