// The tasks of an earlier version after an upgrade: ranked, counted, with their holders, and written under new versions.

import { chmodSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { fillStore } from '../../cli/store/copy.ts';
import type { StoredItem } from '../../cli/store/file.ts';
import { TaskCarrier } from '../../cli/store/carry-tasks.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { checkPostgresStore } from '../../stores/postgres/health.ts';
import { openPostgresStore } from '../../stores/postgres/index.ts';
import { checkSqliteFile } from '../../stores/sqlite/health.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { schemaAt, server } from '../support/stores/postgres.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';
import { textOf } from '../support/wire/bytes.ts';

const LANDED = join(import.meta.dirname, '../fixtures/landed');
const NOW = Date.UTC(2026, 10, 18, 2);
const OWNER = '9d02a1c5d24c1b1cfcffe7a6c210a80c5f693712';
const COMPLETED = 'a1fc516ab5e5ad959471d7c9c9b6d6c57e327d5a';
const WAITING = '8907f67cde5d2c56dabd648d097be83aca61f5e7';
const WORKING = '7f670bbb07b714f08c00cb5794021412b44e32fa';
const CANCELED = '44e7a3319ebadb6e9de52e8c2de92d7f413398f8';
const FAILED = 'dfdfb3da8863d5353c1b4e24f6ad797930b51e45';
const BYTES = 333 + 291 + 260 + 219 + 274;
/** A row that holds what the readers of a database do not like, and one that is none. */
const ODD_ROW = `{"goal":"\\u0000\\\\u0000 \\ud800 \u00e9","bytes":7,"updatedAt":5,"tiny":1e-7}`;
const HOLDER = 'node "a"/1';

const rowOf = async (store: Store, key: string): Promise<Record<string, unknown>> =>
  JSON.parse(textOf((await store.get('task', key))!.value)) as Record<string, unknown>;

async function expectRanked(store: Store): Promise<void> {
  const keys = async (order: 'highest' | 'lowest', index = {}): Promise<string[]> =>
    (await store.list('task', { order, index })).entries.map(({ key }) => key);
  const byTime = [CANCELED, WORKING, WAITING, FAILED, COMPLETED];
  expect(await keys('highest', { owner: OWNER })).toEqual(byTime);
  expect(await keys('highest')).toEqual([...byTime, 'odd']);
  expect(await keys('lowest', { ended: OWNER })).toEqual([COMPLETED, FAILED, CANCELED]);
  expect(await keys('lowest', { ended: 'other' })).toEqual(['odd']);
  expect((await store.get('task', CANCELED))?.rank).toBe(1_794_965_299_965);
  expect(await store.tally('tasks')).toEqual({ count: 6, sum: BYTES + 7 });
  expect(await store.tally(`tasks/owner/${OWNER}`)).toEqual({ count: 5, sum: BYTES });
  expect(await store.tally('tasks/owner/other')).toEqual({ count: 1, sum: 7 });
  const spaces = await store.inventory!('spaces');
  expect(spaces).toContain('task');
  expect(spaces.filter((space) => /^task-(end|lease)$/.test(space))).toEqual([]);
  expect(textOf((await store.get('task', 'damaged'))!.value)).toBe('{');
}

/** @param counter the last number that the earlier version gave: every row has a higher one now. */
async function expectHolders(store: Store, counter: number): Promise<void> {
  expect((await rowOf(store, WORKING))['holder']).toEqual({ name: HOLDER, until: NOW + 1 });
  expect(await rowOf(store, WAITING)).not.toHaveProperty('holder');
  expect(textOf((await store.get('task', 'odd'))!.value)).toBe(
    `${ODD_ROW.slice(0, -1)},"holder":{"name":"n","until":${NOW + 9}}}`,
  );
  const { entries } = await store.list('task');
  const carried = entries.filter(({ key }) => key !== 'damaged');
  const versions = carried.map(({ version }) => version);
  expect(new Set(versions).size).toBe(6);
  for (const version of versions) expect(version).toBeGreaterThan(counter);
  const done = await store.put('task', 'odd', new Uint8Array());
  expect(done.version).toBeGreaterThan(Math.max(...versions));
}

describe.skipIf(driver === undefined)('tasks in SQLite', () => {
  test('are carried over in the upgrade', async () => {
    const path = join(temporaryFolder(), 'store');
    cpSync(join(LANDED, 'home/data/store.db'), path);
    chmodSync(path, 0o600);
    const old = new driver!.DatabaseSync(path);
    const add = old.prepare(
      'INSERT INTO entry VALUES (?1, CAST(?2 AS BLOB), CAST(?3 AS BLOB), ?1, ?4, ?5, CAST(?6 AS BLOB))',
    );
    const fields = JSON.stringify({ phase: 'ended', owner: 'other' });
    add.run(100, 'task', 'odd', null, fields, ODD_ROW);
    add.run(101, 'task', 'damaged', null, fields, '{');
    add.run(102, 'task-lease', WORKING, NOW + 1, null, HOLDER);
    add.run(103, 'task-lease', WAITING, NOW, null, HOLDER);
    add.run(104, 'task-lease', 'odd', NOW + 9, null, 'n');
    for (const sequence of [100, 101]) {
      old.exec(`INSERT INTO entry_field VALUES (CAST('task' AS BLOB), 'phase', CAST('ended' AS BLOB), ${sequence}, NULL),
        (CAST('task' AS BLOB), 'owner', CAST('other' AS BLOB), ${sequence}, NULL)`);
    }
    old.exec('UPDATE counter SET sequence = 110');
    old.close();
    const store = await openSqliteStore({ path, now: () => NOW });
    await expectRanked(store);
    await expectHolders(store, 110);
    await store.close();
    expect(await checkSqliteFile(path)).toEqual([]);
  });
});

describe.skipIf(server === undefined)('tasks in PostgreSQL', () => {
  test('are carried over in the upgrade', async () => {
    const schema = schemaAt('carry');
    const dump = readFileSync(join(LANDED, 'postgres.sql'), 'utf8');
    await server!.run(dump.replaceAll(/a2a_sdl\b/g, schema));
    const entry = `INSERT INTO ${schema}.entry (sequence, version, space, key, expires_at, fields, value)
      VALUES ($1, $1, convert_to($2, 'UTF8'), convert_to($3, 'UTF8'), $4, $5, convert_to($6, 'UTF8'))`;
    const fields = '{phase=ended,owner=other}';
    for (const values of [
      [1_000, 'task', 'odd', null, fields, ODD_ROW],
      [1_001, 'task', 'damaged', null, fields, '{'],
      [1_002, 'task-lease', WORKING, NOW + 1, '{}', HOLDER],
      [1_003, 'task-lease', WAITING, NOW, '{}', HOLDER],
      [1_004, 'task-lease', 'odd', NOW + 9, '{}', 'n'],
    ]) {
      await server!.run(entry, values);
    }
    await server!.run(`INSERT INTO ${schema}.entry_field
      SELECT space, unnest(fields), sequence FROM ${schema}.entry WHERE sequence IN (1000, 1001)`);
    await server!.run(`SELECT setval('${schema}.number', 1010)`);
    const store = await openPostgresStore({ connection: server!.url, schema, now: () => NOW });
    await expectRanked(store);
    await expectHolders(store, 1_010);
    await store.close();
    expect(await checkPostgresStore({ connection: server!.url, schema })).toEqual([]);
  });
});

describe.skipIf(driver === undefined)('tasks in a file of the first version', () => {
  test('are carried over when they are imported', async () => {
    const db = new driver!.DatabaseSync(join(LANDED, 'home/data/store.db'), { readOnly: true });
    const rows = db.prepare('SELECT * FROM entry ORDER BY sequence').all() as (Record<
      'space' | 'key' | 'value',
      Uint8Array
    > & { readonly fields: string | null })[];
    db.close();
    const item = (space: string, key: string, value: Uint8Array, index = {}): StoredItem => ({
      space,
      key,
      value,
      index,
      expiresAt: undefined,
      rank: undefined,
    });
    const index = { phase: 'ended', owner: 'other' };
    const items = [
      ...rows.map(({ space, key, value, fields }) =>
        item(textOf(space), textOf(key), value, JSON.parse(fields ?? '{}') as object),
      ),
      item('task', 'odd', new TextEncoder().encode(ODD_ROW), index),
      item('task', 'damaged', new TextEncoder().encode('{'), index),
      item('task-lease', WORKING, new TextEncoder().encode(HOLDER)),
    ];
    const store = createMemoryStore({ now: () => NOW });
    const carrier = new TaskCarrier();
    const carried = (async function* () {
      for (const each of items) {
        const taken = carrier.take(each);
        if (taken !== undefined) yield taken;
      }
      yield* carrier.tallies();
    })();
    await fillStore(store, carried);
    await expectRanked(store);
    expect(await rowOf(store, WORKING)).not.toHaveProperty('holder');
  });
});
