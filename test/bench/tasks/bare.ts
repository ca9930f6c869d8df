// The same tasks without a store: the bare drivers of SQLite and PostgreSQL, with the tables and indexes that anybody would make.

import { Pool } from 'pg';
import type { PoolClient } from 'pg';

import type { Operation } from '../../../src/stores/store.ts';
import { transaction } from '../../../stores/sqlite/connection.ts';
import type { Driver } from '../../../stores/sqlite/driver.ts';

/** The writes of one transaction of one task. */
export interface BareStep {
  readonly key: Uint8Array;
  readonly owner: string;
  readonly state: string;
  readonly phase: string;
  readonly row: Uint8Array;
  /** Where the events start. */
  readonly position: number;
  readonly events: readonly Uint8Array[];
  readonly kind: 'create' | 'report' | 'end';
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
  const isEnd = phase === 'ended';
  return {
    key: Buffer.from(row.key),
    owner: owner!,
    state: state!,
    phase: phase!,
    row: row.value,
    position: append.ifLength!,
    events: append.values,
    kind: row.type === 'add' ? 'create' : isEnd ? 'end' : 'report',
  };
}

const LEASE_MS = 30_000;

export function bareSqlite(driver: Driver, path: string): BareTasks {
  const db = new driver.DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec(`
    CREATE TABLE task (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, owner TEXT, state TEXT, phase TEXT, value BLOB);
    CREATE INDEX task_by_owner ON task (owner, id);
    CREATE INDEX task_by_state ON task (state, id);
    CREATE INDEX task_by_phase ON task (phase, id);
    CREATE TABLE event (task BLOB, position INTEGER, value BLOB);
    CREATE UNIQUE INDEX event_by_position ON event (task, position);
    CREATE TABLE lease (key BLOB PRIMARY KEY, expires_at INTEGER);
    CREATE INDEX lease_by_expiry ON lease (expires_at);
    CREATE TABLE ended (id INTEGER PRIMARY KEY, key BLOB UNIQUE, owner TEXT, at INTEGER);
    CREATE INDEX ended_by_owner ON ended (owner, id)`);
  const insertTask = db.prepare('INSERT INTO task VALUES (NULL, ?, ?, ?, ?, ?)');
  const updateTask = db.prepare('UPDATE task SET state = ?, phase = ?, value = ? WHERE key = ?');
  const insertEvent = db.prepare('INSERT INTO event VALUES (?, ?, ?)');
  const insertLease = db.prepare('INSERT INTO lease VALUES (?, ?)');
  const checkLease = db.prepare('SELECT 1 FROM lease WHERE key = ?');
  const deleteLease = db.prepare('DELETE FROM lease WHERE key = ?');
  const insertEnded = db.prepare('INSERT INTO ended VALUES (NULL, ?, ?, ?)');
  const write = ({ kind, key, owner, state, phase, row, position, events }: BareStep): void => {
    if (kind === 'create') {
      insertTask.run(key, owner, state, phase, row);
      insertLease.run(key, Date.now() + LEASE_MS);
    } else {
      if (kind === 'report') checkLease.get(key);
      else {
        deleteLease.run(key);
        insertEnded.run(key, owner, Date.now());
      }
      updateTask.run(state, phase, row, key);
    }
    for (const [at, event] of events.entries()) insertEvent.run(key, position + at, event);
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
  CREATE TABLE bare.task (id bigserial PRIMARY KEY, key bytea NOT NULL UNIQUE, owner text, state text, phase text, value bytea);
  CREATE INDEX ON bare.task (owner, id);
  CREATE INDEX ON bare.task (state, id);
  CREATE INDEX ON bare.task (phase, id);
  CREATE TABLE bare.event (task bytea, position bigint, value bytea, PRIMARY KEY (task, position));
  CREATE TABLE bare.lease (key bytea PRIMARY KEY, expires_at bigint);
  CREATE INDEX ON bare.lease (expires_at);
  CREATE TABLE bare.ended (id bigserial PRIMARY KEY, key bytea UNIQUE, owner text, at bigint);
  CREATE INDEX ON bare.ended (owner, id)`;

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
  const rows = steps.map(({ row }) => row);
  if (kind === 'create') {
    await ask(
      'task',
      'INSERT INTO bare.task (key, owner, state, phase, value) SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::bytea[])',
      [keys, owners, states, phases, rows],
    );
    await ask('lease', 'INSERT INTO bare.lease SELECT key, $2 FROM unnest($1::bytea[]) AS key', [
      keys,
      Date.now() + LEASE_MS,
    ]);
  } else {
    if (kind === 'report') {
      await ask('check', 'SELECT FROM bare.lease WHERE key = ANY ($1::bytea[]) FOR SHARE', [keys]);
    } else {
      await ask('release', 'DELETE FROM bare.lease WHERE key = ANY ($1::bytea[])', [keys]);
      await ask(
        'ended',
        'INSERT INTO bare.ended (key, owner, at) SELECT key, owner, $3 FROM unnest($1::bytea[], $2::text[]) AS e (key, owner)',
        [keys, owners, Date.now()],
      );
    }
    await ask(
      'update',
      'UPDATE bare.task AS t SET state = n.state, phase = n.phase, value = n.value FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bytea[]) AS n (key, state, phase, value) WHERE t.key = n.key',
      [keys, states, phases, rows],
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
