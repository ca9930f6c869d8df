// The commands of `store`: bringing a store up to date, finding what is wrong with it, and carrying it elsewhere.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { homeAt } from '../../cli/home/home.ts';
import { createAuditLog } from '../../src/audit/log.ts';
import type { Store } from '../../src/stores/store.ts';
import { untilRest } from '../../src/door/until-rest.ts';
import { createTaskEngine } from '../../src/tasks/engine/engine.ts';
import { SCHEMA_VERSION } from '../../stores/postgres/migrations.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { openHome } from '../support/agents/daemon-peers.ts';
import { start } from '../support/agents/tasks.ts';
import type { CliRun } from '../support/agents/cli.ts';
import { initHome, newFolder, runCli } from '../support/agents/cli.ts';
import { bytes } from '../compliance/store/setup.ts';
import { crypto } from '../support/agents/agents.ts';
import { requestEntry } from '../support/trust/audit.ts';
import { openNode, schemaAt, server } from '../support/stores/postgres.ts';
import { driver } from '../support/stores/sqlite.ts';

function run(home: string, ...args: string[]): Promise<CliRun> {
  return runCli(['store', ...args, '--home', home, '--json'], { nowMs: Date.now() });
}

async function withStore(path: string, use: (store: Store) => Promise<void>): Promise<void> {
  const store = await openSqliteStore({ path });
  await use(store);
  await store.close();
}

/** A home whose store holds two tasks that have ended, one that is open, and an audit log. */
async function usedHome(): Promise<{ readonly home: string; readonly path: string }> {
  const home = await initHome();
  const path = homeAt(home).store;
  const { identities } = await openHome(home);
  await withStore(path, async (store) => {
    const engine = createTaskEngine({
      store,
      onTask: async (task, ctx) => {
        await ctx.artifact({ name: 'a', text: task.id });
        if (task.id === 'open') await ctx.ask('and?');
      },
    });
    for (const id of ['one', 'two', 'open']) {
      const { task } = await start(engine, { owner: 'o', id });
      await untilRest(engine.follow(task, id, undefined));
    }
    await engine.close();
    const { agentId, keys } = identities.agent;
    const { kid, key } = keys.find(({ use }) => use === 'sig')!;
    const signer = (): { kid: string; secretKey: Uint8Array } => ({ kid, secretKey: key.reveal() });
    const log = await createAuditLog({ store, node: agentId, crypto, signer });
    await log.record(requestEntry('m'));
    await log.close();
  });
  return { home, path };
}

const ROW_AHEAD = `UPDATE entries SET value =
    CAST(replace(CAST(value AS TEXT), '"generation":', '"generation":1') AS BLOB)
  WHERE space = CAST('task' AS BLOB)`;

/** Somebody works in the store; each export of it must make a whole store again. */
async function exportManyTimes(home: string, from: readonly string[]): Promise<void> {
  const folder = newFolder();
  for (let round = 0; round < 5; round += 1) {
    const file = join(folder, `${round}`);
    const copy = ['--store', `sqlite:${file}.db`];
    expect((await run(home, 'export', file, ...from)).code).toBe(0);
    expect((await run(home, 'import', file, ...copy)).code).toBe(0);
    expect((await run(home, 'check', ...copy)).json()).toMatchObject({ tasks: { problems: [] } });
  }
}

function tamper(path: string, sql: string): void {
  const db = new driver!.DatabaseSync(path);
  db.exec(sql);
  db.close();
}

describe.skipIf(driver === undefined)('store', () => {
  test('migrate makes a store, and says so when there is nothing to do', async () => {
    const home = await initHome();
    const store = `sqlite:${homeAt(home).store}`;
    expect((await run(home, 'migrate')).json()).toEqual({ store, from: 0, to: 2 });
    expect((await run(home, 'migrate')).json()).toEqual({ store, from: 2, to: 2 });
    const people = await runCli(['store', 'migrate', '--home', home]);
    expect(people.stdout).toContain('has version 2 already');
  });

  test('migrate leaves a store of a later version as it is', async () => {
    const { home, path } = await usedHome();
    tamper(path, 'PRAGMA user_version = 99');
    const { code, error } = await run(home, 'migrate');
    expect(code).toBe(1);
    expect(error()).toMatchObject({ code: 'STORE_NEWER' });
  });

  test.each(['check', 'export'])('%s makes no store where there is none', async (command) => {
    const home = await initHome();
    const file = join(newFolder(), 'f');
    const { code, error } = await run(home, command, ...(command === 'export' ? [file] : []));
    expect([code, error()['code']]).toEqual([1, 'NO_STORE']);
    expect(existsSync(homeAt(home).store) || existsSync(file)).toBe(false);
  });

  test('a store in memory is nothing to look at', async () => {
    const { code } = await run(await initHome(), 'check', '--store', 'memory:');
    expect(code).toBe(2);
  });

  test('check finds a store whole #task-ids #audit', async () => {
    const { home } = await usedHome();
    const { code, json } = await run(home, 'check');
    expect(json()).toMatchObject({
      ok: true,
      tables: { version: 2, problems: [] },
      tasks: { tasks: 3, open: 1, problems: [] },
      audit: { checked: true, size: 1, problems: [] },
    });
    expect(code).toBe(0);
  });

  test('check says whose audit log it has not looked at #audit', async () => {
    const { home, path } = await usedHome();
    const { agent_id: owner } = (
      await runCli(['keys', 'show', '--home', home, '--json'])
    ).json() as {
      agent_id: string;
    };
    const stranger = await initHome();
    const theirs = await run(stranger, 'check', '--store', `sqlite:${path}`);
    expect(theirs.json()).toMatchObject({
      ok: true,
      audit: { checked: false, reason: expect.stringContaining(`it is that of ${owner}`) },
    });
    await withStore(
      path,
      async (store) => void (await store.append('audit:other', [new Uint8Array(1)])),
    );
    const shared = (await run(home, 'check')).json();
    expect(shared).toMatchObject({ audit: { checked: true, size: 1, not_checked: ['other'] } });
  });

  test.each([
    ['a record is missing', 'DELETE FROM records WHERE position = 1', 'tables', 'the records that'],
    [
      'a record has no log',
      "INSERT INTO records VALUES (99999, 0, x'00')",
      'tables',
      'belong to no log',
    ],
    [
      'an index field is missing',
      "DELETE FROM entry_fields WHERE name = 'phase'",
      'tables',
      'index',
    ],
    [
      'an index field is left over',
      "INSERT INTO entry_fields VALUES (x'00', 'f', x'00', 99999, NULL, NULL)",
      'tables',
      'belong to no entry',
    ],
    ['a field has another rank', 'UPDATE entry_fields SET rank = 5', 'tables', 'are not found by'],
    ['a tally is empty', "INSERT INTO tallies VALUES (x'00', 0, 0)", 'tables', 'tallies'],
    ['the counter went back', 'UPDATE counter SET sequence = 1', 'tables', 'counter'],
    ['a row says more than its log', ROW_AHEAD, 'tasks', 'its row says 1'],
    [
      'a row is gone',
      `UPDATE entries SET space = CAST('x' AS BLOB) WHERE space = CAST('task' AS BLOB)`,
      'tasks',
      'has no task',
    ],
    [
      'an end is gone',
      'UPDATE entries SET rank = NULL; UPDATE entry_fields SET rank = NULL',
      'tasks',
      'never be removed',
    ],
    [
      'an audit entry is another',
      `UPDATE records SET value = CAST(replace(CAST(value AS TEXT), 'did:key:alice', 'did:key:mallo') AS BLOB)`,
      'audit',
      '',
    ],
  ])('check finds that %s #task-ids #audit', async (_, sql, part, words) => {
    const { home, path } = await usedHome();
    tamper(path, sql);
    const { code, json } = await run(home, 'check');
    expect(code).toBe(1);
    expect(json()).toMatchObject({ ok: false });
    const { problems } = (json() as Record<string, { problems: unknown[] }>)[part]!;
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).toContain(words);
    const people = await runCli(['store', 'check', '--home', home], { nowMs: Date.now() });
    expect(people.stdout).toContain('the store is not whole');
    expect(people.stdout).toContain(words);
  });

  test('check finds a damaged file', async () => {
    const { home, path } = await usedHome();
    tamper(path, 'PRAGMA wal_checkpoint(TRUNCATE)');
    truncateSync(path, statSync(path).size - 4_096);
    const { code, error } = await run(home, 'check');
    expect([code, error()['code']]).toEqual([1, 'STORE_CORRUPT']);
  });

  test('export writes a file for its owner alone, and import makes the same store of it', async () => {
    const { home } = await usedHome();
    const [folder, other] = [newFolder(), await initHome()];
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    const { code, json } = await run(home, 'export', first);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ file: first, entries: 3, tallies: 2 });
    expect(statSync(first).mode & 0o777).toBe(0o600);
    const { entries, records, tallies } = json() as Record<string, number>;
    expect((await run(other, 'import', first)).json()).toMatchObject({
      added: entries! + records! + tallies!,
      kept: 0,
    });
    await run(other, 'export', second);
    const body = (path: string): string =>
      readFileSync(path, 'utf8').split('\n').slice(1, -2).join();
    expect(body(second)).toBe(body(first));
    expect((await run(other, 'check')).json()).toMatchObject({ tasks: { tasks: 3, problems: [] } });
  });

  test('export replaces nothing', async () => {
    const { home } = await usedHome();
    const file = join(newFolder(), 'f');
    writeFileSync(file, 'mine');
    expect((await run(home, 'export', file)).error()).toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('import into a store that holds something needs --merge', async () => {
    const { home } = await usedHome();
    const file = join(newFolder(), 'f');
    await run(home, 'export', file);
    expect((await run(home, 'import', file)).error()).toMatchObject({ code: 'STORE_NOT_EMPTY' });
    expect((await run(home, 'import', file, '--merge')).json()).toMatchObject({ added: 0 });
    await withStore(homeAt(home).store, async (store) => {
      const { entries } = await store.list('task');
      await store.put('task', entries[0]!.key, bytes(1));
    });
    expect((await run(home, 'import', file, '--merge')).error()).toMatchObject({
      code: 'STORE_CONFLICT',
    });
  });

  test('import refuses a file whose tasks are not whole, unless it is told to take them #task-ids', async () => {
    const { home, path } = await usedHome();
    const other = await initHome();
    const file = join(newFolder(), 'f');
    tamper(path, ROW_AHEAD);
    expect((await run(home, 'export', file)).code).toBe(0);
    const { code, error } = await run(other, 'import', file);
    expect([code, error()['code']]).toEqual([1, 'STORE_FILE_DAMAGED']);
    expect(error()['message']).toMatch(/its row says 1\d+, and 2 more; nothing was written/);
    expect(existsSync(homeAt(other).store)).toBe(false);
    const taken = await run(other, 'import', file, '--damaged');
    expect(taken.code).toBe(0);
    expect((taken.json() as { damaged: unknown[] }).damaged).toHaveLength(3);
    expect((await run(other, 'check')).json()).toMatchObject({ ok: false, tasks: { tasks: 3 } });
  });

  test('export beside tasks at work is whole each time #task-ids', async () => {
    const { home, path } = await usedHome();
    const program = fileURLToPath(new URL('../support/agents/busy-tasks.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', program, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    await exportManyTimes(home, []);
  });

  test('import of a damaged file makes nothing', async () => {
    const { home } = await usedHome();
    const other = await initHome();
    const file = join(newFolder(), 'f');
    await run(home, 'export', file);
    truncateSync(file, statSync(file).size - 1);
    const { code, error } = await run(other, 'import', file);
    expect([code, error()['code']]).toEqual([1, 'STORE_FILE_DAMAGED']);
    expect(existsSync(homeAt(other).store)).toBe(false);
    writeFileSync(file, 'something else\n');
    chmodSync(file, 0o600);
    expect((await run(other, 'import', file)).error()).toMatchObject({ code: 'NOT_A_STORE_FILE' });
  });
});

describe.skipIf(driver === undefined || server === undefined)('store on PostgreSQL', () => {
  let places = 0;

  function address(place: string): string {
    const url = server!.url;
    return `${url}${url.includes('?') ? '&' : '?'}schema=${schemaAt(place)}`;
  }

  test('a store moves from SQLite to PostgreSQL and back, and is whole #task-ids #audit', async () => {
    const { home } = await usedHome();
    const folder = newFolder();
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    const store = ['--store', address('move')];
    await run(home, 'export', first);
    expect((await run(home, 'migrate', ...store)).json()).toMatchObject({
      from: 0,
      to: SCHEMA_VERSION,
    });
    expect((await run(home, 'import', first, ...store)).code).toBe(0);
    expect((await run(home, 'check', ...store)).json()).toMatchObject({
      ok: true,
      tables: { version: SCHEMA_VERSION, problems: [] },
      tasks: { tasks: 3, open: 1 },
      audit: { size: 1 },
    });
    expect((await run(home, 'export', second, ...store)).code).toBe(0);
    const body = (path: string): string =>
      readFileSync(path, 'utf8').split('\n').slice(1, -2).join();
    expect(body(second)).toBe(body(first));
  });

  test('export beside tasks at work is whole each time #task-ids', async () => {
    const over = new AbortController();
    const engine = createTaskEngine({
      store: await openNode('work'),
      maxEvents: 1_000_000,
      onTask: async (_task, ctx) => {
        for (let at = 0; !over.signal.aborted; at += 1) await ctx.progress(`${at}`);
      },
    });
    for (const id of ['a', 'b', 'c']) await start(engine, { owner: 'o', id });
    await exportManyTimes(await initHome(), ['--store', address('work')]);
    over.abort();
    await engine.close(60_000);
  });

  test.each<[string, (schema: string) => string, string]>([
    [
      'a record is missing',
      (s) => `DELETE FROM ${s}.records WHERE position = 1`,
      'the records that',
    ],
    [
      'a record has no log',
      (s) => `INSERT INTO ${s}.records VALUES (99999, 0, '')`,
      'belong to no log',
    ],
    ['an index field is missing', (s) => `DELETE FROM ${s}.entry_fields`, 'are not found by'],
    [
      'an index field is left over',
      (s) => `INSERT INTO ${s}.entry_fields VALUES ('', 'f=', 99999, NULL)`,
      'belong to no entry',
    ],
    [
      'a field has another rank',
      (s) => `UPDATE ${s}.entry_fields SET rank = 5`,
      'are not found by',
    ],
    ['a tally is empty', (s) => `INSERT INTO ${s}.tallies VALUES ('', 0, 0)`, 'tallies'],
    ['the counter went back', (s) => `SELECT setval('${s}.number', 1)`, 'counter'],
  ])('check finds that %s', async (_, sql, words) => {
    const { home } = await usedHome();
    const file = join(newFolder(), 'f');
    await run(home, 'export', file);
    const place = `check_${(places += 1)}`;
    await run(home, 'import', file, '--store', address(place));
    await server!.run(sql(schemaAt(place)));
    const { code, json } = await run(home, 'check', '--store', address(place));
    expect(code).toBe(1);
    expect(JSON.stringify((json() as { tables: unknown }).tables)).toContain(words);
  });

  test('check of a schema without a store says so and makes none', async () => {
    const store = address('none');
    const { error } = await run(await initHome(), 'check', '--store', store);
    expect(error()).toMatchObject({ code: 'NO_STORE' });
    expect((await run(await initHome(), 'check', '--store', store)).code).toBe(1);
  });
});
