// A process whose tasks report without a pause into a SQLite store, until it is killed. It prints a line when they do.
// Argument: path of the file.

import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { start } from './tasks.ts';

const engine = createTaskEngine({
  store: await openSqliteStore({ path: process.argv[2]! }),
  maxEvents: 1_000_000,
  onTask: async (_task, ctx) => {
    for (let at = 0; !ctx.signal.aborted; at += 1) await ctx.progress(`${at}`);
  },
});
for (const id of ['a', 'b', 'c']) await start(engine, { owner: 'o', id });
process.stdout.write('they work\n');
