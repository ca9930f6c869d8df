// Removing ended tasks: many in one transaction, whoever else removes them at the same time.

import { expect, test } from 'vitest';

import { createMemoryStore } from '../../src/stores/memory.ts';
import { taskKey } from '../../src/tasks/log/row.ts';
import { TaskTable } from '../../src/tasks/log/table.ts';
import { alice } from '../support/wire/envelopes.ts';
import { fragile, remains } from '../support/stores/task-stores.ts';
import { TestTime, eventsOf, start, testEngine } from '../support/agents/tasks.ts';

const RETENTION_MS = 3_600_000;

test('#task-ids a page of passed tasks goes in one transaction', async () => {
  const { store, keys, engine, time } = await endedTasks(120);
  let transactions = 0;
  store.beforeTransact = () => void (transactions += 1);
  // Without its timers: the engine would purge by itself.
  time.now += RETENTION_MS;
  expect(await engine.purge()).toBe(120);
  expect(transactions).toBe(2);
  expect(await remains(store, keys)).toBe(0);
});

test('#task-ids what somebody else has removed meanwhile does not keep the others', async () => {
  const { store, shared, keys, engine, time } = await endedTasks(5);
  const other = new TaskTable(shared, Date.now, RETENTION_MS);
  let isFirst = true;
  store.beforeTransact = async () => {
    if (isFirst) {
      for (const key of keys.slice(2, 4)) {
        await shared.transact(other.removal((await other.at(key))!));
      }
    }
    isFirst = false;
  };
  time.now += RETENTION_MS;
  expect(await engine.purge()).toBe(3);
  expect(await remains(store, keys)).toBe(0);
});

test('#task-ids a task that has not ended stays, however long it takes', async () => {
  const { shared } = await endedTasks(2);
  const { engine, time } = testEngine(() => new Promise(() => undefined), {
    store: shared,
    maxRunMs: 100 * RETENTION_MS,
  });
  const { task } = await start(engine, { id: 'open' });
  time.now += 2 * RETENTION_MS;
  expect(await engine.purge()).toBe(2);
  expect(await shared.count('task')).toBe(1);
  expect((await engine.get(task, 'open'))?.status.state).toBe('working');
});

async function endedTasks(count: number): Promise<{
  store: ReturnType<typeof fragile>;
  shared: ReturnType<typeof createMemoryStore>;
  keys: string[];
  engine: ReturnType<typeof testEngine>['engine'];
  time: TestTime;
}> {
  const shared = createMemoryStore();
  const store = fragile(shared);
  const { engine, time } = testEngine(async () => undefined, {
    store,
    retentionMs: RETENTION_MS,
  });
  const keys: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const started = await start(engine, { id: `t${at}` });
    await eventsOf(engine, started.task);
    keys.push(taskKey({ owner: alice.agent_id }, `t${at}`));
  }
  return { store, shared, keys, engine, time };
}
