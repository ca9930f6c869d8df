// A home and stores that an earlier version wrote: nothing of them is lost. They are in test/fixtures/landed.

import { cpSync, chmodSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { KeyDirectory } from '../../keys/index.ts';
import { verifyAuditLog } from '../../src/audit/index.ts';
import { chooseProvider } from '../../src/security/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { listTasks } from '../../src/tasks/log/list.ts';
import { TaskTable } from '../../src/tasks/log/table.ts';
import { signingKeysOf } from '../../cli/audit/log.ts';
import { openPostgresStore } from '../../stores/postgres/index.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { newFolder, runCli } from '../support/agents/cli.ts';
import type { CliRun } from '../support/agents/cli.ts';
import { schemaAt, server } from '../support/stores/postgres.ts';
import { driver } from '../support/stores/sqlite.ts';

const LANDED = join(import.meta.dirname, '../fixtures/landed');
/** Soon after it was written: keys are good for a year. */
const NOW = Date.UTC(2026, 10, 18, 2);
const AGENT = 'did:key:z6Mkocp9EQjvKevXdFpNth7HvVhZKNfx7a1oEgEecaR3VeMc';
const OPERATOR = 'did:key:z6MknhkCv6CymwCX8xTUVmJukVYTDN3eYSE1cC9r5eKrJe6x';
const FRIEND = 'did:key:z6Mkp2moDmftaF7CTCDkAtY4zmoMUs1ZXJfpswMWkfv6GcPm';
const TASKS = [
  ['e1759ed3-cac4-48bf-8c08-becb99170d65', 'wait', 'canceled', 4],
  ['690d2ed5-fcae-40e7-a6ce-ff23f1353d7e', 'wait', 'working', 3],
  ['05786f13-b5fa-493a-9de7-9d1f9deb6ec6', 'ask', 'input-required', 3],
  ['560d5ea3-c720-4274-85c3-e30df70ef376', 'fail', 'failed', 3],
  ['8967054c-4b0c-4826-a065-686b5a949dd6', 'one two', 'completed', 4],
];

/** A home of its own for a test, with the modes that a home has. */
function landedHome(): string {
  const home = join(newFolder(), 'home');
  cpSync(join(LANDED, 'home'), home, { recursive: true });
  chmodSync(home, 0o700);
  for (const room of readdirSync(home)) {
    chmodSync(join(home, room), 0o700);
    for (const file of readdirSync(join(home, room))) chmodSync(join(home, room, file), 0o600);
  }
  return home;
}

async function expectNothingLost(store: Store): Promise<void> {
  const table = new TaskTable(store, () => NOW, 86_400_000);
  const { tasks } = await listTasks(table, { owner: OPERATOR }, {});
  expect(
    tasks.map(({ id, text, status, generation }) => [id, text, status.state, generation]),
  ).toEqual(TASKS);
  const identity = await new KeyDirectory(join(landedHome(), 'keys')).load('agent');
  const report = await verifyAuditLog({
    store,
    node: AGENT,
    crypto: chooseProvider(),
    publicKeys: signingKeysOf(identity),
  });
  expect(report).toMatchObject({ problems: [], size: 18, unanswered: 0 });
  await store.close();
}

describe.skipIf(driver === undefined)('a home of an earlier version', () => {
  const run = (home: string, ...args: string[]): Promise<CliRun> =>
    runCli([...args, '--home', home, '--json'], { nowMs: NOW });
  const membersOf = ({ stdout }: CliRun): Record<string, unknown>[] =>
    stdout
      .trim()
      .split('\n')
      .flatMap((line) => JSON.parse(line) as Record<string, unknown>[]);

  test('has its tasks and its audit log', async () => {
    const path = join(landedHome(), 'data/store.db');
    await expectNothingLost(await openSqliteStore({ path, now: () => NOW }));
  });

  test('is whole for those who look after it', async () => {
    const home = landedHome();
    const file = join(newFolder(), 'copy');
    for (const look of [['check'], ['export', file]]) {
      expect((await run(home, 'store', ...look)).error()).toMatchObject({ code: 'STORE_OUTDATED' });
    }
    expect((await run(home, 'store', 'migrate')).json()).toMatchObject({ from: 1, to: 2 });
    expect((await run(home, 'store', 'check')).json()).toMatchObject({
      ok: true,
      tables: { problems: [] },
      tasks: { tasks: 5, open: 2, problems: [] },
      audit: { checked: true, node: AGENT, size: 18, unanswered: 0, problems: [] },
    });
    expect((await run(home, 'audit', 'verify')).json()).toMatchObject({ ok: true, size: 18 });
  });

  test('has its keys, which still sign', async () => {
    const home = landedHome();
    const ids = membersOf(await run(home, 'keys', 'list')).map((line) => line['agent_id']);
    expect(ids).toEqual([AGENT, OPERATOR]);
    expect((await run(home, 'audit', 'head')).json()).toMatchObject({
      head: { node: AGENT, size: 18 },
    });
  });

  test('has its peers and the receipts of what they answered', async () => {
    const home = landedHome();
    const peers = membersOf(await run(home, 'peers', 'list'));
    expect(peers.map((peer) => [peer['name'], peer['agent_id']])).toEqual(
      expect.arrayContaining([
        ['friend', FRIEND],
        ['operator', OPERATOR],
      ]),
    );
    const receipts = membersOf(await run(home, 'audit', 'receipts'));
    expect(receipts.filter((receipt) => receipt['peer'] === FRIEND)).toMatchObject([
      { ct: 'task.v1', verdict: 'ok' },
    ]);
    expect(receipts.filter((receipt) => receipt['peer'] === AGENT).length).toBe(9);
  });
});

describe.skipIf(server === undefined)('a PostgreSQL store of an earlier version', () => {
  test('has its tasks and its audit log', async () => {
    const schema = schemaAt('landed');
    const dump = readFileSync(join(LANDED, 'postgres.sql'), 'utf8');
    await server!.run(dump.replaceAll(/a2a_sdl\b/g, schema));
    await expectNothingLost(
      await openPostgresStore({ connection: server!.url, schema, now: () => NOW }),
    );
  });
});
