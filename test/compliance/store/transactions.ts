// Rules of transactions: all or nothing, which condition failed, what operations see of each other.

import { expect, test } from 'vitest';

import type { Operation, Store } from '../../../src/stores/store.ts';
import { bytes, later, numbered, openStore, range } from './setup.ts';
import type { StoreUnderTest } from './setup.ts';

/** Everything that the tests below may have changed. */
async function contentOf(store: Store): Promise<unknown> {
  return {
    entries: (await store.list('s')).entries,
    counted: await store.count('s', { index: { owner: 'a' } }),
    log: await store.read('l', 0),
    broken: await store.length('broken'),
  };
}

export function transactionRules(subject: StoreUnderTest): void {
  test('a row and its events are written together', async () => {
    const { store } = await openStore(subject);
    const done = await store.transact([
      { type: 'put', space: 's', key: 'task', value: bytes(1), ifVersion: 0 },
      { type: 'append', log: 'l', values: [bytes(2), bytes(3)], ifLength: 0 },
      { type: 'append', log: 'l', values: [bytes(4)], ifLength: 2 },
    ]);
    expect(done).toEqual({ ok: true, results: [expect.any(Number), 0, 2] });
    expect((await store.get('s', 'task'))?.version).toBe(done.ok ? done.results[0] : undefined);
    expect(await store.length('l')).toBe(3);
  });

  const failing: [string, Operation, (version: number) => number][] = [
    [
      'an add of what is there',
      { type: 'add', space: 's', key: 'k', value: bytes(9) },
      (version) => version,
    ],
    [
      'a put over another version',
      { type: 'put', space: 's', key: 'k', value: bytes(9), ifVersion: 99 },
      (version) => version,
    ],
    [
      'a delete of another version',
      { type: 'delete', space: 's', key: 'k', ifVersion: 99 },
      (version) => version,
    ],
    ['a check of another version', { type: 'check', space: 's', key: 'no', ifVersion: 1 }, () => 0],
    [
      'an append at another length',
      { type: 'append', log: 'l', values: [bytes(9)], ifLength: 5 },
      () => 2,
    ],
    [
      'an empty append at another length',
      { type: 'append', log: 'l', values: [], ifLength: 1 },
      () => 2,
    ],
  ];
  test.each(failing)('%s undoes all before it and names itself', async (_, operation, found) => {
    const { store } = await openStore(subject);
    const { version } = await store.put('s', 'k', bytes(1), { index: { owner: 'a' } });
    await store.put('s', 'gone', bytes(1), { index: { owner: 'a' } });
    await store.append('l', [bytes(1)]);
    const before = await contentOf(store);
    const done = await store.transact([
      { type: 'add', space: 's', key: 'new', value: bytes(2), index: { owner: 'a' } },
      { type: 'delete', space: 's', key: 'gone' },
      { type: 'append', log: 'l', values: [bytes(2)] },
      operation,
      { type: 'put', space: 's', key: 'never', value: bytes(3) },
    ]);
    expect(done).toEqual({ ok: false, failed: 3, found: found(version) });
    expect(await contentOf(store)).toEqual(before);
  });

  test('operations see those before them', async () => {
    const { store } = await openStore(subject);
    await store.append('l', [bytes(1)]);
    const done = await store.transact([
      { type: 'add', space: 's', key: 'k', value: bytes(1) },
      { type: 'delete', space: 's', key: 'k' },
      { type: 'check', space: 's', key: 'k', ifVersion: 0 },
      { type: 'add', space: 's', key: 'k', value: bytes(2) },
      { type: 'drop', log: 'l' },
      { type: 'append', log: 'l', values: [bytes(3)], ifLength: 0 },
    ]);
    expect(done.ok).toBe(true);
    expect((await store.get('s', 'k'))?.value).toEqual(bytes(2));
    expect(await store.read('l', 0)).toEqual([{ position: 0, value: bytes(3) }]);
    const twice: Operation = { type: 'add', space: 's', key: 'twice', value: bytes() };
    expect(await store.transact([twice, twice])).toMatchObject({ ok: false, failed: 1 });
    expect(await store.get('s', 'twice')).toBeUndefined();
  });

  test('space and key are not run together', async () => {
    const { store } = await openStore(subject);
    const done = await store.transact([
      { type: 'put', space: 'x', key: 'yz', value: bytes(3), ifVersion: 0 },
      { type: 'add', space: 'xy', key: 'z', value: bytes(4) },
    ]);
    expect(done.ok).toBe(true);
  });

  test('a lease fences: who lost it writes nothing, who takes it over does', async () => {
    const { store, clock } = await openStore(subject);
    const lease = { expiresAt: later(clock, 10), ifVersion: 0 };
    const mine = await store.put('lease', 'task', bytes(1), lease);
    const event = (version: number): Operation[] => [
      { type: 'check', space: 'lease', key: 'task', ifVersion: version },
      { type: 'append', log: 'l', values: [bytes(1)] },
    ];
    expect((await store.transact(event(mine.version))).ok).toBe(true);
    clock.now += 10;
    expect((await store.transact(event(mine.version))).ok).toBe(false);
    const theirs = await store.put('lease', 'task', bytes(2), { ifVersion: 0 });
    expect(theirs.ok).toBe(true);
    expect((await store.transact(event(mine.version))).ok).toBe(false);
    expect((await store.transact(event(theirs.version))).ok).toBe(true);
    expect(await store.length('l')).toBe(2);
  });

  test('concurrent transactions on one log leave no gap and lose nothing', async () => {
    const { store } = await openStore(subject);
    const run = async (at: number): Promise<void> => {
      for (;;) {
        const ifLength = await store.length('l');
        const done = await store.transact([
          { type: 'append', log: 'l', values: [numbered(at)], ifLength },
          { type: 'put', space: 's', key: `k${at}`, value: numbered(ifLength), ifVersion: 0 },
        ]);
        if (done.ok) return;
      }
    };
    await Promise.all(range(16).map(run));
    const log = await store.read('l', 0);
    expect(log.map(({ position }) => position)).toEqual(range(16));
    for (const { position, value } of log) {
      const key = `k${new TextDecoder().decode(value)}`;
      expect((await store.get('s', key))?.value).toEqual(numbered(position));
    }
  });

  test('a transaction without operations succeeds', async () => {
    const { store } = await openStore(subject);
    expect(await store.transact([])).toEqual({ ok: true, results: [] });
  });

  test.each([
    ['that cannot be read', { type: 'add', space: 's', key: 'x' }],
    ['of an unknown type', { type: 'merge', space: 's', key: 'x' }],
    [
      'with a wrong expiry',
      { type: 'put', space: 's', key: 'x', value: bytes(), expiresAt: Number.NaN },
    ],
    ['with a wrong version', { type: 'delete', space: 's', key: 'x', ifVersion: -1 }],
  ])('an operation %s leaves nothing of those before it', async (_, operation) => {
    const { store } = await openStore(subject);
    const before = await contentOf(store);
    await expect(
      store.transact([
        { type: 'put', space: 's', key: 'k', value: bytes(1) },
        { type: 'append', log: 'l', values: [bytes(1)] },
        operation as Operation,
      ]),
    ).rejects.toThrow(/^"/);
    expect(await contentOf(store)).toEqual(before);
  });

  const { sabotage } = subject;
  if (sabotage === undefined) return;
  test('a driver that fails in the middle leaves nothing, and harms nobody in the same group', async () => {
    const { store, place } = await openStore(subject);
    await store.put('s', 'k', bytes(1), { index: { owner: 'a' } });
    await store.append('l', [bytes(1)]);
    await sabotage(place);
    const before = await contentOf(store);
    const [bad, good, single] = await Promise.allSettled([
      store.transact([
        { type: 'put', space: 's', key: 'k', value: bytes(2) },
        { type: 'add', space: 's', key: 'new', value: bytes(2), index: { owner: 'a' } },
        { type: 'append', log: 'l', values: [bytes(2)] },
        { type: 'append', log: 'broken', values: [bytes(1), bytes(2)] },
        { type: 'put', space: 's', key: 'never', value: bytes(3) },
      ]),
      store.put('fine', 'k', bytes(5)),
      store.append('broken', [bytes(1), bytes(2)]),
    ]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { fault: 'failed' } });
    expect(single).toMatchObject({ status: 'rejected', reason: { fault: 'failed' } });
    expect(good).toMatchObject({ status: 'fulfilled', value: { ok: true } });
    expect(await contentOf(store)).toEqual(before);
    expect((await store.get('fine', 'k'))?.value).toEqual(bytes(5));
    expect((await store.put('s', 'k', bytes(4))).ok).toBe(true);
  });
}
