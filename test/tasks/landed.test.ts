// Proves that tasks which the version before 0.2.0 left, queued, at work, waiting and ended, are read as what they are and
// go on: what was said and made is there, under the same generations.

import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import { createTaskEngine } from '../../src/tasks/engine/engine.ts';
import { isTerminal } from '../../src/tasks/task.ts';
import type { Task } from '../../src/tasks/task.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';
import { outputOf, said } from '../support/agents/tasks.ts';

const FILE = new URL('../fixtures/landed/home/data/store.db', import.meta.url);
/** The tasks of the fixture ended long ago. */
const KEEP = { retentionMs: 1e13, maxWaitMs: 1e13 };

describe.skipIf(driver === undefined)('#task-recovery tasks of the version before', () => {
  const folder = temporaryFolder();

  async function engineOn(name: string, onTask: OnTask) {
    const path = join(folder, name);
    await copyFile(FILE, path);
    await chmod(path, 0o600);
    const store = await openSqliteStore({ path });
    const errors: unknown[] = [];
    const onError = (cause: unknown): void => void errors.push(cause);
    const engine = createTaskEngine({ store, onTask, onError, ...KEEP });
    onTestFinished(async () => {
      await engine.close();
      await store.close();
    });
    return { engine, store, errors };
  }

  test('are listed and read whole', async () => {
    const { engine, errors } = await engineOn('read.db', async () => undefined);
    const { tasks, total } = await engine.list(undefined);
    expect(tasks).toHaveLength(total);
    expect(total).toBe(5);
    for (const summary of tasks) {
      const task = await engine.get(summary, summary.id);
      expect(task).toMatchObject({
        id: summary.id,
        status: { state: summary.status.state },
        generation: summary.generation,
        source: { face: 'sdl', value: { payload: { goal: summary.text } } },
        authority: { scheme: 'sdl' },
      });
      expect(task?.history[0]).toMatchObject({ role: 'user', text: summary.text });
    }
    expect(errors).toEqual([]);
  });

  test('that wait are answered, those that nobody works on go on, and what was counted stays right', async () => {
    const ran: string[] = [];
    const { engine, store, errors } = await engineOn('on.db', async ({ id, attempt }) => {
      ran.push(`${id} ${attempt}`);
      return 'gone on';
    });
    const { tasks } = await engine.list(undefined);
    const ended = new Set(tasks.filter(({ status }) => isTerminal(status.state)));
    const open = tasks.filter((task) => !ended.has(task));
    expect(open.length).toBe(2);
    await engine.open();
    for (const { owner, id, status } of open) {
      if (status.state === 'input-required') {
        const task = await engine.get({ owner }, id);
        expect(task?.status.asked).toBeGreaterThan(2);
        const asked = task!.status.asked!;
        await engine.message({ owner }, id, said('blue'), { answers: asked });
        const again = await engine.message({ owner }, id, said('blue'), { answers: asked });
        expect(again.history.filter(({ text }) => text === 'blue')).toHaveLength(1);
      }
      let last: Task | undefined;
      for await (const { task } of engine.follow({ owner }, id, undefined)) last = task;
      expect(last?.status.state).toBe('completed');
      expect(outputOf(last!).at(-1)).toBe('gone on');
    }
    expect(ran).toHaveLength(2);
    expect((await store.tally('tasks')).count).toBe(5);
    expect(errors).toEqual([]);
  });
});
