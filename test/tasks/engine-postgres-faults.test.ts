// Runs on PostgreSQL whose connections break, or whose server goes away: the work goes on, and nothing is counted as a
// failure of a task.

import { describe, expect, test } from 'vitest';
import { createTaskEngine } from '../../src/tasks/engine/engine.ts';
import type { TaskEngine } from '../../src/tasks/engine/contract.ts';
import { alice } from '../support/wire/envelopes.ts';
import { killBackends, openNode, server } from '../support/stores/postgres.ts';
import { Gate, finished, start } from '../support/agents/tasks.ts';

const TASKS = 10;
const FAULTS = 6;

/** Ten tasks that report without a pause, on an engine that makes one attempt at each. */
async function setUp(place: string): Promise<{
  readonly engine: TaskEngine;
  readonly stored: (more: number) => Promise<void>;
  readonly stop: () => void;
}> {
  const store = await openNode(place);
  let reports = 0;
  const over = new AbortController();
  let wanted = Infinity;
  let reached = new Gate();
  const engine = createTaskEngine({
    store,
    maxAttempts: 1,
    maxEvents: 1_000_000,
    onTask: async (_task, ctx) => {
      while (!over.signal.aborted && !ctx.signal.aborted) {
        await ctx.progress(`${reports}`);
        reports += 1;
        if (reports >= wanted) reached.open();
      }
    },
  });
  return {
    engine,
    stored: (more) => {
      reached = new Gate();
      wanted = reports + more;
      return reached.opened;
    },
    stop: () => over.abort(),
  };
}

describe.skipIf(server === undefined)('#task-ids tasks on PostgreSQL', () => {
  const faults: (readonly [string, number, (place: string) => Promise<void>])[] = [
    ['whose connections break', FAULTS, (place) => killBackends(place)],
  ];
  if (server?.restart !== undefined) {
    faults.push(['whose server restarts', 2, () => server!.restart!()]);
    faults.push(['whose server crashes', 1, () => server!.restart!(true)]);
  }

  test.each(faults)(
    '%s again and again lose nothing and no attempt',
    async (what, times, fault) => {
      const place = what.replaceAll(' ', '-');
      const { engine, stored, stop } = await setUp(place);
      const started = [];
      for (let at = 0; at < TASKS; at += 1) started.push(await start(engine, { id: `t${at}` }));
      for (let time = 0; time < times; time += 1) {
        await stored(5 * TASKS);
        await fault(place);
      }
      await stored(5 * TASKS);
      stop();
      for (const task of started) {
        expect((await finished(engine, task)).task).toMatchObject({
          status: { state: 'completed' },
          attempt: 1,
        });
      }
      expect((await engine.list({ owner: alice.agent_id })).tasks).toHaveLength(TASKS);
      await engine.close();
    },
  );
});
