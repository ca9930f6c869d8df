// Runs the rules of the task engine over PostgreSQL, where one is there.

import { describe } from 'vitest';
import { taskEngineCompliance } from '../compliance/task-engine/task-engine.ts';
import { openNode, server } from '../support/stores/postgres.ts';

describe.skipIf(server === undefined)('PostgreSQL', () => {
  let places = 0;
  taskEngineCompliance('a PostgreSQL database', {
    open: async (now) => {
      places += 1;
      const place = `tasks-${places}`;
      return () => openNode(place, { now, readConnections: 1 });
    },
  });
});
