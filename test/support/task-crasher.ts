// A process that starts and works on tasks until it is killed. It prints a line only for what was acknowledged.
// Arguments: path of the file, name of this process, how many tasks it starts.

import { createTaskEngine } from '../../src/tasks/task-engine.ts';
import { openSqliteStore } from '../../stores/sqlite.ts';
import { start } from './tasks.ts';

const [path, name, count] = process.argv.slice(2) as [string, string, string];
const store = await openSqliteStore({ path, pollIntervalMs: 5, checkOnOpen: false });

const engine = createTaskEngine({
  store,
  node: name,
  // So often killed that an ordinary number of attempts would not do.
  maxAttempts: 1_000,
  maxTasksPerOwner: 100_000,
  leaseMs: 300,
  recoverEveryMs: 50,
  onTask: async (task, ctx) => {
    const from = typeof ctx.restored === 'number' ? ctx.restored : 0;
    for (let step = from; step < 5; step += 1) {
      const event = await ctx.artifact({ name: 'log', text: `${step}`, append: true });
      if (event !== undefined) say('event', task.id, event.generation, ctx.attempt);
      await ctx.checkpoint(step + 1);
    }
  },
});

function say(...words: readonly (string | number)[]): void {
  process.stdout.write(`${words.join(' ')} .\n`);
}

await engine.open();
for (let at = 0; at < Number(count); at += 1) {
  const id = `${name}-${at}`;
  const { task } = await start(engine, { id });
  say('task', task.id);
}
say('started');
