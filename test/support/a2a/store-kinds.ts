// Owns the stores that agents of official A2A are tried on: in memory, in a SQLite file, on PostgreSQL. Importing it looks
// for a PostgreSQL server.

import { randomUUID } from 'node:crypto';

import { openPostgresStore } from '../../../stores/postgres/index.ts';
import type { StoreKind } from '../dialect/stores.ts';
import { MEMORY, sqlite } from '../dialect/stores.ts';
import { schemaAt, server } from '../stores/postgres.ts';
import { driver } from '../stores/sqlite.ts';

const POSTGRES: StoreKind = {
  name: 'PostgreSQL',
  newPlace: () => {
    const schema = schemaAt(`a2a_${randomUUID().slice(0, 8)}`);
    const connection = server!.url;
    return { connect: () => openPostgresStore({ connection, schema, pollIntervalMs: 5 }) };
  },
};

/** Those that several nodes can share, also one after the other. */
export const SHARED_KINDS: readonly StoreKind[] = [
  ...(driver === undefined ? [] : [sqlite()]),
  ...(server === undefined ? [] : [POSTGRES]),
];
export const STORE_KINDS: readonly StoreKind[] = [MEMORY, ...SHARED_KINDS];
