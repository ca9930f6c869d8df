// Rules for two connections to one store, as two processes have them.

import { expect, test } from 'vitest';

import { bytes, later, numbered, openStore, range, take } from './setup.ts';
import type { EntryStoreUnderTest, StoreUnderTest } from './setup.ts';

export function sharedEntryRules(subject: EntryStoreUnderTest): void {
  test('of 64 concurrent adds of one key over both exactly one is the creator', async () => {
    const { store, again } = await openStore(subject);
    const stores = [store, await again()];
    for (const round of range(10)) {
      const made = await Promise.all(
        range(64).map((at) => stores[at % 2]!.add('s', `k${round}`, { value: numbered(at) })),
      );
      expect(made.filter(Boolean)).toHaveLength(1);
      const winner = numbered(made.indexOf(true));
      for (const each of stores) expect((await each.get('s', `k${round}`))?.value).toEqual(winner);
    }
  });

  test('an expired key is taken over by exactly one', async () => {
    const { store, clock, again } = await openStore(subject);
    const other = await again();
    await store.add('s', 'k', { value: bytes(1), expiresAt: later(clock, 1) });
    clock.now += 1;
    const made = await Promise.all([
      store.add('s', 'k', { value: bytes(2) }),
      other.add('s', 'k', { value: bytes(3) }),
    ]);
    expect(made.filter(Boolean)).toHaveLength(1);
  });

  test('versions differ whoever writes, so a conflict is always seen', async () => {
    const { store, again } = await openStore(subject);
    const other = await again();
    const mine = await store.put('s', 'k', bytes(1));
    const theirs = await other.put('s', 'k', bytes(2));
    expect(theirs.version).not.toBe(mine.version);
    expect(await store.put('s', 'k', bytes(3), { ifVersion: mine.version })).toEqual({
      ok: false,
      version: theirs.version,
    });
  });

  test('what one has acknowledged the other reads', async () => {
    const { store, again } = await openStore(subject);
    await store.put('s', 'k', bytes(1), { index: { of: 'a' } });
    const other = await again();
    await store.put('s', 'k2', bytes(2), { index: { of: 'a' } });
    expect(await other.count('s', { index: { of: 'a' } })).toBe(2);
    expect((await other.get('s', 'k2'))?.value).toEqual(bytes(2));
  });
}

export function sharedLogRules(subject: StoreUnderTest): void {
  test('appends from both make one log without gaps, and each watcher sees all of it once', async () => {
    const { store, again } = await openStore(subject);
    const other = await again();
    const watches = [store, other, store].map((each) => take(each.watch('l', 0), 200));
    await Promise.all(
      [store, other].map(async (each, writer) => {
        for (const at of range(100)) await each.append('l', [numbered(writer * 100 + at)]);
      }),
    );
    const log = [...(await store.read('l', 0)), ...(await store.read('l', 100))];
    expect(log.map(({ position }) => position)).toEqual(range(200));
    for (const seen of await Promise.all(watches)) expect(seen).toEqual(log);
  });

  test('a log dropped by one ends the watches of the other', async () => {
    const { store, again } = await openStore(subject);
    const other = await again();
    await store.append('l', [bytes(1)]);
    const watch = other.watch('l', 0)[Symbol.asyncIterator]();
    expect((await watch.next()).done).toBe(false);
    const next = watch.next();
    await store.transact([
      { type: 'drop', log: 'l' },
      { type: 'append', log: 'l', values: [bytes(2)] },
    ]);
    expect((await next).done).toBe(true);
  });
}
