// Cases 41 to 43: lists of one's own tasks, last status first.

import { expect } from 'vitest';

import type { Caller, Filter } from '../../support/dialect/caller.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import { aborted, doing } from '../../support/dialect/works.ts';
import type { Case } from './case.ts';
import { ended, reached } from './case.ts';

const idsOf = async (owner: Caller, filter?: Filter): Promise<string[]> =>
  (await owner.list(filter)).tasks.map(({ id }) => id);

export const LISTS: readonly Case[] = [
  {
    number: 41,
    title: 'lists tell the last status first, over all states',
    run: async ({ caller }) => {
      const owner = await caller();
      const held = doing(async (_task, ctx) => aborted(ctx.signal));
      const asks = doing(async (_task, ctx) => (await ctx.ask('?')).text);
      await owner.run({ text: asks, id: 'waits' });
      await owner.start({ text: held, id: 'works' });
      await reached(owner, 'works', 'working');
      await owner.run({ text: doing(async () => 'done'), id: 'completed' });
      await owner.run({
        text: doing(async () => {
          throw new TaskError('no');
        }),
        id: 'failed',
      });
      await owner.start({ text: held, id: 'canceled' });
      await owner.cancel('canceled');
      expect(await idsOf(owner)).toEqual(['canceled', 'failed', 'completed', 'works', 'waits']);
      await owner.say('waits', 'go on');
      await ended(owner, 'waits');
      expect((await owner.list()).tasks.map(({ id, state }) => [id, state])).toEqual([
        ['waits', 'completed'],
        ['canceled', 'canceled'],
        ['failed', 'failed'],
        ['completed', 'completed'],
        ['works', 'working'],
      ]);
      await owner.cancel('works');
      expect((await idsOf(owner))[0]).toBe('works');
    },
  },
  {
    number: 42,
    title: 'filters count alone and together, and a cursor is exact while tasks change',
    run: async ({ agent, caller }) => {
      const owner = await caller();
      const text = doing(async () => 'done');
      const asks = doing(async (_task, ctx) => (await ctx.ask('?')).text);
      for (const id of ['a1', 'a2', 'a3']) await owner.run({ text, id, contextId: 'a' });
      await owner.run({ text: asks, id: 'w1', contextId: 'a' });
      const since = agent.shared.now() + 1;
      while (agent.shared.now() < since) await new Promise(setImmediate);
      for (const id of ['b1', 'b2']) await owner.run({ text, id, contextId: 'b' });
      await owner.run({ text: asks, id: 'w2', contextId: 'b' });
      expect(await idsOf(owner, { contextId: 'a' })).toEqual(['w1', 'a3', 'a2', 'a1']);
      expect(await idsOf(owner, { state: 'input-required' })).toEqual(['w2', 'w1']);
      expect(await idsOf(owner, { since })).toEqual(['w2', 'b2', 'b1']);
      expect(await idsOf(owner, { state: 'completed', contextId: 'b' })).toEqual(['b2', 'b1']);
      expect(await idsOf(owner, { state: 'input-required', since })).toEqual(['w2']);
      expect(await idsOf(owner, { contextId: 'a', state: 'completed', since })).toEqual([]);
      const first = await owner.list({ pageSize: 3 });
      expect(first.tasks.map(({ id }) => id)).toEqual(['w2', 'b2', 'b1']);
      // What changes goes to the front, where who goes on from the cursor has been.
      await owner.run({ text, id: 'new' });
      await owner.say('w1', 'go on');
      await ended(owner, 'w1');
      expect(await idsOf(owner, { pageSize: 3, cursor: first.next! })).toEqual(['a3', 'a2', 'a1']);
    },
  },
  {
    number: 43,
    title: 'the total is of all pages',
    run: async ({ caller }) => {
      const owner = await caller();
      const text = doing(async () => 'done');
      for (let task = 0; task < 7; task += 1) {
        await owner.run({ text, id: `t${task}`, contextId: task < 3 ? 'few' : 'many' });
      }
      const pages: string[][] = [];
      for (let cursor: string | undefined; ;) {
        const page = await owner.list({ pageSize: 3, ...(cursor !== undefined && { cursor }) });
        expect(page.total).toBe(7);
        pages.push(page.tasks.map(({ id }) => id));
        if (page.next === undefined) break;
        cursor = page.next;
      }
      expect(pages).toEqual([['t6', 't5', 't4'], ['t3', 't2', 't1'], ['t0']]);
      expect(await owner.list({ contextId: 'few', pageSize: 1 })).toMatchObject({ total: 3 });
      expect(await owner.list({ state: 'failed' })).toEqual({ tasks: [], total: 0 });
    },
  },
];
