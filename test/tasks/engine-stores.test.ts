// Runs the rules of the task engine over the stores that can carry it.

import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { taskEngineCompliance } from '../compliance/task-engine/task-engine.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

taskEngineCompliance('memory', {
  open: async (now) => {
    const store = createMemoryStore({ now });
    return async () => store;
  },
});

describe.skipIf(driver === undefined)('SQLite', () => {
  const folder = temporaryFolder();
  let places = 0;
  taskEngineCompliance('a SQLite file', {
    open: async (now) => {
      places += 1;
      const path = join(folder, `tasks-${places}`);
      return async () => {
        const store = await openSqliteStore({ path, now, pollIntervalMs: 1, checkOnOpen: false });
        onTestFinished(() => store.close());
        return store;
      };
    },
  });
});
