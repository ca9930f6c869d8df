// What every engine does with one task: questions and replies, checkpoints, deadlines, further attempts.

import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/codec/value.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import type { TaskEngine } from '../../../src/tasks/engine/contract.ts';
import type { Task, TaskState } from '../../../src/tasks/task.ts';
import { alice } from '../../support/wire/envelopes.ts';
import { Gate, finished, namesOf, outputOf, said, start } from '../../support/agents/tasks.ts';
import { remains } from '../../support/stores/task-stores.ts';
import { TestCluster } from './setup.ts';
import type { TaskStoreUnderTest } from './setup.ts';

const OWNER = alice.agent_id;

export async function untilState(engine: TaskEngine, id: string, state: TaskState): Promise<Task> {
  for await (const { task } of engine.follow({ owner: OWNER }, id, undefined)) {
    if (task.status.state === state) return task;
  }
  throw new Error(`it never was ${state}`);
}

/** More values than a message may have: what is kept is not a message. */
const WIDE: JsonValue = Array.from({ length: 20_000 }, (_, at) => at % 10);

const asker: OnTask = async (_task, ctx) => {
  const { text: name } = await ctx.ask('your name?');
  const { data: leave = null } = await ctx.ask({ data: { may: 'send' } }, { kind: 'auth' });
  return { name, leave };
};

export function runRules(subject: TaskStoreUnderTest): void {
  test('a question waits for its reply, and the run goes on with it', async () => {
    const { engine } = await TestCluster.on(subject).node(asker);
    const started = await start(engine, { id: 'q' });
    const asked = await untilState(engine, 'q', 'input-required');
    expect(asked.history.at(-1)).toMatchObject({ role: 'agent', text: 'your name?' });
    expect(asked.status).toMatchObject({ asked: 3, message: { text: 'your name?' } });
    await engine.message({ owner: OWNER }, 'q', said('Ada'), { answers: 3 });
    await untilState(engine, 'q', 'auth-required');
    await engine.message({ owner: OWNER }, 'q', said(true));
    const { task, events } = await finished(engine, started);
    expect(task.artifacts[0]?.data).toEqual({ name: 'Ada', leave: true });
    expect(task.history.map(({ role, text, data }) => [role, data ?? text])).toEqual([
      ['user', 'Do it'],
      ['agent', 'your name?'],
      ['user', 'Ada'],
      ['agent', { may: 'send' }],
      ['user', true],
    ]);
    expect(namesOf(events)).toEqual([
      'submitted',
      'working',
      'input-required',
      'reply',
      'auth-required',
      'reply',
      'result',
      'completed',
    ]);
  });

  test('a reply that comes again changes nothing; another one, or one that nobody waits for, is refused', async () => {
    const { engine } = await TestCluster.on(subject).node(asker);
    await start(engine, { id: 'q' });
    await untilState(engine, 'q', 'input-required');
    await expect(engine.message({ owner: OWNER }, 'q', said('x'), { answers: 2 })).rejects.toThrow(
      'TASK_CONFLICT',
    );
    await engine.message({ owner: OWNER }, 'q', said('Ada'), { answers: 3 });
    const { generation } = await untilState(engine, 'q', 'auth-required');
    expect(
      (await engine.message({ owner: OWNER }, 'q', said('Ada'), { answers: 3 })).generation,
    ).toBe(generation);
    await expect(
      engine.message({ owner: OWNER }, 'q', said('Eve', 'another'), { answers: 3 }),
    ).rejects.toThrow('TASK_CONFLICT');
    await engine.cancel({ owner: OWNER }, 'q');
    await expect(engine.message({ owner: OWNER }, 'q', said(true))).rejects.toThrow('TASK_ENDED');
    const eve = { owner: 'did:key:eve' };
    await expect(engine.message(eve, 'q', said(true))).rejects.toThrow('TASK_UNKNOWN');
    await expect(engine.message({ owner: OWNER }, 'none', said(true))).rejects.toThrow(
      'TASK_UNKNOWN',
    );
  });

  test('a task that waits holds no place at work', async () => {
    const { engine } = await TestCluster.on(subject).node(
      async ({ id }, ctx) => (id === 'q' ? (await ctx.ask('go on?')).text : 'done'),
      { maxConcurrent: 1 },
    );
    const waiting = await start(engine, { id: 'q' });
    await untilState(engine, 'q', 'input-required');
    expect((await finished(engine, await start(engine, { id: 'r' }))).task.status.state).toBe(
      'completed',
    );
    await engine.message({ owner: OWNER }, 'q', said('yes'));
    expect((await finished(engine, waiting)).task.artifacts[0]?.text).toBe('yes');
  });

  test('a later run is given the recorded replies in order, and a task that waits survives its agent', async () => {
    const cluster = TestCluster.on(subject);
    const first = await cluster.node(asker);
    const started = await start(first.engine, { id: 'q' });
    await untilState(first.engine, 'q', 'input-required');
    await first.engine.message({ owner: OWNER }, 'q', said('Ada'));
    await untilState(first.engine, 'q', 'auth-required');
    first.die();
    cluster.time.pass(30_000);
    const second = await cluster.node(asker);
    await second.engine.open();
    const waiting = await second.engine.get({ owner: OWNER }, 'q');
    expect(waiting?.status.state).toBe('auth-required');
    await second.engine.message({ owner: OWNER }, 'q', said(true));
    const { task } = await cluster.until(finished(second.engine, started));
    expect(task).toMatchObject({ status: { state: 'completed' }, attempt: 2 });
    expect(task.artifacts[0]?.data).toEqual({ name: 'Ada', leave: true });
  });

  test('a later run goes on from the checkpoint: its value, its output, its replies', async () => {
    const cluster = TestCluster.on(subject);
    const restored: unknown[] = [];
    const stuck = new Gate();
    const onTask: OnTask = async (_task, ctx) => {
      restored.push(ctx.restored);
      if (ctx.restored === undefined) {
        await ctx.ask('first?');
        await ctx.artifact({ name: 'log', text: 'one ', append: true });
        await ctx.checkpoint(WIDE);
        await ctx.artifact({ name: 'log', text: 'lost ', append: true });
        stuck.open();
        await new Promise(() => undefined);
      }
      await ctx.artifact({ name: 'log', text: 'two', append: true });
      return (await ctx.ask('second?')).text;
    };
    const first = await cluster.node(onTask);
    await start(first.engine, { id: 'c' });
    await untilState(first.engine, 'c', 'input-required');
    await first.engine.message({ owner: OWNER }, 'c', said('A'));
    await stuck.opened;
    first.die();
    const second = await cluster.node(onTask);
    await second.engine.open();
    await cluster.until(untilState(second.engine, 'c', 'input-required'));
    const waiting = await second.engine.get({ owner: OWNER }, 'c');
    expect(waiting?.history.at(-1)?.text).toBe('second?');
    await second.engine.message({ owner: OWNER }, 'c', said('B'));
    const task = await untilState(second.engine, 'c', 'completed');
    expect(restored).toEqual([undefined, WIDE]);
    expect(outputOf(task)).toEqual(['one two', 'B']);
    expect(await (await cluster.look()).count('task-checkpoint')).toBe(0);
  });

  test('an error that asks for it leads to another attempt, each time later, and not for ever', async () => {
    const cluster = TestCluster.on(subject);
    const at: number[] = [];
    const { engine } = await cluster.node(
      async (_task, ctx) => {
        at.push(cluster.time.now);
        await ctx.artifact({ name: 'part', text: `${ctx.attempt}` });
        throw new TaskError('busy', { code: 'BUSY', retryable: true });
      },
      { maxAttempts: 3, retryDelayMs: 4_000 },
    );
    const { task } = await cluster.until(finished(engine, await start(engine)));
    expect(task.attempt).toBe(3);
    expect(task.status).toMatchObject({
      state: 'failed',
      failure: { code: 'BUSY', retryable: true },
    });
    expect(outputOf(task)).toEqual(['3']);
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(4_000);
    expect(at[2]! - at[1]!).toBeGreaterThanOrEqual(8_000);
  });

  test('an author can refuse a task', async () => {
    const { engine } = await TestCluster.on(subject).node(async () => {
      throw new TaskError('not mine', { rejects: true });
    });
    const { task } = await finished(engine, await start(engine));
    expect(task.status).toMatchObject({ state: 'rejected', failure: { message: 'not mine' } });
  });

  test('the request’s own deadline counts, before the start, at work and for a reply', async () => {
    const cluster = TestCluster.on(subject);
    const { engine } = await cluster.node(async ({ id }, ctx) =>
      id === 'asks' ? ctx.ask('?') : new Promise<void>(() => undefined),
    );
    for (const [id, seconds] of [
      ['past', -1],
      ['works', 5],
      ['asks', 5],
    ] as const) {
      const deadline = cluster.time.now + seconds * 1_000;
      const started = await start(engine, { id, deadline });
      const { task } = await cluster.until(finished(engine, started));
      expect(task.status.failure).toEqual({
        code: 'DEADLINE',
        message: 'the deadline of the task has passed',
        retryable: false,
      });
    }
  });

  test('nobody waits for a reply for ever, whether somebody runs the task or not', async () => {
    const cluster = TestCluster.on(subject);
    const options = { maxWaitMs: 60_000, maxRunMs: 1_000 };
    const first = await cluster.node(asker, options);
    await start(first.engine, { id: 'a' });
    await untilState(first.engine, 'a', 'input-required');
    await cluster.until(untilState(first.engine, 'a', 'failed'));
    await start(first.engine, { id: 'b' });
    await untilState(first.engine, 'b', 'input-required');
    first.die();
    const second = await cluster.node(asker, options);
    await second.engine.open();
    const { status } = await cluster.until(untilState(second.engine, 'b', 'failed'));
    expect(status.failure?.message).toBe('nobody answered the task within 60000 ms');
  });

  test('ended tasks go when their time is over, with all that was kept of them; open ones stay', async () => {
    const cluster = TestCluster.on(subject);
    const { engine } = await cluster.node(
      async ({ id }, ctx) => {
        await ctx.checkpoint('x');
        return id === 'open' ? ctx.ask('?') : id;
      },
      { retentionMs: 10_000, maxTasksPerOwner: 1_000 },
    );
    await start(engine, { id: 'open' });
    await untilState(engine, 'open', 'input-required');
    for (let at = 0; at < 250; at += 1) {
      await finished(engine, await start(engine, { id: `t${at}` }));
    }
    cluster.time.now += 10_000;
    expect(await engine.purge()).toBe(250);
    const store = await cluster.look();
    // The row and the checkpoint of the open one.
    expect(await remains(store)).toBe(2);
    expect(await store.tally('tasks')).toMatchObject({ count: 1 });
    const open = await engine.get({ owner: OWNER }, 'open');
    expect(open?.status.state).toBe('input-required');
    expect((await start(engine, { id: 't0' })).isNew).toBe(true);
  });

  test('the most urgent task of an owner goes first, and not before those of others', async () => {
    const order: string[] = [];
    const gate = new Gate();
    const { engine } = await TestCluster.on(subject).node(
      async ({ id }) => {
        order.push(id);
        if (id === 'first') await gate.opened;
      },
      { maxConcurrent: 1 },
    );
    const all = [await start(engine, { owner: 'a', id: 'first' })];
    all.push(await start(engine, { owner: 'a', id: 'low', priority: -3 }));
    all.push(await start(engine, { owner: 'b', id: 'other' }));
    all.push(await start(engine, { owner: 'a', id: 'high', priority: 10 }));
    all.push(await start(engine, { owner: 'a', id: 'usual' }));
    gate.open();
    for (const started of all) await finished(engine, started);
    expect(order).toEqual(['first', 'other', 'high', 'usual', 'low']);
  });
}
