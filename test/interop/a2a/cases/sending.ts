// Cases 1 to 9: the agent is found, messages are sent, and what comes back at once, at the end, or in pieces.

import { expect } from 'vitest';

import type { Case } from './case.ts';
import { allOf, taskIn } from './case.ts';

export const SENDING: readonly Case[] = [
  {
    number: 1,
    title: 'finds the agent by its address alone',
    run: async ({ client }) => {
      const { found } = await client();
      expect(found).toEqual({ name: 'matrix', description: 'Does what it is told.' });
    },
  },
  {
    number: 2,
    title: 'sends, and is answered when the task has ended',
    run: async ({ client, driver }) => {
      const task = taskIn(await (await client()).send({ text: 'hello', contextId: 'case-2' }));
      expect(task).toMatchObject({ contextId: 'case-2', state: 'completed' });
      expect(task.id).not.toBe('');
      expect(task.artifacts.map(({ parts }) => parts)).toEqual([[{ text: 'done hello' }]]);
      const age = Date.now() - Date.parse(task.at);
      expect(driver.loses.includes('times') || age < 60_000).toBe(true);
    },
  },
  {
    number: 3,
    title: 'sends, and does not wait',
    run: async ({ client }) => {
      const own = await client();
      const task = taskIn(await own.send({ text: 'hold', isWaiting: false }));
      expect(['submitted', 'working']).toContain(task.state);
      await own.cancel(task.id);
    },
  },
  {
    number: 4,
    title: 'streams a task from its beginning to its end',
    run: async ({ client, driver }) => {
      const steps = await allOf((await client()).stream({ text: 'chunks' }));
      expect(steps[0]!.kind).toBe('task');
      const [{ taskId, contextId }] = steps as [(typeof steps)[0]];
      for (const step of steps) expect([step.taskId, step.contextId]).toEqual([taskId, contextId]);
      expect(steps.filter(({ kind }) => kind === 'artifact')).toMatchObject([
        { text: 'one ', append: false, isLastChunk: false },
        { text: 'two', append: !driver.loses.includes('append'), isLastChunk: true },
      ]);
      const last = steps.at(-1)!;
      expect(last).toMatchObject({ kind: 'status', state: 'completed' });
      expect(last.isFinal ?? true).toBe(true);
    },
  },
  {
    number: 5,
    title: 'streams until the agent asks',
    run: async ({ client }) => {
      const steps = await allOf((await client()).stream({ text: 'ask' }));
      const last = steps.at(-1)!;
      expect(last).toMatchObject({ kind: 'status', state: 'input-required', text: 'which?' });
      expect(last.isFinal ?? true).toBe(true);
    },
  },
  {
    number: 6,
    title: 'answers a question, in the same task and context',
    run: async ({ client }) => {
      const own = await client();
      const asked = taskIn(await own.send({ text: 'ask' }));
      expect(asked).toMatchObject({ state: 'input-required', words: 'which?' });
      const { id, contextId } = asked;
      const ended = taskIn(await own.send({ text: 'red', taskId: id, contextId }));
      expect(ended).toMatchObject({ id, contextId, state: 'completed' });
      expect(ended.artifacts.map(({ parts }) => parts)).toEqual([[{ text: 'told red' }]]);
    },
  },
  {
    number: 7,
    title: 'gives in a stream what the agent needs to be allowed to go on',
    run: async ({ client }) => {
      const own = await client();
      const asked = taskIn(await own.send({ text: 'auth' }));
      expect(asked.state).toBe('auth-required');
      const steps = await allOf(own.stream({ text: 'granted', taskId: asked.id }));
      expect(steps.filter(({ kind }) => kind === 'artifact')).toMatchObject([
        { taskId: asked.id, text: 'told granted' },
      ]);
      expect(steps.at(-1)).toMatchObject({ kind: 'status', state: 'completed' });
    },
  },
  {
    number: 8,
    title: 'is answered with a message, without a task',
    run: async ({ client }) => {
      const own = await client();
      for (const text of ['at once', 'answer']) {
        const answer = await own.send({ text, expects: 'message' });
        expect(answer).toMatchObject({
          message: { role: 'agent', parts: [{ text: 'answered at once' }] },
        });
      }
    },
  },
  {
    number: 9,
    title: 'is answered with a message in a stream',
    run: async ({ client }) => {
      const steps = await allOf((await client()).stream({ text: 'at once' }));
      expect(steps).toEqual([{ kind: 'message', text: 'answered at once' }]);
    },
  },
];
