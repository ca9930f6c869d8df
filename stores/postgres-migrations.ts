// Owns making and upgrading the schema of a store, safely when many nodes start at once.

import type { ClientBase, PoolClient } from 'pg';

import { StoreError } from '../src/stores/index.ts';
import type { Schema } from './postgres-schema.ts';
import { LOCK_CLASS, MIGRATIONS } from './postgres-schema.ts';

interface Found {
  readonly exists: boolean;
  readonly isEmpty: boolean;
  /** 0 = nothing of ours. */
  readonly version: number;
}

/** Runs what is missing, all in one transaction. A schema that is refused stays as it is. */
export async function migrate(client: PoolClient, schema: Schema): Promise<void> {
  if ((await inspect(client, schema)).version === MIGRATIONS.length) return;
  await client.query('BEGIN');
  await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
    LOCK_CLASS + 1,
    schema.name,
  ]);
  // Another node may have done it meanwhile.
  const { exists, version } = await inspect(client, schema);
  // Not "IF NOT EXISTS": who may not create schemas may use one that was made for him.
  if (!exists) await client.query(`CREATE SCHEMA ${schema.sql}`);
  if (version === 0) {
    await client.query(`CREATE TABLE ${schema.sql}.a2a_sdl_store (version integer NOT NULL)`);
    await client.query(`INSERT INTO ${schema.sql}.a2a_sdl_store VALUES (0)`);
  }
  for (const migration of MIGRATIONS.slice(version)) await client.query(migration(schema));
  await client.query(`UPDATE ${schema.sql}.a2a_sdl_store SET version = $1`, [MIGRATIONS.length]);
  await client.query('COMMIT');
}

/** Throws unless the schema is new, ours, and not of a later version. Writes nothing. */
export async function inspect(client: ClientBase, schema: Schema): Promise<Found> {
  const { rows } = await client.query(
    `SELECT count(DISTINCT n.oid)::integer AS schemas, count(c.oid)::integer AS relations,
      count(c.oid) FILTER (WHERE c.relname = 'a2a_sdl_store')::integer AS marks
    FROM pg_namespace AS n LEFT JOIN pg_class AS c ON c.relnamespace = n.oid WHERE n.nspname = $1`,
    [schema.name],
  );
  const { schemas, relations, marks } = rows[0] as Record<
    'schemas' | 'relations' | 'marks',
    number
  >;
  const found = { exists: schemas > 0, isEmpty: relations === 0 };
  if (marks === 0) {
    if (found.isEmpty) return { ...found, version: 0 };
    throw new StoreError(
      'foreign',
      `the PostgreSQL schema "${schema.name}" holds the tables of another program: choose another schema`,
    );
  }
  const marked = await client.query(`SELECT version FROM ${schema.sql}.a2a_sdl_store`);
  const { version } = marked.rows[0] as { readonly version: number };
  if (version > MIGRATIONS.length) {
    throw new StoreError(
      'newer',
      `the PostgreSQL schema "${schema.name}" was written by a later version (${version}, this one knows ${MIGRATIONS.length}): ` +
        'upgrade this program; nothing was changed',
    );
  }
  return { ...found, version };
}
