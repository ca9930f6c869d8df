// Owns making and upgrading the schema of a store, safely when many nodes start at once.
// Versions are never edited, only added; there is no way back.

import type { ClientBase, PoolClient } from 'pg';

import { StoreError } from '../../src/stores/index.ts';
import type { Schema } from './schema-1.ts';
import { LOCK_CLASS, firstVersion } from './schema-1.ts';
import { secondVersion } from './schema-2.ts';
import { thirdVersion } from './schema-3.ts';

const MIGRATIONS: readonly ((schema: Schema, now: number) => string)[] = [
  firstVersion,
  secondVersion,
  thirdVersion,
];

/** What this program writes. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

interface Found {
  readonly exists: boolean;
  readonly isEmpty: boolean;
  /** 0 = nothing of ours. */
  readonly version: number;
}

/** Runs what is missing, all in one transaction. A schema that is refused stays as it is. */
export async function migrate(client: PoolClient, schema: Schema, now: number): Promise<void> {
  if ((await inspect(client, schema)).version === MIGRATIONS.length) return;
  await client.query('BEGIN');
  await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
    LOCK_CLASS + 1,
    schema.name,
  ]);
  // Another node may have done it meanwhile.
  const { exists, version } = await inspect(client, schema);
  // Not "IF NOT EXISTS": it needs the right to create schemas, even if the administrator has already made this one.
  if (!exists) await client.query(`CREATE SCHEMA ${schema.sql}`);
  if (version === 0) {
    await client.query(`CREATE TABLE ${schema.sql}.a2a_sdl_store (version integer NOT NULL)`);
    await client.query(`INSERT INTO ${schema.sql}.a2a_sdl_store VALUES (0)`);
  }
  for (const migration of MIGRATIONS.slice(version)) await client.query(migration(schema, now));
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
  const version = versionIn(await client.query(`SELECT * FROM ${schema.sql}.a2a_sdl_store`));
  if (version === undefined) {
    throw new StoreError(
      'corrupt',
      `the PostgreSQL schema "${schema.name}" does not say which version of the store it holds (table a2a_sdl_store): ` +
        'restore a copy of it, or drop the schema if nothing in it is needed; nothing was changed',
    );
  }
  if (version > MIGRATIONS.length) {
    throw new StoreError(
      'newer',
      `the PostgreSQL schema "${schema.name}" was written by a later version (${version}, this one knows ${MIGRATIONS.length}): ` +
        'upgrade this program; nothing was changed',
    );
  }
  return { ...found, version };
}

/** `undefined` when there is not exactly one, or none that this program ever wrote. */
function versionIn({ rows }: { readonly rows: readonly unknown[] }): number | undefined {
  const [row] = rows as readonly { readonly version?: unknown }[];
  const version = rows.length === 1 ? row!.version : undefined;
  return typeof version === 'number' && version > 0 ? version : undefined;
}
