// Rules of a store's entries: creating, replacing, deleting, versions, expiry, names and values.

import { expect, test } from 'vitest';

import { CONFUSABLE_NAMES, bytes, later, numbered, openStore, range } from './setup.ts';
import type { EntryStoreUnderTest } from './setup.ts';

export function entryRules(subject: EntryStoreUnderTest): void {
  test('add creates what is not there and says so, once', async () => {
    const { store } = await openStore(subject);
    expect(await store.add('s', 'k', { value: bytes(1) })).toBe(true);
    expect(await store.add('s', 'k', { value: bytes(2) })).toBe(false);
    expect((await store.get('s', 'k'))?.value).toEqual(bytes(1));
  });

  test('of 64 concurrent adds of one key exactly one is the creator', async () => {
    const { store } = await openStore(subject);
    const made = await Promise.all(
      range(64).map((at) => store.add('s', 'k', { value: numbered(at) })),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect((await store.get('s', 'k'))?.value).toEqual(numbered(made.indexOf(true)));
  });

  test('one key in two spaces is two entries', async () => {
    const { store } = await openStore(subject);
    await store.put('a', 'k', bytes(1));
    expect(await store.get('b', 'k')).toBeUndefined();
    expect(await store.add('b', 'k', { value: bytes(2) })).toBe(true);
    expect((await store.get('a', 'k'))?.value).toEqual(bytes(1));
  });

  test('space and key are not run together', async () => {
    const { store } = await openStore(subject);
    await store.put('ab', 'c', bytes(1));
    expect(await store.add('a', 'bc', { value: bytes(2) })).toBe(true);
    await store.put('x', 'yz', bytes(3));
    expect((await store.put('xy', 'z', bytes(4), { ifVersion: 0 })).ok).toBe(true);
  });

  test('put gives every write a new version', async () => {
    const { store } = await openStore(subject);
    const first = await store.put('s', 'k', bytes(1));
    const second = await store.put('s', 'k', bytes(2));
    expect(first.ok && second.ok).toBe(true);
    expect(first.version).toBeGreaterThan(0);
    expect(second.version).not.toBe(first.version);
    expect((await store.get('s', 'k'))?.version).toBe(second.version);
  });

  test('put with a version writes only over that version', async () => {
    const { store } = await openStore(subject);
    const { version } = await store.put('s', 'k', bytes(1));
    const second = await store.put('s', 'k', bytes(2), { ifVersion: version });
    expect(second.ok).toBe(true);
    expect(await store.put('s', 'k', bytes(3), { ifVersion: version })).toEqual({
      ok: false,
      version: second.version,
    });
    expect((await store.get('s', 'k'))?.value).toEqual(bytes(2));
  });

  test('put with version 0 only creates', async () => {
    const { store } = await openStore(subject);
    const first = await store.put('s', 'k', bytes(1), { ifVersion: 0 });
    expect(first.ok).toBe(true);
    expect(await store.put('s', 'k', bytes(2), { ifVersion: 0 })).toEqual({
      ok: false,
      version: first.version,
    });
  });

  test('put with a version does not create', async () => {
    const { store } = await openStore(subject);
    expect(await store.put('s', 'k', bytes(1), { ifVersion: 7 })).toEqual({
      ok: false,
      version: 0,
    });
    expect(await store.get('s', 'k')).toBeUndefined();
  });

  test('of 64 concurrent writers from one version exactly one succeeds', async () => {
    const { store } = await openStore(subject);
    const { version } = await store.put('s', 'k', bytes(0));
    const done = await Promise.all(
      range(64).map((at) => store.put('s', 'k', numbered(at), { ifVersion: version })),
    );
    expect(done.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('a version is not used again after the key was deleted and made anew', async () => {
    const { store } = await openStore(subject);
    const first = await store.put('s', 'k', bytes(1));
    await store.delete('s', 'k');
    await store.put('s', 'k', bytes(2));
    expect((await store.put('s', 'k', bytes(3), { ifVersion: first.version })).ok).toBe(false);
    expect((await store.delete('s', 'k', { ifVersion: first.version })).ok).toBe(false);
    expect((await store.get('s', 'k'))?.value).toEqual(bytes(2));
  });

  test('put replaces expiry and index with the value', async () => {
    const { store, clock } = await openStore(subject);
    await store.put('s', 'k', bytes(1), { expiresAt: later(clock, 10), index: { owner: 'a' } });
    const { version } = await store.put('s', 'k', bytes(2), { index: { state: 'b' } });
    clock.now += 10;
    expect(await store.get('s', 'k')).toEqual({
      key: 'k',
      value: bytes(2),
      version,
      expiresAt: undefined,
      index: { state: 'b' },
    });
    expect(await store.count('s', { index: { owner: 'a' } })).toBe(0);
    expect(await store.count('s', { index: { state: 'b' } })).toBe(1);
  });

  test('delete removes, and says which version it removed', async () => {
    const { store } = await openStore(subject);
    const { version } = await store.put('s', 'k', bytes(1), { index: { owner: 'a' } });
    expect(await store.delete('s', 'k')).toEqual({ ok: true, version });
    expect(await store.get('s', 'k')).toBeUndefined();
    expect(await store.count('s', { index: { owner: 'a' } })).toBe(0);
    expect(await store.delete('s', 'k')).toEqual({ ok: true, version: 0 });
  });

  test('delete with a version removes only that version', async () => {
    const { store } = await openStore(subject);
    const { version } = await store.put('s', 'k', bytes(1));
    expect(await store.delete('s', 'k', { ifVersion: version + 1 })).toEqual({
      ok: false,
      version,
    });
    expect((await store.delete('s', 'k', { ifVersion: version })).ok).toBe(true);
    expect(await store.delete('s', 'k', { ifVersion: version })).toEqual({
      ok: false,
      version: 0,
    });
  });

  test('an entry is there until the moment it expires and absent from then on', async () => {
    const { store, clock } = await openStore(subject);
    const { version } = await store.put('s', 'k', bytes(1), {
      expiresAt: later(clock, 10),
      index: { owner: 'a' },
    });
    clock.now += 9;
    expect((await store.get('s', 'k'))?.expiresAt).toBe(later(clock, 1));
    expect(await store.add('s', 'k', { value: bytes(2) })).toBe(false);
    clock.now += 1;
    expect(await store.get('s', 'k')).toBeUndefined();
    expect(await store.count('s')).toBe(0);
    expect(await store.count('s', { index: { owner: 'a' } })).toBe(0);
    expect((await store.put('s', 'k', bytes(3), { ifVersion: version })).ok).toBe(false);
    expect(await store.delete('s', 'k')).toEqual({ ok: true, version: 0 });
  });

  test('an expired entry can be added again, by exactly one of many', async () => {
    const { store, clock } = await openStore(subject);
    await store.add('s', 'k', { value: bytes(1), expiresAt: later(clock, 10), index: { of: 'a' } });
    clock.now += 10;
    const made = await Promise.all(
      range(8).map(() =>
        store.add('s', 'k', { value: bytes(2), expiresAt: later(clock, 10), index: { of: 'b' } }),
      ),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await store.count('s', { index: { of: 'a' } })).toBe(0);
    expect(await store.count('s', { index: { of: 'b' } })).toBe(1);
  });

  test('an entry whose expiry has already passed is accepted and never seen', async () => {
    const { store, clock } = await openStore(subject);
    expect(await store.add('s', 'k', { value: bytes(1), expiresAt: clock.now })).toBe(true);
    expect(await store.get('s', 'k')).toBeUndefined();
  });

  test.each(CONFUSABLE_NAMES)('keys %s stay what they are', async (_, one, other) => {
    const { store } = await openStore(subject);
    await store.put('s', one, bytes(1));
    expect(await store.add('s', other, { value: bytes(2) })).toBe(true);
    expect(await store.get('s', one)).toMatchObject({ key: one, value: bytes(1) });
    expect(await store.get('s', other)).toMatchObject({ key: other, value: bytes(2) });
    expect((await store.delete('s', one)).ok).toBe(true);
    expect(await store.count('s')).toBe(1);
  });

  test.each([
    ['an empty key', 's', ''],
    ['a key that is too long', 's', 'é'.repeat(1_025)],
    ['a key with a lone surrogate', 's', 'a\ud800'],
    ['an empty space', '', 'k'],
    ['a space that is too long', 'x'.repeat(129), 'k'],
  ])('%s is refused', async (_, space, key) => {
    const { store } = await openStore(subject);
    const refusal = /^"(key|space)" (must not be empty|is longer than|holds a lone)/;
    await expect(store.add(space, key, { value: bytes() })).rejects.toThrow(refusal);
    await expect(store.get(space, key)).rejects.toThrow(refusal);
  });

  test.each([
    ['of no bytes', 0],
    ['of 1 MiB', 1_048_576],
  ])('a value %s comes back as it went in', async (_, length) => {
    const { store } = await openStore(subject);
    const value = Uint8Array.from({ length }, (__, at) => (at * 7) & 0xff);
    await store.put('s', 'k', value);
    const stored = (await store.get('s', 'k'))!.value;
    expect(Object.getPrototypeOf(stored)).toBe(Uint8Array.prototype);
    expect(stored.length === length && stored.every((byte, at) => byte === value[at])).toBe(true);
  });

  test('changing what was passed in changes nothing, not even before the write is done', async () => {
    const { store } = await openStore(subject);
    const value = bytes(1, 2, 3);
    const index = { owner: 'a' };
    const writing = store.put('s', 'k', value, { index });
    value.fill(0);
    index.owner = 'b';
    await writing;
    expect(await store.get('s', 'k')).toMatchObject({
      value: bytes(1, 2, 3),
      index: { owner: 'a' },
    });
  });

  test('changing what was handed out changes nothing', async () => {
    const { store } = await openStore(subject);
    await store.put('s', 'k', bytes(1));
    (await store.get('s', 'k'))!.value.fill(0);
    expect((await store.get('s', 'k'))?.value).toEqual(bytes(1));
  });
}
