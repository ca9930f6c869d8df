// Proves that what goes wrong around an author costs its task alone: no place, no hold and no later write.

import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { NO_TOOLS } from '../../src/tasks/engine/options.ts';
import { NO_DELEGATION } from '../../src/tasks/delegation.ts';
import { heldCount } from '../support/stores/task-stores.ts';
import { finished, namesOf, start, testEngine } from '../support/agents/tasks.ts';

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
      for (const started of all) states.push((await finished(engine, started)).task.status.state);
      expect(states).toEqual(['failed', 'failed', 'completed']);
      expect(errors).toEqual([accident, accident]);
      expect(await heldCount(store, 0)).toBe(0);
    },
  );

  test('that reports after an end does not keep the end from being written', async () => {
    const { engine, errors } = testEngine(async (_task, ctx) => {
      const before = ctx.progress('before');
      const end = ctx.answer('done');
      expect(await ctx.progress('after')).toBeUndefined();
      expect(await before).toMatchObject({ generation: 3 });
      expect(await end).toMatchObject({ generation: 4, direct: true });
      return 'ignored';
    });
    const { task, events } = await finished(engine, await start(engine));
    expect(namesOf(events)).toEqual(['submitted', 'working', 'before', 'completed']);
    expect(task).toMatchObject({ status: { state: 'completed' }, generation: 4, artifacts: [] });
    expect(errors).toEqual([]);
  });
});
