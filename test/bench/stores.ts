// Cost of the stores: as a ratio to the bare driver doing the same writes, and as the store grows.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { transaction } from '../../stores/sqlite/connection.ts';
import type { Driver } from '../../stores/sqlite/driver.ts';
import { loadDriver } from '../../stores/sqlite/driver.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { printTable } from './table.ts';

const GROUP = 64;
const ROUNDS = 31;
const WARM_UP = 10;

interface Subject {
  readonly name: string;
  /** Does the work `GROUP` times. */
  readonly run: () => unknown;
}

export async function benchStores(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-sdl-bench-'));
  try {
    await benchNonceMemory();
    await benchWrites(folder, await loadDriver());
    await benchGrowth(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchWrites(folder: string, driver: Driver): Promise<void> {
  const memory = createMemoryStore();
  const sqlite = await openSqliteStore({ path: join(folder, 'ours') });
  const expiresAt = Date.now() + 3_600_000;
  const event = new Uint8Array(1_024).fill(7);
  const nothing = new Uint8Array();
  const add = (store: Store, index?: { sender: string }) => (): Promise<boolean> =>
    store.add('nonce', nextKey(), { value: nothing, expiresAt, index });
  const task = (store: Store) => (): Promise<unknown> =>
    store.transact([
      { type: 'put', space: 'task', key: nextKey(), value: event, index: { owner: 'o' } },
      { type: 'append', log: nextKey(), values: [event] },
    ]);

  const nonces = bareNonces(driver, join(folder, 'nonces'));
  await report('nonce, 64 at once', [
    { name: 'bare driver, one transaction', run: nonces.grouped },
    { name: 'bare driver, each its own', run: nonces.single },
    { name: 'SQLite add', run: atOnce(add(sqlite)) },
    { name: 'SQLite add, one index field', run: atOnce(add(sqlite, { sender: 'a' })) },
    { name: 'SQLite add, one after the other', run: inTurn(add(sqlite)) },
    { name: 'memory add', run: atOnce(add(memory)) },
    { name: 'memory add, one index field', run: atOnce(add(memory, { sender: 'a' })) },
  ]);
  const tasks = bareTasks(driver, join(folder, 'tasks'), event);
  await report('task row and first event of 1 KB each, 64 at once', [
    { name: 'bare driver, one transaction', run: tasks.run },
    { name: 'SQLite transact', run: atOnce(task(sqlite)) },
    { name: 'memory transact', run: atOnce(task(memory)) },
  ]);
  for (const each of [nonces, tasks]) each.close();
  await Promise.all([memory.close(), sqlite.close()]);
}

/** The same nonces without a store: one table, one index on the key and one on the expiry. */
function bareNonces(
  driver: Driver,
  path: string,
): Record<'grouped' | 'single' | 'close', () => void> {
  const db = new driver.DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE nonce (key BLOB UNIQUE, expires_at INTEGER)');
  db.exec('CREATE INDEX nonce_by_expiry ON nonce (expires_at)');
  const insert = db.prepare('INSERT INTO nonce VALUES (?, ?) ON CONFLICT DO NOTHING');
  const single = (): void => {
    for (let at = 0; at < GROUP; at += 1) insert.run(Buffer.from(nextKey()), Date.now());
  };
  return { single, grouped: () => transaction(db, 'DEFERRED', single), close: () => db.close() };
}

/** Row, owner index, log head and event, as anybody would write them. */
function bareTasks(
  driver: Driver,
  path: string,
  event: Uint8Array,
): Record<'run' | 'close', () => void> {
  const db = new driver.DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec(`CREATE TABLE task (id INTEGER PRIMARY KEY, key BLOB UNIQUE, owner TEXT, length INTEGER, value BLOB);
    CREATE INDEX task_by_owner ON task (owner);
    CREATE TABLE event (task INTEGER, position INTEGER, value BLOB);
    CREATE UNIQUE INDEX event_by_position ON event (task, position)`);
  const insertTask = db.prepare(`INSERT INTO task VALUES (?, ?, 'o', 1, ?)`);
  const insertEvent = db.prepare('INSERT INTO event VALUES (?, 0, ?)');
  let last = 0;
  const writeAll = (): void => {
    for (let at = 0; at < GROUP; at += 1) {
      last += 1;
      insertTask.run(last, Buffer.from(nextKey()), event);
      insertEvent.run(last, event);
    }
  };
  return { run: () => transaction(db, 'DEFERRED', writeAll), close: () => db.close() };
}

async function benchGrowth(folder: string): Promise<void> {
  const sizes = [1_000, 100_000];
  for (const name of ['SQLite', 'memory']) {
    const columns: string[][] = [];
    for (const size of sizes) {
      const clock = { now: 1_000_000 };
      const now = (): number => clock.now;
      const store =
        name === 'memory'
          ? createMemoryStore({ now })
          : await openSqliteStore({ path: join(folder, `size-${size}`), now });
      columns.push(await growthColumn(store, size, clock));
      await store.close();
    }
    const work = [
      'get',
      'list 20 of one owner',
      'count to 20',
      'append',
      'purge of 1, of 64 expired',
    ];
    printTable(
      `${name}: µs of one call as the store grows (tasks of 1 KB, 10 of each owner)`,
      ['', ...sizes.map((size) => `${size} stored`)],
      work.map((each, at) => [each].concat(columns.map((column) => column[at]!))),
    );
  }
}

async function growthColumn(store: Store, size: number, clock: { now: number }): Promise<string[]> {
  const value = new Uint8Array(1_024);
  for (let from = 0; from < size; from += 500) {
    await Promise.all(
      Array.from({ length: Math.min(500, size - from) }, (_, at) =>
        store.put('task', `t${from + at}`, value, {
          index: { owner: `o${(from + at) % (size / 10)}`, tenant: 't' },
        }),
      ),
    );
  }
  let turn = 0;
  const some = (): number => (turn = (turn + 7_919) % size);
  const results = await measureAll([
    { name: 'get', run: inTurn(() => store.get('task', `t${some()}`)) },
    {
      name: 'list',
      run: inTurn(() =>
        store.list('task', {
          index: { owner: `o${some() % (size / 10)}`, tenant: 't' },
          limit: 20,
          order: 'newest',
        }),
      ),
    },
    {
      name: 'count',
      run: inTurn(() => store.count('task', { index: { tenant: 't' }, atMost: 20 })),
    },
    { name: 'append', run: atOnce(() => store.append(`l${some()}`, [value])) },
    {
      name: 'purge',
      run: async () => {
        await atOnce(() => store.add('nonce', nextKey(), { value, expiresAt: clock.now + 1 }))();
        clock.now += 1;
        await store.purge();
      },
    },
  ]);
  return results.map((micros) => micros.toFixed(1));
}

/** What a million live nonces would take: measured on a tenth of it. */
async function benchNonceMemory(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const store = createMemoryStore();
  const count = 100_000;
  const expiresAt = Date.now() + 3_600_000;
  collect();
  const before = process.memoryUsage();
  for (let at = 0; at < count; at += 1) {
    await store.add('nonce', nextKey(), { value: new Uint8Array(), expiresAt });
  }
  collect();
  const after = process.memoryUsage();
  const used = after.heapUsed + after.external - before.heapUsed - before.external;
  printTable('memory store', ['', 'bytes'], [['one nonce', (used / count).toFixed(0)]]);
  await store.close();
}

let keys = 0;
/** As long as a key and a nonce. */
function nextKey(): string {
  keys += 1;
  return `kid-0123456789abcdef:${keys.toString(36).padStart(22, '0')}`;
}

function atOnce(work: () => Promise<unknown>): () => Promise<unknown> {
  return () => Promise.all(Array.from({ length: GROUP }, work));
}

function inTurn(work: () => Promise<unknown>): () => Promise<unknown> {
  return async () => {
    for (let at = 0; at < GROUP; at += 1) await work();
  };
}

async function report(title: string, subjects: readonly Subject[]): Promise<void> {
  const micros = await measureAll(subjects);
  printTable(
    title,
    ['', `ratio to ${subjects[0]!.name}`, 'µs'],
    subjects.map(({ name }, at) => [
      name,
      (micros[at]! / micros[0]!).toFixed(2),
      micros[at]!.toFixed(1),
    ]),
  );
}

/** Median microseconds of one of the `GROUP` calls, rounds interleaved. */
async function measureAll(subjects: readonly Subject[]): Promise<number[]> {
  const samples = subjects.map(() => [] as number[]);
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const [at, { run }] of subjects.entries()) {
      const start = process.hrtime.bigint();
      await run();
      const micros = Number(process.hrtime.bigint() - start) / 1_000 / GROUP;
      if (round >= 0) samples[at]!.push(micros);
    }
  }
  return samples.map((each) => each.toSorted((a, b) => a - b)[ROUNDS >> 1]!);
}
