// Who works when, and who has room: places at work, what an owner may keep, and what nobody works on any more.

import { expect, test, vi } from 'vitest';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { TaskEngine } from '../../../src/tasks/engine/contract.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import { alice } from '../../support/wire/envelopes.ts';
import { allTasks } from '../../support/stores/task-stores.ts';
import { Gate, finished, said, start } from '../../support/agents/tasks.ts';
import { untilState } from './runs.ts';
import { TestCluster } from './setup.ts';
import type { TaskStoreUnderTest } from './setup.ts';

const OWNER = alice.agent_id;

async function untilAttempt(engine: TaskEngine, id: string, attempt: number): Promise<void> {
  for await (const { task } of engine.follow({ owner: OWNER }, id, undefined)) {
    if (task.attempt === attempt) return;
  }
}

const forEver: OnTask = () => new Promise(() => undefined);

export function placeRules(subject: TaskStoreUnderTest): void {
  test('a reply that comes while a further attempt waits takes no second place', async () => {
    const cluster = TestCluster.on(subject);
    const giveUp = new Gate();
    const { engine } = await cluster.node(
      async ({ id }, ctx) => {
        if (id !== 'q') return 'done';
        const reply = await Promise.race([ctx.ask('?'), giveUp.opened]);
        if (reply === undefined) throw new TaskError('nobody answers', { retryable: true });
        return reply;
      },
      { maxConcurrent: 1 },
    );
    const started = await start(engine, { id: 'q' });
    await untilState(engine, 'q', 'input-required');
    giveUp.open();
    await engine.message({ owner: OWNER }, 'q', said('late'));
    const { task } = await cluster.until(finished(engine, started));
    expect(task).toMatchObject({ attempt: 2, artifacts: [{ text: 'late' }] });
    const other = await start(engine, { id: 'r' });
    expect((await cluster.until(finished(engine, other))).task.status.state).toBe('completed');
  });

  test('who works on beside its question waits for a place at its next report, and keeps it', async () => {
    const cluster = TestCluster.on(subject);
    const [giveUp, release] = [new Gate(), new Gate()];
    const order: string[] = [];
    const { engine } = await cluster.node(
      async ({ id }, ctx) => {
        order.push(id);
        if (id === 'r') await release.opened;
        if (id !== 'q') return;
        const asked = ctx.ask('?');
        await giveUp.opened;
        await ctx.artifact({ text: 'without a reply' });
        order.push('q goes on');
        await asked;
        order.push('q ends');
      },
      { maxConcurrent: 1 },
    );
    await start(engine, { id: 'q' });
    await untilState(engine, 'q', 'input-required');
    await start(engine, { id: 'r' });
    giveUp.open();
    for await (const { event } of engine.follow({ owner: OWNER }, 'q', 0)) {
      if (event?.type === 'artifact') break;
    }
    const s = await start(engine, { id: 's' });
    expect(order).toEqual(['q', 'r']);
    release.open();
    while (!order.includes('q goes on')) await new Promise((resolve) => setImmediate(resolve));
    await engine.message({ owner: OWNER }, 'q', said('yes'));
    await cluster.until(finished(engine, s));
    expect(order).toEqual(['q', 'r', 'q goes on', 'q ends', 's']);
  });

  test('what is left of an attempt that failed reports no more', async () => {
    const cluster = TestCluster.on(subject);
    const [again, left] = [new Gate(), new Gate()];
    const restored: unknown[] = [];
    const { engine } = await cluster.node(async (_task, ctx) => {
      restored.push(ctx.restored);
      const leftover = async (): Promise<void> => {
        await again.opened;
        await ctx.artifact({ name: 'leftover', text: 'x' });
        await ctx.checkpoint('x');
        await expect(ctx.ask('?')).rejects.toThrow('the attempt is over');
        left.open();
      };
      if (ctx.attempt === 1) void leftover();
      if (ctx.attempt === 2) again.open();
      if (ctx.attempt === 2) await left.opened;
      if (ctx.attempt < 3) throw new TaskError('again', { retryable: true });
    });
    const { task } = await cluster.until(finished(engine, await start(engine, { id: 'a' })));
    expect(task).toMatchObject({ status: { state: 'completed' }, attempt: 3, artifacts: [] });
    expect(task.history).toHaveLength(1);
    expect(restored).toEqual([undefined, undefined, undefined]);
  });

  test('a question that an attempt gave up is over, and the next one can ask again', async () => {
    const cluster = TestCluster.on(subject);
    const giveUp = new Gate();
    const given: unknown[] = [];
    const { engine } = await cluster.node(async (_task, ctx) => {
      const asked = ctx.ask('?');
      if (ctx.attempt > 1) return asked;
      asked.catch((cause: unknown) => given.push((cause as Error).message));
      await giveUp.opened;
      throw new TaskError('nobody answers', { retryable: true });
    });
    const started = await start(engine, { id: 'q' });
    await untilState(engine, 'q', 'input-required');
    giveUp.open();
    await cluster.until(untilAttempt(engine, 'q', 2));
    expect(given).toEqual(['the attempt is over']);
    await untilState(engine, 'q', 'input-required');
    await engine.message({ owner: OWNER }, 'q', said('yes'));
    const { task } = await finished(engine, started);
    expect(task).toMatchObject({ attempt: 2, artifacts: [{ text: 'yes' }] });
  });

  test('a question that is stored too late takes no place from the next attempt', async () => {
    const cluster = TestCluster.on(subject);
    const [ask, asking, hold, again, release] = Array.from({ length: 5 }, () => new Gate());
    const { engine, store } = await cluster.node(
      async ({ id }, ctx) => {
        if (id !== 'q') return;
        if (ctx.attempt === 2) {
          again!.open();
          await release!.opened;
          return;
        }
        await ask!.opened;
        void ctx.ask('?');
        throw new TaskError('again', { retryable: true });
      },
      { maxConcurrent: 1 },
    );
    await start(engine, { id: 'q' });
    store.beforeTransact = () => {
      asking!.open();
      return hold!.opened;
    };
    ask!.open();
    await asking!.opened;
    await new Promise((resolve) => setImmediate(resolve));
    cluster.time.pass(1_000);
    hold!.open();
    await again!.opened;
    const other = await start(engine, { id: 'r' });
    expect(other.task.status.state).toBe('submitted');
    release!.open();
    expect((await finished(engine, other)).task.status.state).toBe('completed');
  });

  test('who was answered goes on before others of its owner begin', async () => {
    const cluster = TestCluster.on(subject);
    const release = new Gate();
    const order: string[] = [];
    const { engine } = await cluster.node(
      async ({ id }, ctx) => {
        if (id === 'q') await ctx.ask('?');
        if (id === 'r') await release.opened;
        order.push(id);
      },
      { maxConcurrent: 1 },
    );
    await start(engine, { id: 'q' });
    await untilState(engine, 'q', 'input-required');
    await start(engine, { id: 'r' });
    const last = await start(engine, { id: 's' });
    await engine.message({ owner: OWNER }, 'q', said('yes'));
    release.open();
    await cluster.until(finished(engine, last));
    expect(order).toEqual(['r', 'q', 's']);
  });

  test('starts at the same time do not pass what their owner may keep', async () => {
    const cluster = TestCluster.on(subject);
    const { engine } = await cluster.node(
      async ({ id }) => (id === 'ended' ? undefined : new Promise<void>(() => undefined)),
      { maxTasksPerOwner: 5, maxConcurrentPerOwner: 50 },
    );
    await finished(engine, await start(engine, { id: 'ended' }));
    for (let at = 0; at < 4; at += 1) await start(engine, { id: `open${at}` });
    const starts = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) => start(engine, { id: `new${at}` })),
    );
    const refused = starts.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(19);
    expect(refused[0]).toMatchObject({ reason: { code: 'LIMIT_RATE' } });
    expect(await (await cluster.look()).count('task')).toBe(5);
  });

  test('starts at the same time find room where tasks have ended, each its own', async () => {
    const cluster = TestCluster.on(subject);
    const { engine } = await cluster.node(
      async ({ id }) => (id.startsWith('ended') ? undefined : new Promise<void>(() => undefined)),
      { maxTasksPerOwner: 5 },
    );
    for (let at = 0; at < 5; at += 1) {
      await finished(engine, await start(engine, { id: `ended${at}` }));
    }
    await Promise.all(Array.from({ length: 3 }, (_, at) => start(engine, { id: `new${at}` })));
    const { tasks } = await engine.list({ owner: OWNER });
    const ids = tasks.map(({ id }) => id).sort();
    expect(ids).toEqual(['ended3', 'ended4', 'new0', 'new1', 'new2']);
  });

  test('what another engine has done and removed takes no room of the one that had it in its queue', async () => {
    const cluster = TestCluster.on(subject);
    const options = { retentionMs: 1_000, maxRunMs: 1_000_000_000 };
    // Time passes faster than a store may be: it holds what it has.
    const first = await cluster.node(forEver, {
      ...options,
      leaseMs: 1_000_000_000,
      maxConcurrent: 1,
      maxTasks: 3,
    });
    const second = await cluster.node(async () => undefined, { ...options, purgeEveryMs: 1_000 });
    await second.engine.open();
    const store = await cluster.look();
    await start(first.engine, { id: 'first' });
    for (let at = 0; at < 4; at += 1) {
      await start(first.engine, { id: `t${at}` });
      while ((await store.count('task')) > 1) await cluster.pass(1_000);
      // Until the first has looked again.
      await cluster.pass(15_000);
    }
    expect((await first.engine.list({ owner: OWNER })).tasks.map(({ id }) => id)).toEqual([
      'first',
    ]);
  });

  test('a backlog of one owner does not keep the tasks of another from being taken up', async () => {
    const cluster = TestCluster.on(subject);
    const dead = await cluster.node(forEver);
    for (let at = 0; at < 8; at += 1) await start(dead.engine, { id: `x${at}`, owner: 'x' });
    await start(dead.engine, { id: 'y', owner: 'y' });
    dead.die();
    const begun = new Gate();
    const { engine } = await cluster.node(
      ({ owner }) => {
        if (owner === 'y') begun.open();
        return new Promise(() => undefined);
      },
      { maxConcurrent: 2, maxConcurrentPerOwner: 1, maxRunMs: 1_000_000_000 },
    );
    await engine.open();
    await cluster.until(begun.opened);
  });

  test('an engine takes up no more than it has room for', async () => {
    const cluster = TestCluster.on(subject);
    const dead = await cluster.node(forEver);
    for (let at = 0; at < 8; at += 1) await start(dead.engine, { id: `x${at}` });
    dead.die();
    cluster.time.pass(30_000);
    const { engine } = await cluster.node(
      async (_task, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      { maxConcurrent: 1, onClose: 'cancel' },
    );
    await engine.open();
    await engine.close();
    // One at work and one that waited.
    const held = await allTasks(await cluster.look());
    expect(held.filter(({ task }) => task.status.state === 'canceled')).toHaveLength(2);
  });

  test('what waits in the queue of one engine is not taken by another at once, but later', async () => {
    const cluster = TestCluster.on(subject);
    const first = await cluster.node(forEver, { maxConcurrent: 1 });
    await start(first.engine, { id: 'a' });
    await start(first.engine, { id: 'b' });
    const second = await cluster.node(async () => undefined);
    await second.engine.open();
    await finished(second.engine, await start(second.engine, { id: 'c' }));
    expect((await second.engine.get({ owner: OWNER }, 'b'))?.status.state).toBe('submitted');
    await cluster.until(untilState(second.engine, 'b', 'completed'));
  });

  test('to look for what nobody works on costs no question for each task that somebody works on', async () => {
    const cluster = TestCluster.on(subject);
    const first = await cluster.node(forEver);
    for (let at = 0; at < 12; at += 1) await start(first.engine, { id: `t${at}` });
    const second = await cluster.node(forEver);
    const get = vi.spyOn(second.store, 'get');
    const list = vi.spyOn(second.store, 'list');
    await second.engine.open();
    expect(get).not.toHaveBeenCalled();
    // Of those that are to be worked on, and of those that wait.
    expect(list).toHaveBeenCalledTimes(2);
  });
}
