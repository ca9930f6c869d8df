// Runs the rules of the outbox over the stores of one machine.

import { join } from 'node:path';

import { describe, onTestFinished } from 'vitest';

import { createMemoryStore } from '../../src/stores/memory.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { outboxCompliance } from '../compliance/outbox/outbox.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

outboxCompliance('memory', {
  open: async (now) => {
    const store = createMemoryStore({ now });
    return async () => store;
  },
});

describe.skipIf(driver === undefined)('SQLite', () => {
  const folder = temporaryFolder();
  let places = 0;
  outboxCompliance('a SQLite file', {
    open: async (now) => {
      places += 1;
      const path = join(folder, `outbox-${places}`);
      return async () => {
        const store = await openSqliteStore({ path, now, pollIntervalMs: 1, checkOnOpen: false });
        onTestFinished(() => store.close());
        return store;
      };
    },
  });
});
