// All of a store in a file and back: the same in every kind of store, and a file that is not whole changes nothing.

import { createHash } from 'node:crypto';
import { join } from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';

import { fillStore, isEmpty, itemsOf } from '../../cli/store/copy.ts';
import { readStoreFile, storeFile } from '../../cli/store/file.ts';
import type { StoredItem } from '../../cli/store/file.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Operation, Store } from '../../src/stores/store.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { CONFUSABLE_NAMES, bytes, numbered, range } from '../compliance/store/setup.ts';
import { openNode, server } from '../support/stores/postgres.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

const NOW = Date.UTC(2026, 0, 1);
const now = (): number => NOW;
const folder = temporaryFolder();
let places = 0;

const KINDS: readonly (readonly [string, (() => Promise<Store>) | undefined])[] = [
  ['memory', async () => createMemoryStore({ now })],
  [
    'SQLite',
    driver && (() => openSqliteStore({ path: join(folder, `copy-${(places += 1)}`), now })),
  ],
  ['PostgreSQL', server && (() => openNode(`copy_${(places += 1)}`, { now }))],
];
const present = KINDS.flatMap(([name, open]) => (open === undefined ? [] : [{ name, open }]));

async function opened(open: () => Promise<Store>): Promise<Store> {
  const store = await open();
  onTestFinished(() => store.close());
  return store;
}

/** Something of everything that a store can hold. */
async function fillVaried(store: Store): Promise<void> {
  for (const [at, [, one, other]] of CONFUSABLE_NAMES.entries()) {
    await store.put('names', one, numbered(at), { index: { f: other.slice(0, 100) } });
    await store.put('names', other, bytes());
    await store.append(one, [numbered(at), bytes(), bytes(0x0a, 0x7b)]);
  }
  await store.put('b', 'expires', bytes(1), { expiresAt: NOW + 5 });
  await store.put('b', 'expired', bytes(1), { expiresAt: NOW - 5 });
  await store.put('a', 'replaced', bytes(1));
  await store.put('a', 'later', bytes(1), { index: { owner: 'x', state: 'y' }, rank: 7 });
  await store.put('a', 'lowest', bytes(1), { rank: 0 });
  await store.transact(
    CONFUSABLE_NAMES.map(([, name], at) => ({ type: 'tally', name, count: at, sum: at * 10 })),
  );
  await store.put('a', 'replaced', bytes(2));
  await store.append('dropped', [bytes(1)]);
  await store.transact([{ type: 'drop', log: 'dropped' }]);
  // Longer than a page, than a batch and than a chunk.
  for (const at of range(3)) {
    const values = range(800).map((each) => numbered(at * 800 + each));
    await store.append('long', values);
  }
  await store.put('large', 'value', new Uint8Array(5_000_000).fill(7));
}

async function fileOf(store: Store): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of storeFile(itemsOf(store), '2026-01-01T00:00:00Z')) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

async function* chunked(file: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
}

async function read(file: Uint8Array, size?: number): Promise<StoredItem[]> {
  const items: StoredItem[] = [];
  for await (const item of readStoreFile(chunked(file, size))) items.push(item);
  return items;
}

describe('a copy of a store', () => {
  test.each(present)(
    'through a file into $name holds the same, in the same order',
    async ({ open }) => {
      const source = await opened(async () => createMemoryStore({ now }));
      await fillVaried(source);
      const file = await fileOf(source);
      const target = await opened(open);
      expect(await isEmpty(target)).toBe(true);
      const { added, kept } = await fillStore(target, readStoreFile(chunked(file)));
      expect([added, kept]).toEqual([(await read(file)).length, 0]);
      expect(await isEmpty(target)).toBe(false);
      expect(Buffer.compare(await fileOf(target), file)).toBe(0);
      expect((await target.get('b', 'expires'))?.expiresAt).toBe(NOW + 5);
      expect(await target.count('a', { index: { state: 'y', owner: 'x' } })).toBe(1);
      const { entries } = await target.list('a', { order: 'highest' });
      expect(entries.map(({ key }) => key)).toEqual(['later', 'lowest']);
      expect(await target.tally(CONFUSABLE_NAMES[3]![1])).toEqual({ count: 3, sum: 30 });
      expect((await target.read('long', 2_399))[0]).toMatchObject({ value: numbered(2_399) });
    },
    20_000,
  );

  test.each(present)('merged into $name twice changes nothing', async ({ open }) => {
    const source = await opened(async () => createMemoryStore({ now }));
    await fillVaried(source);
    const items = await read(await fileOf(source));
    const target = await opened(open);
    // As if it had been cut off.
    const half = (async function* () {
      yield* items.slice(0, items.length - 700);
    })();
    await fillStore(target, half);
    const merged = await fillStore(target, itemsOf(source), { isMerge: true });
    expect(merged).toEqual({ added: 700, kept: items.length - 700 });
    expect(Buffer.compare(await fileOf(target), await fileOf(source))).toBe(0);
  });

  test.each<[string, (store: Store) => Promise<unknown>]>([
    ['value', (store) => store.put('s', 'k', bytes(9), { index: { f: '1' } })],
    ['index', (store) => store.put('s', 'k', bytes(1), { index: { f: '2' } })],
    ['expiry', (store) => store.put('s', 'k', bytes(1), { index: { f: '1' }, expiresAt: NOW + 9 })],
    ['rank', (store) => store.put('s', 'k', bytes(1), { index: { f: '1' }, rank: 1 })],
    ['record', (store) => store.append('l', [bytes(9)])],
  ])('another %s in the same place ends a merge and stays', async (_, write) => {
    const [source, target] = [createMemoryStore({ now }), createMemoryStore({ now })];
    await source.put('s', 'k', bytes(1), { index: { f: '1' } });
    await source.append('l', [bytes(1), bytes(2)]);
    await write(target);
    const before = await fileOf(target);
    await expect(fillStore(target, itemsOf(source), { isMerge: true })).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    });
    expect(await fileOf(target)).toEqual(before);
  });

  const tally = (count: number): Operation => ({ type: 'tally', name: 't', count, sum: 1 });

  test('a tally is added to that of a store that held nothing else of the file', async () => {
    const [source, target] = [createMemoryStore({ now }), createMemoryStore({ now })];
    await source.transact([{ type: 'add', space: 's', key: 'k', value: bytes(1) }, tally(1)]);
    await target.transact([{ type: 'add', space: 's', key: 'k2', value: bytes(1) }, tally(4)]);
    await fillStore(target, itemsOf(source), { isMerge: true });
    expect(await target.tally('t')).toEqual({ count: 5, sum: 2 });
    // Now that the entry is there, nobody can tell what the tally counts.
    await expect(fillStore(target, itemsOf(source), { isMerge: true })).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    });
    expect(await target.tally('t')).toEqual({ count: 5, sum: 2 });
  });

  test('without merging, what is in the way ends it', async () => {
    const source = createMemoryStore({ now });
    await source.put('s', 'k', bytes(1));
    await expect(fillStore(source, itemsOf(source))).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    });
  });
});

describe('the file', () => {
  async function smallFile(): Promise<Uint8Array> {
    const store = createMemoryStore({ now });
    await store.put('s', 'k', bytes(0x0a, 0x0a), { index: { f: '1' }, expiresAt: NOW + 1 });
    await store.append('l', [numbered(1), bytes(), numbered(3)]);
    await store.transact([{ type: 'tally', name: 't', count: 2, sum: 3 }]);
    await store.put('s', 'ranked', bytes(), { rank: 5 });
    return fileOf(store);
  }

  test('is read the same however it comes in pieces', async () => {
    const file = await smallFile();
    const whole = await read(file);
    expect(whole).toHaveLength(6);
    for (const size of range(70)) expect(await read(file, size + 1)).toEqual(whole);
  });

  test('that is cut off anywhere is refused', async () => {
    const file = await smallFile();
    for (const length of range(file.length)) {
      await expect(read(file.subarray(0, length))).rejects.toThrow(/damaged|no file of/);
    }
  });

  test('of which any byte is another is refused', async () => {
    const file = await smallFile();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(file.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, flip) => {
          const changed = new Uint8Array(file);
          changed[at]! ^= flip;
          await expect(read(changed)).rejects.toThrow(/damaged|no file of|later version/);
        },
      ),
      { numRuns: 400 },
    );
  });

  test('of the first version, without ranks and tallies, is read', async () => {
    const head = [
      '{"format":"a2a-sdl-store","version":1,"made":"2026-01-01T00:00:00Z"}',
      '{"space":"s","key":"k","expires_at":5,"index":{"f":"1"},"bytes":2}',
      'ab',
      '{"log":"l","position":0,"bytes":0}',
      '',
      '',
    ].join('\n');
    const sha256 = createHash('sha256').update(head).digest('hex');
    const end = `{"end":{"entries":1,"logs":1,"records":1},"sha256":"${sha256}"}\n`;
    const value = new TextEncoder().encode('ab');
    expect(await read(new TextEncoder().encode(head + end))).toEqual([
      { space: 's', key: 'k', value, expiresAt: 5, index: { f: '1' }, rank: undefined },
      { log: 'l', position: 0, value: bytes() },
    ]);
    const later = head.replace('"version":1', '"version":3') + end;
    await expect(read(new TextEncoder().encode(later))).rejects.toMatchObject({
      code: 'NOT_A_STORE_FILE',
      message: expect.stringContaining('later version'),
    });
  });

  test('with something behind its end is refused', async () => {
    const file = await smallFile();
    const longer = new Uint8Array([...file, 0x0a]);
    await expect(read(longer)).rejects.toThrow('behind its end');
  });
});
