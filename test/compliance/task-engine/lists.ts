// What an engine lists for whoever looks after the tasks of everybody.

import { expect, test } from 'vitest';
import type { TaskEngine } from '../../../src/tasks/engine/contract.ts';
import type { TaskFilter } from '../../../src/tasks/request.ts';
import { finished, start } from '../../support/agents/tasks.ts';
import { TestCluster } from './setup.ts';
import type { TaskStoreUnderTest } from './setup.ts';

/** The ids of every page. */
async function pagesOf(engine: TaskEngine, options: TaskFilter): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | undefined; ;) {
    const { tasks, next } = await engine.list(undefined, {
      ...options,
      ...(cursor !== undefined && { cursor }),
    });
    pages.push(tasks.map(({ id }) => id));
    if (next === undefined) return pages;
    cursor = next;
  }
}

export function listRules(subject: TaskStoreUnderTest): void {
  test('tasks of everybody are found by state and context behind any number of others', async () => {
    const { engine } = await TestCluster.on(subject).node(async ({ id }) =>
      id === 'open' ? new Promise<void>(() => undefined) : undefined,
    );
    const startIn = (owner: string, id: string, context: string) =>
      start(engine, { owner, id, contextId: context });
    await startIn('a', 'open', 'c0');
    for (let at = 0; at < 30; at += 1) {
      await finished(engine, await startIn(at % 2 === 0 ? 'a' : 'b', `t${at}`, `c${at % 5}`));
    }
    const { tasks, total } = await engine.list(undefined, { state: 'working', pageSize: 5 });
    expect(tasks.map(({ id }) => id)).toEqual(['open']);
    expect(total).toBe(1);
    expect(await pagesOf(engine, { contextId: 'c0', pageSize: 3 })).toEqual([
      ['t25', 't20', 't15'],
      ['t10', 't5', 't0'],
      ['open'],
    ]);
    const all = await pagesOf(engine, { pageSize: 20 });
    expect(all.map(({ length }) => length)).toEqual([20, 11]);
    expect(new Set(all.flat()).size).toBe(31);
  });

  test('a page that few of very many fill is given as it is, and the next goes on', async () => {
    const { engine, store } = await TestCluster.on(subject).node(async () => undefined);
    const { task } = await finished(engine, await start(engine, { id: 't' }));
    const [row] = (await store.list('task')).entries;
    const values = Array.from({ length: 10_100 }, (_, at) => `copy-${at}`);
    for (let at = 0; at < values.length; at += 2_000) {
      const { value, index, rank } = row!;
      await store.transact(
        values
          .slice(at, at + 2_000)
          .map((key) => ({ type: 'add', space: 'task', key, value, index, rank })),
      );
    }
    const none = await engine.list(undefined, { state: 'canceled', pageSize: 10 });
    expect(none.tasks).toEqual([]);
    expect(none.next).toBeDefined();
    const rest = await engine.list(undefined, { state: 'canceled', cursor: none.next! });
    expect(rest).toEqual({ tasks: [], total: 0 });
    expect(task.status.state).toBe('completed');
  });
}
