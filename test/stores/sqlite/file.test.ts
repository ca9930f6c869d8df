// The database file: who may read it, what is refused and left untouched, and what is said when it cannot be used.

import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { StoreError } from '../../../src/stores/store.ts';
import { pragma, prepareColumn } from '../../../stores/sqlite/connection.ts';
import type { Statement } from '../../../stores/sqlite/driver.ts';
import { assertReadable, migrate } from '../../../stores/sqlite/migrations.ts';
import { openDatabase } from '../../../stores/sqlite/open.ts';
import { openSqliteSnapshot, openSqliteStore } from '../../../stores/sqlite/index.ts';
import { bytes, range } from '../../compliance/store/setup.ts';
import { driver, temporaryFolder } from '../../support/stores/sqlite.ts';

describe.skipIf(driver === undefined)('the SQLite file', () => {
  const folder = temporaryFolder();
  let files = 0;
  const newPath = (): string => join(folder, `file-${(files += 1)}`);
  const faultOf = async (path: string): Promise<string> => {
    const error: unknown = await openSqliteStore({ path }).then(
      (store) => store.close(),
      (thrown: unknown) => thrown,
    );
    return error instanceof StoreError ? `${error.fault}: ${error.message}` : String(error);
  };
  const made = async (): Promise<string> => {
    const path = newPath();
    const store = await openSqliteStore({ path });
    await Promise.all(range(300).map((at) => store.put('s', `k${at}`, new Uint8Array(200))));
    await store.close();
    return path;
  };

  test('is created for its owner alone, with everything beside it', async () => {
    const path = newPath();
    const store = await openSqliteStore({ path });
    await store.put('s', 'k', bytes(1));
    for (const each of [path, `${path}-wal`, `${path}-shm`]) {
      expect((statSync(each).mode & 0o777).toString(8)).toBe('600');
    }
    await store.close();
  });

  test('keeps what it was given when it is opened again', async () => {
    const path = await made();
    const store = await openSqliteStore({ path });
    expect(await store.count('s')).toBe(300);
    const { version } = await store.put('new', 'k', bytes());
    expect(version).toBeGreaterThan(300);
    await store.close();
  });

  test('is whole without the files beside it when it is closed', async () => {
    const path = await made();
    const copy = newPath();
    writeFileSync(copy, readFileSync(path), { mode: 0o600 });
    const store = await openSqliteStore({ path: copy });
    expect(await store.count('s')).toBe(300);
    await store.close();
  });

  test('is not held by a snapshot that is closed', async () => {
    const path = await made();
    const store = await openSqliteStore({ path, busyTimeoutMs: 0 });
    const snapshot = await openSqliteSnapshot({ path });
    await store.put('s', 'k0', bytes(1));
    await snapshot.close();
    await store.put('s', 'k0', bytes(2));
    const db = new driver!.DatabaseSync(path);
    expect(pragma(db, 'wal_checkpoint(TRUNCATE)')).toBe(0);
    db.close();
    await store.close();
  });

  test('is flushed at every commit', async () => {
    const db = await openDatabase(newPath(), { attempts: 1, checkOnOpen: true, now: 1 });
    expect(pragma(db, 'journal_mode')).toBe('wal');
    expect(pragma(db, 'synchronous')).toBe(2);
    db.close();
  });

  test('is not reached through a symbolic link, dangling or not', async () => {
    const target = await made();
    const link = newPath();
    symlinkSync(target, link);
    expect(await faultOf(link)).toMatch(/^unsafe: .* symbolic link/);
    const dangling = newPath();
    symlinkSync(newPath(), dangling);
    expect(await faultOf(dangling)).toMatch(/^unsafe: /);
    expect(existsSync(dangling)).toBe(false);
    expect(lstatSync(dangling).isSymbolicLink()).toBe(true);
  });

  test.each(['-wal', '-shm', '-journal'])('is refused when its %s is a link', async (suffix) => {
    const path = await made();
    rmSync(path + suffix, { force: true });
    symlinkSync(newPath(), path + suffix);
    expect(await faultOf(path)).toMatch(/^unsafe: /);
  });

  test.each([0o640, 0o604, 0o620, 0o666])('is refused with mode %o', async (mode) => {
    const path = await made();
    chmodSync(path, mode);
    expect(await faultOf(path)).toMatch(/^unsafe: .*chmod 600/);
  });

  test('is refused when it is a directory, or in a directory that is not there', async () => {
    const path = newPath();
    mkdirSync(path);
    expect(await faultOf(path)).toMatch(/^unsafe: .* not a regular file/);
    expect(await faultOf(join(newPath(), 'file'))).toMatch(/^failed: .* create its directory/);
  });

  test('is refused when it is not a database, and left as it is', async () => {
    const path = newPath();
    writeFileSync(path, 'this is not a database, '.repeat(200), { mode: 0o600 });
    const before = readFileSync(path);
    expect(await faultOf(path)).toMatch(/^corrupt: .* not a SQLite database/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('is refused when pages of it are damaged, unless the check is turned off', async () => {
    const path = await made();
    const content = readFileSync(path);
    for (let at = 4_096; at < content.length; at += 8_192) content.fill(0xa5, at, at + 2_048);
    writeFileSync(path, content);
    expect(await faultOf(path)).toMatch(/^corrupt: .*(damaged|malformed)/);
    expect(readFileSync(path).equals(content)).toBe(true);
    const unchecked = await openSqliteStore({ path, checkOnOpen: false });
    await expect(unchecked.list('s')).rejects.toMatchObject({ fault: 'corrupt' });
    await unchecked.close();
  });

  test('is refused when a later version wrote it, and left as it is', async () => {
    const path = await made();
    const db = new driver!.DatabaseSync(path);
    db.exec('PRAGMA user_version = 1000; PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    const before = readFileSync(path);
    expect(await faultOf(path)).toMatch(/^newer: .*schema 1000.*upgrade/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('is refused when another program wrote it, and left as it is', async () => {
    const path = newPath();
    writeFileSync(path, '', { mode: 0o600 });
    const db = new driver!.DatabaseSync(path);
    db.exec('CREATE TABLE theirs (x)');
    db.close();
    const before = readFileSync(path);
    expect(await faultOf(path)).toMatch(/^foreign: .*another program/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('may be empty, and may have a second name', async () => {
    const path = newPath();
    writeFileSync(path, '', { mode: 0o600 });
    linkSync(path, newPath());
    expect(await faultOf(path)).toBe('undefined');
  });

  test('opened by many at once is set up once', async () => {
    const path = newPath();
    const stores = await Promise.all(range(8).map(() => openSqliteStore({ path })));
    const added = await Promise.all(stores.map((store) => store.add('s', 'k', { value: bytes() })));
    expect(added.filter(Boolean)).toHaveLength(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('set up by another process while it is looked at is not taken for that of another program', () => {
    const path = newPath();
    const [other, looking] = [new driver!.DatabaseSync(path), new driver!.DatabaseSync(path)];
    other.exec('PRAGMA journal_mode = WAL');
    const prepare = looking.prepare.bind(looking);
    const whileLooking = (sql: string): Statement => {
      // The last question about the file, and not the first.
      if (sql.includes('sqlite_schema')) migrate(other, path, 1);
      return prepare(sql);
    };
    Object.defineProperty(looking, 'prepare', { value: whileLooking });
    expect(() => assertReadable(looking, path)).not.toThrow();
    for (const connection of [other, looking]) connection.close();
  });

  test('locked by another process is waited for when it is opened, but not for ever', async () => {
    const path = newPath();
    writeFileSync(path, '', { mode: 0o600 });
    const other = new driver!.DatabaseSync(path);
    other.exec('BEGIN EXCLUSIVE');
    await expect(openSqliteStore({ path, busyTimeoutMs: 0 })).rejects.toMatchObject({
      fault: 'busy',
    });
    const opening = openSqliteStore({ path });
    const release = setInterval(() => other.close(), 60);
    const store = await opening;
    clearInterval(release);
    expect(await store.add('s', 'k', { value: bytes() })).toBe(true);
    await store.close();
  });

  test('held by another writer for too long makes writes fail as busy, and later ones work', async () => {
    const path = await made();
    const store = await openSqliteStore({ path, busyTimeoutMs: 0 });
    const other = new driver!.DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    await expect(store.put('s', 'k0', bytes(1))).rejects.toMatchObject({ fault: 'busy' });
    expect((await store.get('s', 'k0'))?.value).toHaveLength(200);
    other.exec('ROLLBACK');
    other.close();
    expect((await store.put('s', 'k0', bytes(1))).ok).toBe(true);
    await store.close();
  });

  test('held by another writer for a while only makes writes wait', async () => {
    const path = await made();
    const store = await openSqliteStore({ path });
    const other = new driver!.DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const writing = store.put('s', 'k0', bytes(1));
    // Two turns of the event loop: by then the store has tried at least once.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    other.exec('COMMIT');
    expect((await writing).ok).toBe(true);
    other.close();
    await store.close();
  });

  test('what was dropped leaves the file when it is purged', async () => {
    const path = await made();
    const store = await openSqliteStore({ path });
    for (const log of ['a', 'b'])
      await store.append(
        log,
        range(700).map(() => bytes(1)),
      );
    await store.transact([
      { type: 'drop', log: 'a' },
      { type: 'drop', log: 'b' },
    ]);
    await store.append('a', [bytes(2)]);
    await store.purge();
    await store.close();
    const db = new driver!.DatabaseSync(path);
    const count = (table: string): unknown =>
      prepareColumn(db, `SELECT count(*) FROM ${table}`).first();
    expect([count('records'), count('logs'), count('dropped_logs')]).toEqual([1, 1, 0]);
    db.close();
  });

  test.each([
    ['path', { path: '' }],
    ['pollIntervalMs', { path: ':memory:', pollIntervalMs: 0 }],
    ['busyTimeoutMs', { path: ':memory:', busyTimeoutMs: -1 }],
  ])('a wrong %s is refused by name', async (name, options) => {
    await expect(openSqliteStore(options)).rejects.toThrow(`"${name}"`);
  });
});
