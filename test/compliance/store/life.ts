// Rules of a store's life: purging what has expired, keeping the rest, closing.

import { expect, test } from 'vitest';

import { bytes, expectClosed, later, numbered, openStore, range } from './setup.ts';
import type { EntryStoreUnderTest } from './setup.ts';

export function lifeRules(subject: EntryStoreUnderTest): void {
  test('purge removes what has expired, all of it, and nothing else', async () => {
    const { store, clock } = await openStore(subject);
    await Promise.all(
      range(2_600).map((at) =>
        store.add('s', `k${at}`, {
          value: numbered(at),
          index: { of: 'a' },
          ...(at % 2 === 0 ? { expiresAt: later(clock, 10 + (at % 3)) } : {}),
        }),
      ),
    );
    await store.add('s', 'later', { value: bytes(), expiresAt: later(clock, 1_000) });
    expect(await store.purge()).toBe(0);
    clock.now += 12;
    expect(await store.purge()).toBe(1_300);
    expect(await store.purge()).toBe(0);
    expect(await store.count('s', { index: { of: 'a' } })).toBe(1_300);
    expect((await store.get('s', 'k1'))?.value).toEqual(numbered(1));
    expect(await store.get('s', 'later')).toBeDefined();
  });

  test('purge up to a moment keeps what expired after it', async () => {
    const { store, clock } = await openStore(subject);
    const start = clock.now;
    for (const at of range(4)) {
      await store.add('s', `k${at}`, { value: bytes(), expiresAt: start + at });
    }
    clock.now += 10;
    expect(await store.purge(start + 1)).toBe(2);
    expect(await store.purge()).toBe(2);
  });

  test('purge up to a moment in the future removes nothing that is still valid', async () => {
    const { store, clock } = await openStore(subject);
    await store.add('s', 'k', { value: bytes(), expiresAt: later(clock, 1) });
    expect(await store.purge(later(clock, 1_000))).toBe(0);
    expect(await store.get('s', 'k')).toBeDefined();
  });

  test('an entry whose expiry was moved or lifted is not purged at the earlier one', async () => {
    const { store, clock } = await openStore(subject);
    const expiresAt = later(clock, 10);
    for (const key of ['moved', 'lifted', 'deleted', 'stays']) {
      await store.put('s', key, bytes(1), { expiresAt });
    }
    await store.put('s', 'moved', bytes(2), { expiresAt: later(clock, 20) });
    await store.put('s', 'lifted', bytes(2));
    await store.delete('s', 'deleted');
    clock.now += 15;
    expect(await store.purge()).toBe(1);
    expect((await store.get('s', 'moved'))?.value).toEqual(bytes(2));
    expect((await store.get('s', 'lifted'))?.value).toEqual(bytes(2));
    clock.now += 5;
    expect(await store.purge()).toBe(1);
    expect(await store.count('s')).toBe(1);
  });

  test('leases renewed a thousand times leave nothing behind', async () => {
    const { store, clock } = await openStore(subject);
    for (const turn of range(10)) {
      await Promise.all(
        range(100).map((at) =>
          store.put('s', `k${at}`, numbered(turn), { expiresAt: later(clock, 100 - at) }),
        ),
      );
      clock.now += 1;
    }
    clock.now += 40;
    expect(await store.purge()).toBe(41);
    clock.now += 100;
    expect(await store.purge()).toBe(59);
    expect(await store.count('s')).toBe(0);
  });

  test('close finishes what was called before it', async () => {
    const { store } = await openStore(subject);
    const writing = range(10).map((at) => store.add('s', `k${at}`, { value: bytes(at) }));
    await store.close();
    expect(await Promise.all(writing)).toEqual(range(10).map(() => true));
  });

  test('every call after close fails and says so; closing again does not', async () => {
    const { store } = await openStore(subject);
    await store.close();
    await store.close();
    await expectClosed([
      store.add('s', 'k', { value: bytes() }),
      store.get('s', 'k'),
      store.put('s', 'k', bytes()),
      store.delete('s', 'k'),
      store.count('s'),
      store.purge(),
    ]);
  });
}
