// What waits costs nothing: entries that are due are found by their rank.

import { describe, expect, test } from 'vitest';

import { addingEntry, dueEntries } from '../../src/outbox/entry.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';

describe('#task-delegation what is due', () => {
  test('is found without a look at what waits', async () => {
    const store = createMemoryStore();
    const waiting = Array.from({ length: 2_000 }, (_, at) =>
      addingEntry('hello', `waits-${at}`, {}, 5_000 + at),
    );
    await store.transact([...waiting, addingEntry('other', 'a', {}, 1)]);
    await store.transact([addingEntry('hello', 'b', {}, 900), addingEntry('hello', 'c', {}, 800)]);
    let seen = 0;
    const list: Store['list'] = async (...args) => {
      const page = await store.list(...args);
      seen += page.entries.length;
      return page;
    };
    const { due, next } = await dueEntries({ ...store, list }, 'hello', 1_000, 16);
    expect(due.map(({ entry }) => entry.key)).toEqual(['c', 'b']);
    expect([next, seen]).toEqual([5_000, 16]);
    // More are due than fit: there is no need to wait for them.
    const all = await dueEntries(store, 'hello', 10_000, 16);
    expect([all.due.length, all.next]).toEqual([16, 10_000]);
  });
});
