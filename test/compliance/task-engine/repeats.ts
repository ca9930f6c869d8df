// What a repeated start may ask for beside joining the task: that it begins anew once it has ended (`rerun`), or that it is
// given the time until a later deadline (`extends`).

import { describe, expect, test } from 'vitest';

import type { OnTask } from '../../../src/tasks/context.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { Gate, collect, finished, said, start } from '../../support/agents/tasks.ts';
import { alice } from '../../support/wire/envelopes.ts';
import { untilState } from './runs.ts';
import type { TaskStoreUnderTest } from './setup.ts';
import { TestCluster } from './setup.ts';

const OWNER = { owner: alice.agent_id };
const quick: OnTask = async ({ text }) => `done: ${text}`;
const held: OnTask = (_task, ctx) =>
  new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve(undefined)));

function rerunRules(subject: TaskStoreUnderTest): void {
  test('a function is asked about the task as it ended, and not before', async () => {
    const { engine } = await TestCluster.on(subject).node(async (_task, ctx) => {
      await ctx.artifact({ id: 'made', text: 'something' });
      return (await ctx.ask('go on?')).text;
    });
    const asked: Task[] = [];
    const again = (): ReturnType<typeof start> =>
      start(engine, { id: 'r', rerun: (ended) => asked.push(ended) < 0 });
    expect(await again()).toMatchObject({ isNew: true });
    await untilState(engine, 'r', 'input-required');
    expect(await again()).toMatchObject({ isNew: false });
    expect(asked).toEqual([]);
    await engine.message(OWNER, 'r', said('yes'));
    const ended = await untilState(engine, 'r', 'completed');
    expect(await again()).toMatchObject({ isNew: false, task: { status: { state: 'completed' } } });
    expect(asked).toEqual([ended]);
    expect(asked[0]!.artifacts.map(({ id }) => id)).toContain('made');
  });

  test('what it says yes to begins anew, equal or not, and nothing of what was is left', async () => {
    const { engine } = await TestCluster.on(subject).node(quick, { maxTasksPerOwner: 1 });
    const first = await finished(engine, await start(engine, { id: 'r', text: 'one' }));
    expect(first.task.status.state).toBe('completed');
    for (const text of ['one', 'two', 'three']) {
      const again = await start(engine, { id: 'r', text, rerun: () => true });
      expect(again.isNew).toBe(true);
      const { task, events } = await finished(engine, again);
      expect(task.attempt).toBe(1);
      expect(task.history.map((message) => message.text)).toEqual([text]);
      expect(task.artifacts.map((artifact) => artifact.text)).toEqual([`done: ${text}`]);
      expect(events[0]!.generation).toBe(1);
      expect(events.length).toBe(first.events.length);
    }
    expect(await engine.list({ tenant: '', ...OWNER })).toMatchObject({ total: 1 });
  });

  test('what it says no to is joined when it is equal, and else a conflict', async () => {
    const { engine } = await TestCluster.on(subject).node(quick);
    await finished(engine, await start(engine, { id: 'r', text: 'one' }));
    const no = (): boolean => false;
    expect(await start(engine, { id: 'r', text: 'one', rerun: no })).toMatchObject({
      isNew: false,
    });
    const other = start(engine, { id: 'r', text: 'two', rerun: no });
    await expect(other).rejects.toMatchObject({ code: 'TASK_CONFLICT' });
    expect((await engine.get(OWNER, 'r'))?.history[0]!.text).toBe('one');
  });

  test('"retryable" begins only an equal one anew, and only after a failure that may pass', async () => {
    let fails = 2;
    const { engine } = await TestCluster.on(subject).node(
      async () => {
        fails -= 1;
        if (fails >= 0) throw new TaskError('not now', { retryable: true });
        return 'done';
      },
      { maxAttempts: 1 },
    );
    const again = (text = 'one'): ReturnType<typeof start> =>
      start(engine, { id: 'r', text, rerun: 'retryable' });
    const failed = await finished(engine, await again());
    expect(failed.task.status.failure?.retryable).toBe(true);
    await expect(again('two')).rejects.toMatchObject({ code: 'TASK_CONFLICT' });
    expect((await finished(engine, await again())).task.status.state).toBe('failed');
    const done = await again();
    expect([done.isNew, (await finished(engine, done)).task.status.state]).toEqual([
      true,
      'completed',
    ]);
    expect(await again()).toMatchObject({ isNew: false });
  });

  test('of many at once, at two nodes, one begins it anew and the others join that one', async () => {
    const cluster = TestCluster.on(subject);
    const begun: string[] = [];
    const work: OnTask = async ({ text }, ctx) => {
      begun.push(text);
      return text === 'first' ? 'done' : (await ctx.ask('go on?')).text;
    };
    const [one, two] = [await cluster.node(work), await cluster.node(work)];
    await finished(one.engine, await start(one.engine, { id: 'r', text: 'first' }));
    const all = await Promise.all(
      [one, two, one, two, one].map(({ engine }) =>
        start(engine, { id: 'r', text: 'second', rerun: () => true }),
      ),
    );
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(all.every(({ task }) => task.history[0]!.text === 'second')).toBe(true);
    expect(begun).toEqual(['first', 'second']);
  });

  test('who follows what was is told no more of it, and nothing of what begins', async () => {
    const { engine } = await TestCluster.on(subject).node(async ({ text }, ctx) => {
      if (text === 'one') return 'done';
      return (await ctx.ask('go on?')).text;
    });
    await finished(engine, await start(engine, { id: 'r', text: 'one' }));
    const steps = engine.follow(OWNER, 'r', 0)[Symbol.asyncIterator]();
    await steps.next();
    await start(engine, { id: 'r', text: 'two', rerun: () => true });
    const rest = await collect({ [Symbol.asyncIterator]: () => steps });
    expect(rest.every(({ task }) => task.history[0]!.text === 'one')).toBe(true);
  });
}

function extendRules(subject: TaskStoreUnderTest): void {
  test('a running task gets the time until the later deadline, and no more', async () => {
    const cluster = TestCluster.on(subject);
    const { engine } = await cluster.node(held);
    const beginning = cluster.time.now;
    const again = (ms: number, isExtending = true): ReturnType<typeof start> =>
      start(engine, {
        id: 'e',
        deadline: beginning + ms,
        ...(isExtending && { extends: true as const }),
      });
    await again(10_000);
    await untilState(engine, 'e', 'working');
    // Without the word for it, and for an earlier one, the first counts.
    await again(60_000, false);
    await again(5_000);
    await cluster.pass(4_000);
    expect(await again(20_000)).toMatchObject({ isNew: false });
    await cluster.pass(8_000);
    expect((await engine.get(OWNER, 'e'))?.status.state).toBe('working');
    const late = await cluster.until(untilState(engine, 'e', 'failed'));
    expect(late.status.failure?.message).toBe('the deadline of the task has passed');
    expect(cluster.time.now - beginning).toBeLessThanOrEqual(23_000);
    // What has ended stays so.
    expect(await again(60_000)).toMatchObject({
      isNew: false,
      task: { status: { state: 'failed' } },
    });
  });

  test('no longer than an attempt may take', async () => {
    const cluster = TestCluster.on(subject);
    const { engine } = await cluster.node(held, { maxRunMs: 30_000 });
    const beginning = cluster.time.now;
    await start(engine, { id: 'e', deadline: beginning + 10_000 });
    await untilState(engine, 'e', 'working');
    await start(engine, { id: 'e', deadline: beginning + 600_000, extends: true });
    await cluster.until(untilState(engine, 'e', 'failed'));
    const tookMs = cluster.time.now - beginning;
    expect([tookMs >= 30_000, tookMs <= 34_000]).toEqual([true, true]);
  });

  test('a task that waits for its owner has it for the time after the reply', async () => {
    const cluster = TestCluster.on(subject);
    const deadlines: number[] = [];
    const { engine } = await cluster.node(async (_task, ctx) => {
      await ctx.ask('go on?');
      deadlines.push(ctx.deadline);
    });
    const beginning = cluster.time.now;
    await start(engine, { id: 'e', deadline: beginning + 10_000 });
    await untilState(engine, 'e', 'input-required');
    await start(engine, { id: 'e', deadline: beginning + 40_000, extends: true });
    await engine.message(OWNER, 'e', said('yes'));
    await untilState(engine, 'e', 'completed');
    expect(deadlines).toEqual([beginning + 40_000]);
  });

  test('a task that waits for a place has it for its attempt', async () => {
    const cluster = TestCluster.on(subject);
    const isOver = new Gate();
    const deadlines: number[] = [];
    const { engine } = await cluster.node(
      async ({ id }, ctx) => {
        if (id === 'first') await isOver.opened;
        else deadlines.push(ctx.deadline);
        return 'done';
      },
      { maxConcurrent: 1 },
    );
    const beginning = cluster.time.now;
    await start(engine, { id: 'first' });
    await start(engine, { id: 'e', deadline: beginning + 10_000 });
    await start(engine, { id: 'e', deadline: beginning + 40_000, extends: true });
    expect((await engine.get(OWNER, 'e'))?.status.state).toBe('submitted');
    isOver.open();
    await untilState(engine, 'e', 'completed');
    expect(deadlines).toEqual([beginning + 40_000]);
  });

  test('asked for at another node, the one at work hears of it', async () => {
    const cluster = TestCluster.on(subject);
    const [one, two] = [await cluster.node(held), await cluster.node(held)];
    const beginning = cluster.time.now;
    await start(one.engine, { id: 'e', deadline: beginning + 10_000 });
    await untilState(one.engine, 'e', 'working');
    await start(two.engine, { id: 'e', deadline: beginning + 25_000, extends: true });
    await cluster.pass(14_000);
    expect((await two.engine.get(OWNER, 'e'))?.status.state).toBe('working');
    await cluster.until(untilState(one.engine, 'e', 'failed'));
    expect(cluster.time.now - beginning).toBeGreaterThanOrEqual(25_000);
  });

  test('a different one is a conflict, and gives no time', async () => {
    const cluster = TestCluster.on(subject);
    const { engine } = await cluster.node(held);
    const beginning = cluster.time.now;
    await start(engine, { id: 'e', deadline: beginning + 10_000 });
    await untilState(engine, 'e', 'working');
    const other = { id: 'e', text: 'other', deadline: beginning + 60_000, extends: true } as const;
    await expect(start(engine, other)).rejects.toMatchObject({ code: 'TASK_CONFLICT' });
    await cluster.until(untilState(engine, 'e', 'failed'));
    // Not by the clock of now: it may have gone on while the store was slow.
    const { at } = (await engine.get(OWNER, 'e'))!.status;
    expect(at - beginning).toBeLessThanOrEqual(13_000);
  });
}

export function repeatRules(subject: TaskStoreUnderTest): void {
  describe('rerun', () => rerunRules(subject));
  describe('extends', () => extendRules(subject));
}
