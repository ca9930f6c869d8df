// Proves what an author and its owner can say to each other: questions and replies, further messages, a last word; and
// that none of it is lost or given twice over a restart.

import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import { TaskError } from '../../src/tasks/error.ts';
import { createTaskEngine } from '../../src/tasks/engine/engine.ts';
import type { TaskEngine } from '../../src/tasks/engine/contract.ts';
import { createMessage, isMessage } from '../../src/tasks/message.ts';
import type { Task, TaskState } from '../../src/tasks/task.ts';
import { alice } from '../support/wire/envelopes.ts';
import {
  Gate,
  finished,
  namesOf,
  outputOf,
  said,
  start,
  testEngine,
} from '../support/agents/tasks.ts';

const ME = { owner: alice.agent_id };

async function until(engine: TaskEngine, id: string, state: TaskState): Promise<Task> {
  for await (const { task } of engine.follow(ME, id, undefined)) {
    if (task.status.state === state) return task;
  }
  throw new Error(`it never was ${state}`);
}

describe('#parts what is said', () => {
  test('last words are in the history; with them alone the task is direct and in no list', async () => {
    const { engine } = testEngine(async ({ id }, ctx) => {
      if (id === 'output') void ctx.artifact({ text: 'x' });
      await ctx.answer([{ text: 'hello' }, { data: { n: 1 } }]);
    });
    const direct = await finished(engine, await start(engine, { id: 'direct' }));
    expect(direct.task).toMatchObject({ direct: true, artifacts: [] });
    expect(direct.task.history.at(-1)).toMatchObject({
      role: 'agent',
      text: 'hello',
      data: { n: 1 },
    });
    expect(direct.task.status.message?.text).toBe('hello');
    const output = await finished(engine, await start(engine, { id: 'output' }));
    expect(output.task.direct).toBeUndefined();
    for (const scope of [ME, undefined]) {
      const { tasks, total } = await engine.list(scope);
      expect([tasks.map(({ id }) => id), total]).toEqual([['output'], 1]);
    }
    expect(await engine.get(ME, 'direct')).toEqual(direct.task);
  });

  test('last words of what stays a task end it like any other', async () => {
    const { engine } = testEngine(async (_task, ctx) => {
      await ctx.answer('hello', { isTask: true });
    });
    const { task } = await finished(engine, await start(engine, { id: 'a' }));
    expect(task.direct).toBeUndefined();
    expect(task.status).toMatchObject({ state: 'completed', message: { text: 'hello' } });
    expect((await engine.list(ME)).tasks.map(({ id }) => id)).toEqual(['a']);
  });

  test('what is answered before it begins is stored as that, and never run', async () => {
    const { engine } = testEngine(() => {
      throw new Error('never');
    });
    const answer = createMessage({ id: 'a', role: 'agent', parts: [{ text: 'at once' }] });
    const { task, isNew } = await start(engine, { id: 'a', answer });
    expect(isNew).toBe(true);
    expect(task).toMatchObject({ direct: true, attempt: 0, status: { state: 'completed' } });
    expect(task.history.map(({ text }) => text)).toEqual(['Do it', 'at once']);
    expect(await start(engine, { id: 'a', answer })).toEqual({ task, isNew: false });
    expect((await engine.list(ME)).total).toBe(0);
  });

  test('further messages come in order, whether somebody waits for them or not', async () => {
    const go = new Gate();
    const { engine } = testEngine(async (_task, ctx) => {
      await go.opened;
      const got = [await ctx.next(), await ctx.next(), await ctx.next()];
      return got.map(String).join(' ');
    });
    const started = await start(engine, { id: 'n' });
    for (const [at, text] of ['one', 'two'].entries()) {
      await engine.message(ME, 'n', said(text, `m${at}`));
    }
    // The same one again changes nothing.
    await engine.message(ME, 'n', said('two', 'm1'));
    go.open();
    await engine.message(ME, 'n', said('three', 'm2'));
    const { task, events } = await finished(engine, started);
    expect(outputOf(task)).toEqual(['one two three']);
    expect(namesOf(events).filter((name) => name === 'message')).toHaveLength(3);
    expect(task.history.map(({ text }) => text)).toEqual(['Do it', 'one', 'two', 'three']);
    await expect(engine.message(ME, 'n', said('late'))).rejects.toThrow('TASK_ENDED');
  });

  test('a question may have no words, and progress does not hide it', async () => {
    const [stored, reported] = [new Gate(), new Gate()];
    const { engine } = testEngine(async (_task, ctx) => {
      const asked = ctx.ask();
      await stored.opened;
      expect(await ctx.progress('still waiting')).toBeUndefined();
      reported.open();
      return (await asked).text;
    });
    const started = await start(engine, { id: 'q' });
    const { status, history } = await until(engine, 'q', 'input-required');
    stored.open();
    await reported.opened;
    expect(status).toMatchObject({ state: 'input-required', asked: 3 });
    expect(status.message).toBeUndefined();
    expect(history).toHaveLength(1);
    await engine.message(ME, 'q', said('yes'), { answers: 3 });
    expect(outputOf((await finished(engine, started)).task)).toEqual(['yes']);
  });

  test('an equal start after a failure that may pass begins anew, where it is asked for', async () => {
    let runs = 0;
    const { engine } = testEngine(
      async ({ id }) => {
        runs += 1;
        if (runs <= 2) throw new TaskError('busy', { retryable: id === 'may pass' });
        return 'done';
      },
      { maxAttempts: 1 },
    );
    await finished(engine, await start(engine, { id: 'final' }));
    expect((await start(engine, { id: 'final', rerun: 'retryable' })).isNew).toBe(false);
    const failed = await finished(engine, await start(engine, { id: 'may pass' }));
    expect(failed.task.status.failure?.retryable).toBe(true);
    expect((await start(engine, { id: 'may pass' })).isNew).toBe(false);
    const other = start(engine, { id: 'may pass', text: 'Other', rerun: 'retryable' });
    await expect(other).rejects.toThrow('TASK_CONFLICT');
    const again = await start(engine, { id: 'may pass', rerun: 'retryable' });
    expect(again.isNew).toBe(true);
    const { task } = await finished(engine, again);
    expect(task).toMatchObject({ status: { state: 'completed' }, attempt: 1, generation: 4 });
    expect((await engine.list(ME)).total).toBe(2);
  });
});

describe('#parts over a restart', () => {
  test('the documented example: what was asked and kept is not asked again', async () => {
    const store = createMemoryStore();
    const stuck = new Gate();
    let restarts = 0;
    const onTask: OnTask = async (_task, ctx) => {
      const { page = 0, colour = await ctx.ask('which colour?') } = (ctx.restored ?? {}) as {
        page?: number;
        colour?: Awaited<ReturnType<typeof ctx.ask>>;
      };
      await ctx.checkpoint({ page: page + 1, colour, nested: [{ colour }] });
      if (restarts === 0) {
        stuck.open();
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      }
      expect(isMessage(colour)).toBe(true);
      expect((ctx.restored as { nested: { colour: unknown }[] }).nested[0]?.colour).toEqual(colour);
      return `page ${page} in ${String(colour)}`;
    };
    const first = createTaskEngine({ store, onTask, stopGraceMs: 1_000 });
    await start(first, { id: 'c' });
    await until(first, 'c', 'input-required');
    await first.message(
      ME,
      'c',
      createMessage({
        id: 'reply',
        role: 'user',
        parts: [{ text: 'blue' }, { bytes: new Uint8Array([1, 2, 250]), mediaType: 'image/png' }],
      }),
    );
    await stuck.opened;
    await first.close();
    restarts = 1;
    const second = createTaskEngine({ store, onTask });
    await second.open();
    const task = await until(second, 'c', 'completed');
    expect(outputOf(task)).toEqual(['page 1 in blue']);
    expect(task.history.map(({ text }) => text)).toEqual(['Do it', 'which colour?', 'blue']);
    expect(task.history[2]?.parts[1]).toEqual({
      bytes: new Uint8Array([1, 2, 250]),
      mediaType: 'image/png',
    });
    await second.close();
  });

  test('messages that were taken before a checkpoint are not given again, the others are', async () => {
    const store = createMemoryStore();
    const got: string[][] = [];
    const stuck = new Gate();
    const onTask: OnTask = async (_task, ctx) => {
      const own: string[] = [];
      got.push(own);
      own.push((await ctx.next()).text);
      if (ctx.attempt === 1) await ctx.checkpoint('one taken');
      own.push((await ctx.next()).text);
      if (ctx.attempt > 1) return;
      stuck.open();
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    };
    const first = createTaskEngine({ store, onTask, stopGraceMs: 1_000 });
    await start(first, { id: 'm' });
    for (const text of ['a', 'b', 'c']) await first.message(ME, 'm', said(text, text));
    await stuck.opened;
    await first.close();
    const second = createTaskEngine({ store, onTask });
    await second.open();
    await until(second, 'm', 'completed');
    expect(got).toEqual([
      ['a', 'b'],
      ['b', 'c'],
    ]);
    await second.close();
  });
});
