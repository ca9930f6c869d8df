// Cases 10 to 19: tasks are looked at, listed, ended and followed.

import { randomUUID } from 'node:crypto';

import { expect } from 'vitest';

import type { Client } from '../client.ts';
import type { Case } from './case.ts';
import { allOf, taskIn, watching } from './case.ts';

/** Tasks in a context of their own, the last one first. */
async function someIn(
  client: Client,
  contextId: string,
  texts: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) ids.unshift(taskIn(await client.send({ text, contextId })).id);
  return ids;
}

export const TASKS: readonly Case[] = [
  {
    number: 10,
    title: 'gets a task with as much of its history as it asks for',
    run: async ({ client, driver }) => {
      const own = await client();
      const { id } = taskIn(await own.send({ text: 'ask' }));
      await own.send({ text: 'red', taskId: id });
      const told = async (length?: number): Promise<string[]> =>
        (await own.get(id, length)).history.map(({ role, parts }) => `${role}: ${parts[0]!.text}`);
      const all = ['user: ask', 'agent: which?', 'user: red'];
      expect(await told()).toEqual(all);
      expect(await told(2)).toEqual(all.slice(1));
      expect(await told(100)).toEqual(all);
      const isAll = driver.loses.includes('a history of none');
      expect(await told(0)).toEqual(isAll ? all : []);
    },
  },
  {
    number: 11,
    title: 'lists by context and by state',
    run: async ({ client }) => {
      const own = await client();
      const contextId = randomUUID();
      const [waiting, ended] = await someIn(own, contextId, ['hello', 'ask']);
      const ids = async (filter: object): Promise<string[]> =>
        (await own.list({ contextId, ...filter })).tasks.map(({ id }) => id);
      expect(await ids({})).toEqual([waiting, ended]);
      expect(await ids({ state: 'completed' })).toEqual([ended]);
      expect(await ids({ state: 'input-required' })).toEqual([waiting]);
      expect(await ids({ state: 'failed' })).toEqual([]);
      expect(await ids({ contextId: randomUUID() })).toEqual([]);
    },
  },
  {
    number: 12,
    title: 'lists what has changed since a moment',
    run: async ({ client }) => {
      const own = await client();
      const contextId = randomUUID();
      const [second, first] = await someIn(own, contextId, ['ask', 'ask']);
      const { at } = await own.get(second!);
      const since = async (moment: string): Promise<string[]> =>
        (await own.list({ contextId, since: moment })).tasks.map(({ id }) => id);
      expect(await since('2020-01-01T00:00:00Z')).toEqual([second, first]);
      expect(await since(at)).toContain(second);
      expect(await since(new Date(Date.parse(at) + 1).toISOString())).toEqual([]);
    },
  },
  {
    number: 13,
    title: 'lists page by page, each task once',
    run: async ({ client }) => {
      const own = await client();
      const contextId = randomUUID();
      const ids = await someIn(own, contextId, ['one', 'two', 'three', 'four', 'five']);
      const seen: string[] = [];
      let pageToken: string | undefined;
      do {
        const page = await own.list({ contextId, pageSize: 2, ...(pageToken && { pageToken }) });
        expect([page.pageSize, page.totalSize]).toEqual([2, 5]);
        seen.push(...page.tasks.map(({ id }) => id));
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      expect(seen).toEqual(ids);
    },
  },
  {
    number: 14,
    title: 'lists output and history on request only',
    run: async ({ client }) => {
      const own = await client();
      const contextId = randomUUID();
      await someIn(own, contextId, ['hello']);
      const bare = (await own.list({ contextId })).tasks[0]!;
      expect([bare.artifacts, bare.history]).toEqual([[], []]);
      const filter = { contextId, includeArtifacts: true, historyLength: 1 };
      const whole = (await own.list(filter)).tasks[0]!;
      expect(whole.artifacts.map(({ parts }) => parts)).toEqual([[{ text: 'done hello' }]]);
      expect(whole.history.map(({ parts }) => parts)).toEqual([[{ text: 'hello' }]]);
    },
  },
  {
    number: 15,
    title: 'cancels, and again',
    run: async ({ client }) => {
      const own = await client();
      const { id } = taskIn(await own.send({ text: 'hold', isWaiting: false }));
      for (let time = 0; time < 2; time += 1) {
        await own.cancel(id);
        expect((await own.get(id)).state).toBe('canceled');
      }
    },
  },
  {
    number: 16,
    title: 'follows a task that runs, until it is canceled',
    run: async ({ client }) => {
      const own = await client();
      const { id, contextId } = taskIn(await own.send({ text: 'hold', isWaiting: false }));
      const watched = watching((signal) => own.subscribe(id, signal));
      const first = await watched.until(() => true);
      expect(first).toMatchObject({ kind: 'task', taskId: id, contextId });
      await own.cancel(id);
      const last = (await watched.end).at(-1)!;
      expect(last).toMatchObject({ kind: 'status', state: 'canceled' });
      expect(last.isFinal ?? true).toBe(true);
    },
  },
  {
    number: 17,
    title: 'follows a task that waits, and sees it go on',
    run: async ({ client }) => {
      const own = await client();
      const { id } = taskIn(await own.send({ text: 'ask' }));
      const watched = watching((signal) => own.subscribe(id, signal));
      expect(await watched.until(() => true)).toMatchObject({
        kind: 'task',
        state: 'input-required',
        text: 'which?',
      });
      await own.send({ text: 'red', taskId: id });
      const steps = await watched.end;
      expect(steps.map(({ kind, text }) => [kind, text])).toContainEqual(['artifact', 'told red']);
      expect(steps.at(-1)).toMatchObject({ kind: 'status', state: 'completed' });
    },
  },
  {
    number: 18,
    title: 'follows a task twice: both see the same, and one that leaves ends nobody else',
    run: async ({ client }) => {
      const own = await client();
      const { id } = taskIn(await own.send({ text: 'next', isWaiting: false }));
      const [one, other, gone] = [1, 2, 3].map(() =>
        watching((signal) => own.subscribe(id, signal)),
      ) as [ReturnType<typeof watching>, ReturnType<typeof watching>, ReturnType<typeof watching>];
      for (const watched of [one, other, gone]) await watched.until(() => true);
      gone.leave();
      await gone.end;
      await own.send({ text: 'more', taskId: id });
      expect((await one.end).slice(1)).toEqual((await other.end).slice(1));
      expect((await one.end).map(({ text }) => text)).toContain('then more');
    },
  },
  {
    number: 19,
    title: 'tells a task that failed from one that was rejected, and why',
    run: async ({ client }) => {
      const own = await client();
      const failed = taskIn(await own.send({ text: 'fail' }));
      expect(failed).toMatchObject({ state: 'failed', words: 'there is no paper' });
      const rejected = taskIn(await own.send({ text: 'reject' }));
      expect(rejected).toMatchObject({ state: 'rejected', words: 'not on Sundays' });
      const steps = await allOf(own.stream({ text: 'fail' }));
      expect(steps.at(-1)).toMatchObject({ state: 'failed', text: 'there is no paper' });
    },
  },
];
