// Proves that what goes wrong around an author costs its task alone: no place, no lease and no later write.

import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { NO_TOOLS } from '../../src/tasks/engine/options.ts';
import { NO_DELEGATION } from '../../src/tasks/delegation.ts';
import { createTaskHolder } from '../../src/tasks/engine/holder.ts';
import { LeaseKeeper } from '../../src/tasks/engine/lease.ts';
import { parseTaskRequest } from '../../src/tasks/request.ts';
import { newRow, taskKey } from '../../src/tasks/log/row.ts';
import { TaskTable, draftOf, rowAfter } from '../../src/tasks/log/table.ts';
import { TaskWriter } from '../../src/tasks/engine/writer.ts';
import { unstartedTask } from '../../src/tasks/task.ts';
import { TestTime, finished, payloadWith, start, testEngine } from '../support/agents/tasks.ts';

describe('#task-answer an accident', () => {
  test.each(['tools', 'delegation'])(
    'when the %s of a task are made fails the task, and the next one runs',
    async (what) => {
      const accident = new Error('broken');
      const fail = (id: string, isMeant: boolean): void => {
        if (id.startsWith('bad') && isMeant) throw accident;
      };
      const store = createMemoryStore();
      const { engine, errors } = testEngine(async () => undefined, {
        store,
        maxConcurrent: 1,
        toolsFor: ({ id }) => {
          fail(id, what === 'tools');
          return NO_TOOLS;
        },
        delegationFor: ({ id }) => {
          fail(id, what === 'delegation');
          return NO_DELEGATION;
        },
      });
      // The second begins from the queue.
      const all = await Promise.all(['bad1', 'bad2', 'good'].map((id) => start(engine, { id })));
      const states: string[] = [];
      for (const started of all) states.push((await finished(engine, started)).task.state);
      expect(states).toEqual(['failed', 'failed', 'completed']);
      expect(errors).toEqual([accident, accident]);
      expect(await store.count('task-lease')).toBe(0);
    },
  );

  test('that reports after an end does not keep the end from being written', async () => {
    const time = new TestTime();
    const now = (): number => time.now;
    const store = createMemoryStore({ now });
    const table = new TaskTable(store, now, 1_000);
    const leases = new LeaseKeeper({
      store,
      holder: createTaskHolder({ node: undefined, isExclusive: false, startId: 'n' }),
      leaseMs: 30_000,
      now,
      setTimer: time.setTimer,
      onError: () => undefined,
    });
    const key = taskKey({ owner: 'o' }, 't');
    const request = parseTaskRequest(payloadWith('t'));
    const task = unstartedTask({ owner: 'o', id: 't', request, createdAt: now() });
    const begin = draftOf({ type: 'status', state: 'working' }, now());
    const submitted = draftOf({ type: 'status', state: 'submitted' }, now());
    const row = rowAfter(newRow(task, 'd'), [submitted, begin])!;
    const done = await store.transact([
      ...table.creation(key, task, row, [begin]),
      leases.taking(key),
    ]);
    const causes: unknown[] = [];
    const writer = new TaskWriter({
      key,
      row,
      lease: leases.hold(key, done.ok ? done.results[2]! : 0, () => undefined),
      table,
      leases,
      now,
      setTimer: time.setTimer,
      onChange: () => undefined,
      onOver: (cause) => void causes.push(cause),
    });
    const written = await Promise.all([
      writer.write({ type: 'progress', progress: { message: 'before' } }),
      writer.write({ type: 'status', state: 'completed' }),
      writer.write({ type: 'progress', progress: { message: 'after' } }),
    ]);
    expect(written).toMatchObject([{ generation: 3 }, { generation: 4 }, undefined]);
    expect(written[2]).toBeUndefined();
    expect(causes).toEqual([undefined]);
    expect(await table.load(key)).toMatchObject({ state: 'completed', generation: 4 });
  });
});
