// A snapshot of a store: all of it at one moment, whoever writes meanwhile.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { itemsOf } from '../../cli/store/copy.ts';
import { isRecord } from '../../cli/store/file.ts';
import type { StoreSnapshot } from '../../src/stores/snapshot.ts';
import type { Store } from '../../src/stores/store.ts';
import { openPostgresSnapshot } from '../../stores/postgres/index.ts';
import { openSqliteSnapshot, openSqliteStore } from '../../stores/sqlite/index.ts';
import { bytes, numbered, range } from '../compliance/store/setup.ts';
import { textOf } from '../support/wire/bytes.ts';
import { killBackends, openNode, schemaAt, server, urlAt } from '../support/stores/postgres.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

const NOW = Date.UTC(2026, 0, 1);
const ROUNDS = 10;

interface Place {
  readonly store: Store;
  readonly snapshot: () => Promise<StoreSnapshot>;
}

/** The keys of the space `task` and the records of the log `events`, of which each transaction makes one. */
async function pairs(snapshot: StoreSnapshot): Promise<{ keys: string[]; records: string[] }> {
  const found = { keys: [] as string[], records: [] as string[] };
  for await (const item of itemsOf(snapshot)) {
    if (isRecord(item)) found.records.push(textOf(item.value));
    else if ('space' in item && item.space === 'task') found.keys.push(item.key);
  }
  await snapshot.close();
  return found;
}

function snapshotRules(open: (now: () => number) => Promise<Place>): void {
  test('sees nothing of what is written later, in whatever way', async () => {
    const clock = { now: NOW };
    const { store, snapshot } = await open(() => clock.now);
    await store.put('s', 'stays', bytes(1), { index: { of: 'a' } });
    await store.put('s', 'deleted', bytes(1), { index: { of: 'a' } });
    await store.put('s', 'expires', bytes(1), { expiresAt: NOW + 1 });
    await store.append('grows', [bytes(1)]);
    await store.transact([{ type: 'tally', name: 't', count: 1, sum: 1 }]);
    await store.append('dropped', range(300).map(numbered));
    const seen = await snapshot();
    clock.now += 1;
    await store.transact([
      { type: 'put', space: 's', key: 'stays', value: bytes(2), index: { of: 'b' } },
      { type: 'delete', space: 's', key: 'deleted' },
      { type: 'add', space: 'new', key: 'k', value: bytes(2) },
      { type: 'append', log: 'grows', values: [bytes(2)] },
      { type: 'drop', log: 'dropped' },
      { type: 'append', log: 'new', values: [bytes(2)] },
      { type: 'tally', name: 't', count: 1, sum: 1 },
      { type: 'tally', name: 'new', count: 1, sum: 1 },
    ]);
    await store.purge();
    const { entries } = await seen.list('s', { limit: 2 });
    expect(entries).toMatchObject([
      { key: 'stays', value: bytes(1) },
      { key: 'deleted', value: bytes(1) },
    ]);
    expect(await seen.count('s')).toBe(3);
    expect(await seen.count('s', { index: { of: 'a' } })).toBe(2);
    expect((await seen.get('s', 'stays'))?.value).toEqual(bytes(1));
    expect(await seen.inventory('spaces')).toEqual(['s']);
    expect(await seen.inventory('logs')).toEqual(['dropped', 'grows']);
    expect(await seen.inventory('tallies')).toEqual(['t']);
    expect(await seen.tally('t')).toEqual({ count: 1, sum: 1 });
    expect(await seen.length('grows')).toBe(1);
    expect(await seen.read('dropped', 250, 1_000)).toHaveLength(50);
    await seen.close();
    const later = await snapshot();
    expect(await later.inventory('logs')).toEqual(['grows', 'new']);
    await later.close();
  });

  test('holds every transaction of a writer at work, or nothing of it', async () => {
    const { store, snapshot } = await open(() => NOW);
    const over = new AbortController();
    const writing = Promise.all(
      range(4).map(async (lane) => {
        for (let at = 0; !over.signal.aborted; at += 1) {
          const name = `${lane}-${at}`;
          const done = await store.transact([
            { type: 'add', space: 'task', key: name, value: bytes(1) },
            { type: 'append', log: 'events', values: [new TextEncoder().encode(name)] },
          ]);
          expect(done.ok).toBe(true);
        }
      }),
    );
    let last = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { keys, records } = await pairs(await snapshot());
      expect(keys).toEqual(records);
      expect(keys.length).toBeGreaterThan(last);
      last = keys.length;
      while ((await store.length('events')) === last) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    over.abort();
    await writing;
  });
}

describe.skipIf(driver === undefined)('a snapshot of a SQLite file', () => {
  const folder = temporaryFolder();
  let places = 0;

  snapshotRules(async (now) => {
    const path = join(folder, `snapshot-${(places += 1)}`);
    const store = await openSqliteStore({ path, now });
    onTestFinished(() => store.close());
    return { store, snapshot: () => openSqliteSnapshot({ path, now }) };
  });

  test('that another process writes to holds all of each transaction', async () => {
    const path = join(folder, 'processes');
    const program = fileURLToPath(new URL('../support/stores/writer.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', program, path, 'w'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (let round = 0; round < ROUNDS; round += 1) {
      // So much more is there than the last time.
      for (let line = 0; line < 50; line += 1) await lines.next();
      const { keys, records } = await pairs(await openSqliteSnapshot({ path }));
      expect(keys.length).toBeGreaterThan(round);
      expect(keys).toEqual(records);
    }
    child.kill('SIGKILL');
    await exit;
  });
});

describe.skipIf(server === undefined)('a snapshot of a PostgreSQL database', () => {
  let places = 0;

  snapshotRules(async (now) => {
    const place = `snapshot-${(places += 1)}`;
    const store = await openNode(place, { now });
    const options = { connection: urlAt(place), schema: schemaAt(place), now };
    return { store, snapshot: () => openPostgresSnapshot(options) };
  });

  test('whose connection is lost fails, and does not go on with another moment', async () => {
    const place = `snapshot-${(places += 1)}`;
    const store = await openNode(place);
    await store.put('s', 'k', bytes(1));
    const seen = await openPostgresSnapshot({ connection: urlAt(place), schema: schemaAt(place) });
    expect(await seen.count('s')).toBe(1);
    await killBackends(place, `state = 'idle in transaction'`);
    await expect(seen.count('s')).rejects.toMatchObject({ fault: 'failed' });
    await seen.close();
  });
});
