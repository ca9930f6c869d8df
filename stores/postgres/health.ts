// Owns the look at a PostgreSQL store from beside it: which version it has, and whether its tables agree with each
// other. It reads only.

import type { Client } from 'pg';

import { StoreError } from '../../src/stores/index.ts';
import { loadDriver, makeClient, placeOf, toStoreError } from './driver.ts';
import { SCHEMA_VERSION, inspect } from './migrations.ts';
import type { PostgresStoreOptions } from './index.ts';
import type { Schema } from './schema-1.ts';
import { schemaOf } from './schema-1.ts';
import { TYPES } from './values.ts';

/** As it was given to the store. */
export type PostgresPlace = Pick<PostgresStoreOptions, 'connection' | 'schema'>;

export interface StoreVersion {
  /** 0 = there is no store yet. */
  readonly found: number;
  /** What this program writes. */
  readonly known: number;
}

export function postgresVersion(place: PostgresPlace): Promise<StoreVersion> {
  return look(place, async (client, schema) => {
    const { version } = await inspect(client, schema);
    return { found: version, known: SCHEMA_VERSION };
  });
}

/** What is wrong with the tables, in words; nothing when they are whole. */
export function checkPostgresStore(place: PostgresPlace): Promise<readonly string[]> {
  return look(place, async (client, schema) => {
    // One moment for all of it, even if others write meanwhile.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { version } = await inspect(client, schema);
    if (version === 0) throw new StoreError('failed', `there is no store in "${schema.name}"`);
    const problems: string[] = [];
    for (const [words, sql] of rulesOf(schema)) {
      const { rows } = await client.query<{ readonly count: number }>(sql);
      if (rows[0]!.count > 0) problems.push(`${rows[0]!.count} ${words}`);
    }
    await client.query('COMMIT');
    return problems;
  });
}

function rulesOf({ sql: schema }: Schema): readonly (readonly [words: string, count: string])[] {
  return [
    [
      'logs do not have the records that they should have',
      `SELECT count(*) FROM ${schema}.logs AS l LEFT JOIN (
          SELECT log, count(*) AS records, max(position) + 1 AS next FROM ${schema}.records GROUP BY log
        ) AS r ON r.log = l.id
        WHERE l.length <> coalesce(r.records, 0) OR l.length <> coalesce(r.next, 0)`,
    ],
    [
      'records belong to no log',
      `SELECT count(*) FROM ${schema}.records AS r
        WHERE NOT EXISTS (SELECT FROM ${schema}.logs AS l WHERE l.id = r.log)
          AND NOT EXISTS (SELECT FROM ${schema}.dropped_logs AS d WHERE d.id = r.log)`,
    ],
    [
      'entries are not found by all of their index fields',
      `SELECT count(*) FROM ${schema}.entries AS e WHERE cardinality(e.fields) <> (
          SELECT count(*) FROM ${schema}.entry_fields AS f WHERE f.space = e.space
            AND f.field = ANY (e.fields) AND f.sequence = e.sequence
            AND f.expires_at IS NOT DISTINCT FROM e.expires_at AND f.rank IS NOT DISTINCT FROM e.rank)`,
    ],
    [
      'index fields belong to no entry',
      `SELECT count(*) FROM ${schema}.entry_fields AS f WHERE NOT EXISTS (
          SELECT FROM ${schema}.entries AS e
          WHERE e.space = f.space AND e.sequence = f.sequence AND f.field = ANY (e.fields))`,
    ],
    [
      'tallies are empty or below 0',
      `SELECT count(*) FROM ${schema}.tallies WHERE count < 0 OR sum < 0 OR (count = 0 AND sum = 0)`,
    ],
    [
      'numbers are higher than the counter that gave them',
      `SELECT count(*) FROM (SELECT version AS number FROM ${schema}.entries UNION ALL SELECT id FROM ${schema}.logs) AS n
        WHERE number > (SELECT last_value FROM ${schema}.number)`,
    ],
  ];
}

const CONNECT_MS = 5_000;

async function look<T>(
  { connection, schema: name }: PostgresPlace,
  use: (client: Client, schema: Schema) => Promise<T>,
): Promise<T> {
  const schema = schemaOf(name);
  const driver = await loadDriver();
  const client = makeClient(driver, {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    types: TYPES,
    application_name: 'a2a-sdl',
    connectionTimeoutMillis: CONNECT_MS,
  });
  // The call that is under way has the error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client, schema);
  } catch (thrown) {
    throw toStoreError(thrown, placeOf(client));
  } finally {
    await client.end().catch(() => undefined);
  }
}
