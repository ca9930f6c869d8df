// The same tasks without a store: the bare drivers of SQLite and PostgreSQL, with the tables and indexes that anybody would make.

import { Pool } from 'pg';
import type { PoolClient } from 'pg';

import type { Operation } from '../../../src/stores/store.ts';
import { transaction } from '../../../stores/sqlite/connection.ts';
import type { Driver } from '../../../stores/sqlite/driver.ts';

/** The writes of one transaction of one task. */
export interface BareStep {
  readonly key: Uint8Array;
  readonly owner: string | null;
  readonly state: string | null;
  readonly phase: string;
  /** Of the last status. */
  readonly at: number;
  readonly row: Uint8Array;
  /** Where the events start. */
  readonly position: number;
  readonly events: readonly Uint8Array[];
  readonly kind: 'create' | 'report';
}

export interface BareTasks {
  /** One transaction of each step. */
  readonly each: (steps: readonly BareStep[]) => unknown;
  /** All of them in one transaction. */
  readonly grouped: (steps: readonly BareStep[]) => unknown;
  readonly close: () => unknown;
}

export function bareStepOf(operations: readonly Operation[]): BareStep {
  const row = operations.find((each) => 'space' in each && each.space === 'task');
  const append = operations.find((each) => each.type === 'append');
  if (row === undefined || !('value' in row) || append === undefined) {
    throw new Error('a transaction of a task has a row and an event');
  }
  const { owner, state, phase } = row.index!;
  return {
    key: Buffer.from(row.key),
    owner: owner ?? null,
    state: state ?? null,
    phase: phase!,
    at: row.rank!,
    row: row.value,
    position: append.ifLength!,
    events: append.values,
    kind: row.type === 'add' ? 'create' : 'report',
  };
}

/** What an agent holds in all is counted under this name. */
const ALL = '*';

export function bareSqlite(driver: Driver, path: string): BareTasks {
  const db = new driver.DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec(`
    CREATE TABLE task (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, owner TEXT, state TEXT, phase TEXT, at INTEGER, value BLOB);
    CREATE INDEX task_by_owner ON task (owner, at);
    CREATE INDEX task_by_state ON task (state, at);
    CREATE INDEX task_by_phase ON task (phase, at);
    CREATE TABLE event (task BLOB, position INTEGER, value BLOB);
    CREATE UNIQUE INDEX event_by_position ON event (task, position);
    CREATE TABLE held (owner TEXT PRIMARY KEY, tasks INTEGER)`);
  const insertTask = db.prepare('INSERT INTO task VALUES (NULL, ?, ?, ?, ?, ?, ?)');
  const updateTask = db.prepare(
    'UPDATE task SET state = ?, phase = ?, at = ?, value = ? WHERE key = ?',
  );
  const insertEvent = db.prepare('INSERT INTO event VALUES (?, ?, ?)');
  const count = db.prepare(
    'INSERT INTO held VALUES (?, 1) ON CONFLICT (owner) DO UPDATE SET tasks = tasks + 1',
  );
  const write = (step: BareStep): void => {
    const { kind, key, owner, state, phase, at, row, position, events } = step;
    if (kind === 'create') {
      insertTask.run(key, owner, state, phase, at, row);
      count.run(owner);
      count.run(ALL);
    } else updateTask.run(state, phase, at, row, key);
    for (const [index, event] of events.entries()) insertEvent.run(key, position + index, event);
  };
  return {
    each: (steps) => {
      for (const step of steps) transaction(db, 'DEFERRED', () => write(step));
    },
    grouped: (steps) =>
      transaction(db, 'DEFERRED', () => {
        for (const step of steps) write(step);
      }),
    close: () => db.close(),
  };
}

const POSTGRES_TABLES = `
  CREATE SCHEMA bare;
  CREATE TABLE bare.task (id bigserial PRIMARY KEY, key bytea NOT NULL UNIQUE, owner text, state text, phase text, at bigint, value bytea);
  CREATE INDEX ON bare.task (owner, at);
  CREATE INDEX ON bare.task (state, at);
  CREATE INDEX ON bare.task (phase, at);
  CREATE TABLE bare.event (task bytea, position bigint, value bytea, PRIMARY KEY (task, position));
  CREATE TABLE bare.held (owner text PRIMARY KEY, tasks bigint)`;

/** @param connections as many as the store has. */
export async function barePostgres(url: string, connections: number): Promise<BareTasks> {
  const pool = new Pool({ connectionString: url, max: connections });
  // The server may go before the last connection has heard that it is closed.
  pool.on('error', () => undefined);
  await pool.query(POSTGRES_TABLES);
  const commit = async (steps: readonly BareStep[]): Promise<void> => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await writeRows(client, steps);
    await client.query('COMMIT');
    client.release();
  };
  return {
    each: (steps) => Promise.all(steps.map((step) => commit([step]))),
    grouped: commit,
    close: async () => {
      await pool.query('DROP SCHEMA bare CASCADE');
      await pool.end();
    },
  };
}

/** Steps of one kind: one statement a table, whatever their number. */
async function writeRows(client: PoolClient, steps: readonly BareStep[]): Promise<void> {
  const { kind } = steps[0]!;
  const ask = (name: string, text: string, values: unknown[]): Promise<unknown> =>
    client.query({ name, text, values });
  const keys = steps.map(({ key }) => key);
  const states = steps.map(({ state }) => state);
  const phases = steps.map(({ phase }) => phase);
  const owners = steps.map(({ owner }) => owner);
  const moments = steps.map(({ at }) => at);
  const rows = steps.map(({ row }) => row);
  if (kind === 'create') {
    await ask(
      'task',
      'INSERT INTO bare.task (key, owner, state, phase, at, value) SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bytea[])',
      [keys, owners, states, phases, moments, rows],
    );
    // What all share is counted last: who holds it waits for nobody.
    for (const names of [owners, owners.map(() => ALL)]) {
      await ask(
        'count',
        'INSERT INTO bare.held SELECT owner, count(*) FROM unnest($1::text[]) AS owner GROUP BY owner ORDER BY owner ON CONFLICT (owner) DO UPDATE SET tasks = held.tasks + excluded.tasks',
        [names],
      );
    }
  } else {
    await ask(
      'update',
      'UPDATE bare.task AS t SET state = n.state, phase = n.phase, at = n.at, value = n.value FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[], $5::bytea[]) AS n (key, state, phase, at, value) WHERE t.key = n.key',
      [keys, states, phases, moments, rows],
    );
  }
  const events = steps.flatMap(({ key, position, events: values }) =>
    values.map((value, at) => ({ key, position: position + at, value })),
  );
  await ask(
    'event',
    'INSERT INTO bare.event SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[])',
    [
      events.map(({ key }) => key),
      events.map(({ position }) => position),
      events.map(({ value }) => value),
    ],
  );
}
