// Runs the rules of the outbox over PostgreSQL, where one is there.

import { describe } from 'vitest';

import { outboxCompliance } from '../compliance/outbox/outbox.ts';
import { openNode, server } from '../support/stores/postgres.ts';

describe.skipIf(server === undefined)('PostgreSQL', () => {
  let places = 0;
  outboxCompliance('a PostgreSQL database', {
    open: async (now) => {
      places += 1;
      const place = `outbox-${places}`;
      return () => openNode(place, { now, readConnections: 1 });
    },
  });
});
