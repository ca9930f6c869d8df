// A SQLite store that an earlier version of this program made: it is upgraded where it stands and loses nothing, and a
// process of that version that still has it open can do nothing more to it.

import { chmodSync, cpSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { checkSqliteFile } from '../../../stores/sqlite/health.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { versionOf } from '../../../stores/sqlite/migrations.ts';
import { bytes, range } from '../../compliance/store/setup.ts';
import { driver, temporaryFolder } from '../../support/stores/sqlite.ts';

const LANDED = join(import.meta.dirname, '../../fixtures/landed/home/data/store.db');

describe.skipIf(driver === undefined)('a SQLite store of the first version', () => {
  const folder = temporaryFolder();
  let files = 0;

  function landedFile(): string {
    const path = join(folder, `landed-${(files += 1)}`);
    cpSync(LANDED, path);
    chmodSync(path, 0o600);
    return path;
  }

  test('keeps what it holds, and goes on with it', async () => {
    const path = landedFile();
    const store = await openSqliteStore({ path });
    const [task] = (await store.list('task')).entries;
    const { key, value, version, index } = task!;
    const owner = { owner: index['owner']! };
    const done = await store.put('task', key, value, { ifVersion: version, index, rank: 5 });
    expect(done).toMatchObject({ ok: true });
    const ranked = await store.list('task', { order: 'highest', index: owner });
    expect(ranked.entries.at(-1)).toMatchObject({ key, value, rank: 5 });
    expect(await store.count('task', { index: owner })).toBe(5);
    await store.close();
    expect(await checkSqliteFile(path)).toEqual([]);
  });

  test('refuses everything that a process of that version asks, on the connection that it has', async () => {
    const path = landedFile();
    const old = new driver!.DatabaseSync(path);
    onTestFinished(() => old.close());
    const statements = [
      "SELECT value FROM entry WHERE space = x'00'",
      "UPDATE entry SET value = x'00'",
      "DELETE FROM entry WHERE space = x'00'",
      "INSERT INTO entry_field VALUES (x'00', 'f', x'00', 1, NULL)",
      "INSERT INTO log (id, name, length) VALUES (1, x'00', 1)",
      "INSERT INTO record (log, position, value) VALUES (1, 0, x'00')",
      'INSERT INTO dropped_log (id) VALUES (1)',
    ].map((sql) => old.prepare(sql));
    expect(statements[0]!.get()).toBeUndefined();
    const store = await openSqliteStore({ path });
    for (const statement of statements) expect(() => statement.run()).toThrow('no such table');
    await store.close();
  });

  test('with many entries is upgraded without writing them again', async () => {
    const path = landedFile();
    const old = new driver!.DatabaseSync(path);
    old.exec('BEGIN');
    const entry = old.prepare('INSERT INTO entry VALUES (?, ?, ?, ?, NULL, ?, ?)');
    const field = old.prepare('INSERT INTO entry_field VALUES (?, ?, ?, ?, NULL)');
    const [space, value] = [Buffer.from('many'), bytes(...range(200))];
    for (const at of range(20_000)) {
      const owner = `o${at % 10}`;
      const number = 1_000_000 + at;
      entry.run(number, space, Buffer.from(`k${at}`), number, JSON.stringify({ owner }), value);
      field.run(space, 'owner', Buffer.from(owner), number);
    }
    old.exec('UPDATE counter SET sequence = 2000000; COMMIT');
    const pagesOf = (): number =>
      (old.prepare('PRAGMA page_count').get() as { page_count: number }).page_count;
    const before = pagesOf();
    const store = await openSqliteStore({ path });
    expect(versionOf(old)).toBe(2);
    // The new indexes are empty.
    expect(pagesOf() - before).toBeLessThan(20);
    old.close();
    expect(await store.count('many', { index: { owner: 'o7' } })).toBe(2_000);
    expect(await store.count('many', { since: 0 })).toBe(0);
    expect((await store.get('many', 'k3'))?.value).toEqual(value);
    await store.close();
    expect(await checkSqliteFile(path)).toEqual([]);
  });
});
