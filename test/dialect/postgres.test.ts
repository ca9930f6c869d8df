// Proves on PostgreSQL what depends on the store: nodes that share it, who joins whom, order and lists.

import { randomUUID } from 'node:crypto';

import { test } from 'vitest';

import { openPostgresStore } from '../../stores/postgres/index.ts';
import { describeDialect } from '../compliance/dialect/dialect.ts';
import { PLAIN, SDL_FACES } from '../support/dialect/faces.ts';
import type { StoreKind } from '../support/dialect/stores.ts';
import { schemaAt, server } from '../support/stores/postgres.ts';

const POSTGRES: StoreKind = {
  name: 'PostgreSQL',
  newPlace: () => {
    const schema = schemaAt(`dialect_${randomUUID().slice(0, 8)}`);
    const connection = server!.url;
    return { connect: () => openPostgresStore({ connection, schema, pollIntervalMs: 5 }) };
  },
};
const ONLY = [1, 4, 10, 12, 16, 23, 25, 33, 34, 37, 38, 39, 41, 42, 43, 49, 50];

if (server === undefined) test.skip('PostgreSQL needs a server');
else {
  for (const face of [SDL_FACES[0]!, PLAIN]) {
    describeDialect(face, POSTGRES, { races: 10, only: ONLY });
  }
}
