// Finds a PostgreSQL server for the suites: the one that A2A_SDL_TEST_POSTGRES names, else a private one of this file
// from the binaries on this machine, on a Unix socket only. Without either they skip with a line, except in CI, where they fail.

import { Client } from 'pg';
import { afterAll, onTestFinished } from 'vitest';

import type { Store } from '../../../src/stores/store.ts';
import type { PostgresStoreOptions } from '../../../stores/postgres/index.ts';
import { openPostgresStore } from '../../../stores/postgres/index.ts';
import type { PostgresServer } from './postgres-server.ts';
import { runner, startPostgres } from './postgres-server.ts';

const HOW =
  'set A2A_SDL_TEST_POSTGRES=postgres://… or install PostgreSQL (Debian: apt-get install postgresql)';

async function findServer(): Promise<PostgresServer | undefined> {
  const url = process.env['A2A_SDL_TEST_POSTGRES'];
  if (url !== undefined) return { url, run: runner(url), restart: undefined };
  // Killed processes lose nothing without fsync; only a power cut would.
  const server = await startPostgres(['-F']);
  if (server !== undefined) {
    afterAll(server.stop);
    return server;
  }
  if (process.env['CI'] === 'true') throw new Error(`there is no PostgreSQL server: ${HOW}`);
  console.log(`there is no PostgreSQL server, suites on it are skipped: ${HOW}`);
  return undefined;
}

export const server: PostgresServer | undefined = await findServer();

const prefix = `test_${process.pid}_${Date.now().toString(36)}`;
const schemas = new Set<string>();
afterAll(async () => {
  for (const schema of schemas) await server!.run(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
});

/** The schema of a place, removed after the suite. */
export function schemaAt(place: string): string {
  const schema = `${prefix}_${place.replaceAll('-', '_')}`;
  schemas.add(schema);
  return schema;
}

/** The connections of nodes at a place carry its name, so that they can be found and killed. */
export function urlAt(place: string, settings = ''): string {
  const name = `application_name=${schemaAt(place)}`;
  const url = server!.url;
  return `${url}${url.includes('?') ? '&' : '?'}${name}${settings}`;
}

/** Opens a node of the store at a place, closed after the test. */
export async function openNode(
  place: string,
  options: Partial<PostgresStoreOptions> = {},
  settings = '',
): Promise<Store> {
  const store = await openPostgresStore({
    connection: urlAt(place, settings),
    schema: schemaAt(place),
    pollIntervalMs: 5,
    ...options,
  });
  onTestFinished(() => store.close());
  return store;
}

/** Asks until it is so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}

/** Process ids of the server's ends of the connections of all nodes at a place. */
export async function backendsAt(place: string, where = 'true'): Promise<number[]> {
  const rows = await server!.run(
    `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND ${where}`,
    [schemaAt(place)],
  );
  return rows.map(({ pid }) => pid as number);
}

export async function killBackends(place: string, where?: string): Promise<void> {
  for (const pid of await backendsAt(place, where)) {
    await server!.run('SELECT pg_terminate_backend($1)', [pid]);
  }
}

/** Makes every insert of a row with these bytes in one of its columns wait until it is let go. */
export async function holdInserts(
  place: string,
  table: 'entries' | 'records',
  column: string,
  text: string,
): Promise<{ readonly isHeld: () => Promise<boolean>; readonly letGo: () => Promise<void> }> {
  const schema = schemaAt(place);
  const gate = `4711, hashtext('${schema}')`;
  const holder = new Client({ connectionString: server!.url });
  holder.on('error', () => undefined);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query(`SELECT pg_advisory_lock(${gate})`);
  await server!.run(`
    CREATE FUNCTION ${schema}.hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(${gate}); RETURN NEW; END $$;
    CREATE TRIGGER hold BEFORE INSERT ON ${schema}.${table} FOR EACH ROW
      WHEN (NEW.${column} = '${text}') EXECUTE FUNCTION ${schema}.hold()`);
  return {
    isHeld: async () => {
      const rows = await server!.run(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 4711 AND NOT granted
          AND objid = (hashtext($1)::bigint & 4294967295)::oid`,
        [schema],
      );
      return rows.length > 0;
    },
    letGo: async () => {
      await holder.query(`SELECT pg_advisory_unlock(${gate})`);
    },
  };
}
