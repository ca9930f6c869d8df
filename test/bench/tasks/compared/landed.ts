// Contestant: the engine of commit b3437ec, as it was built.

import { join } from 'node:path';

import type { Order, RunTask } from './child.ts';
import { ANSWER, QUESTION, takePart } from './child.ts';

/** What is used of that commit. */
interface Event {
  readonly type: string;
  readonly state?: string;
}
interface Engine {
  start(start: object): Promise<{ readonly events: (after: number) => AsyncIterable<Event> }>;
}
interface Context {
  artifact(artifact: { readonly name: string; readonly text: string }): unknown;
}

takePart(async ({ builds, file }: Order): Promise<RunTask> => {
  const load = (module: string): Promise<Record<string, (options: unknown) => unknown>> =>
    import(join(builds, 'landed/dist', module));
  const { createTaskEngine } = await load('src/tasks/task-engine.js');
  const { parseTaskRequest } = await load('src/tasks/task-request.js');
  const { openSqliteStore } = await load('stores/sqlite.js');
  const engine = createTaskEngine!({
    ...(file !== undefined && { store: await openSqliteStore!({ path: file }) }),
    onTask: async function* (_task: unknown, ctx: Context) {
      yield ctx.artifact({ name: 'answer', text: ANSWER });
    },
  }) as Engine;
  const payload = { goal: QUESTION, inputs: {}, constraints: { time_budget_s: 30 } };
  const request = parseTaskRequest!(payload);
  return async ({ owner, id }) => {
    const { events } = await engine.start({ owner, id, request });
    let artifacts = 0;
    let state: string | undefined;
    for await (const event of events(0)) {
      if (event.type === 'artifact') artifacts += 1;
      state = event.state;
    }
    if (artifacts !== 1 || state !== 'completed') throw new Error(`a task ended as ${state}`);
  };
});
