// What holding a task promises: whoever works on it keeps it, also when the store's answers are lost, and whoever has lost it
// writes no more.

import { expect, test } from 'vitest';
import type { Operation } from '../../../src/stores/store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import { alice } from '../../support/wire/envelopes.ts';
import { allTasks, heldCount, remains } from '../../support/stores/task-stores.ts';
import type { FragileStore } from '../../support/stores/task-stores.ts';
import { Gate, finished, namesOf, said, start } from '../../support/agents/tasks.ts';
import { untilState } from './runs.ts';
import { TestCluster } from './setup.ts';
import type { TaskStoreUnderTest } from './setup.ts';

const OWNER = alice.agent_id;

/** An engine that ends whatever it takes for interrupted. */
const STRICT = { recovery: 'fail' } as const;

function lost(): StoreError {
  return new StoreError('failed', 'the connection was lost');
}

/** Loses the answers to the transactions that are chosen, each time the next one. */
function loseAnswers(
  store: FragileStore,
  isChosen: (operations: readonly Operation[]) => boolean,
  times = 1,
): { readonly count: number } {
  const losses = { count: 0 };
  store.afterTransact = (operations) => {
    if (losses.count === times || !isChosen(operations)) return;
    losses.count += 1;
    throw lost();
  };
  return losses;
}

/** Only rows are written, and nothing is recorded. */
function isRenewal(operations: readonly Operation[]): boolean {
  return operations.every(({ type }) => type === 'put');
}

/** A row and its log. */
function isRecording([first, second]: readonly Operation[]): boolean {
  return first?.type === 'put' && second?.type === 'append';
}

export function holdingRules(subject: TaskStoreUnderTest): void {
  test('a run keeps its task however long it says nothing', async () => {
    const cluster = TestCluster.on(subject);
    const gate = new Gate();
    const node = await cluster.node(async () => {
      await gate.opened;
      return 'done';
    });
    const other = await cluster.node(async () => 'not mine', STRICT);
    await start(node.engine, { id: 'k' });
    await other.engine.open();
    await cluster.pass(120_000);
    gate.open();
    const task = await untilState(node.engine, 'k', 'completed');
    expect(task).toMatchObject({ attempt: 1, artifacts: [{ text: 'done' }] });
    expect([...node.errors, ...other.errors]).toEqual([]);
  });

  test('a task that begins while another engine looks for abandoned ones is left alone', async () => {
    const cluster = TestCluster.on(subject);
    const gate = new Gate();
    const many = { maxConcurrent: 200, maxConcurrentPerOwner: 200 };
    const first = await cluster.node(() => gate.opened.then(() => undefined), many);
    const second = await cluster.node(async () => 'not mine', STRICT);
    // More than it looks at together, so that it sees the last one only later.
    for (let at = 0; at < 101; at += 1) await start(first.engine, { id: `t${at}` });
    const list = second.store.list.bind(second.store);
    let hasBegun = false;
    second.store.list = async (space, options) => {
      const page = await list(space, options);
      if (space === 'task' && !hasBegun) {
        hasBegun = true;
        await start(first.engine, { id: 'last' });
      }
      return page;
    };
    await second.engine.open();
    expect(await first.engine.get({ owner: OWNER }, 'last')).toMatchObject({
      status: { state: 'working' },
      attempt: 1,
    });
    gate.open();
    await untilState(first.engine, 'last', 'completed');
  });

  test('renewals whose answers are lost are no loss', async () => {
    const cluster = TestCluster.on(subject);
    const gate = new Gate();
    const node = await cluster.node(async (_task, ctx) => {
      await gate.opened;
      await ctx.artifact({ name: 'a', text: 'x' });
    });
    const other = await cluster.node(async () => 'not mine', STRICT);
    for (const id of ['one', 'two', 'three']) await start(node.engine, { id });
    await other.engine.open();
    const losses = loseAnswers(node.store, isRenewal, 3);
    await cluster.pass(120_000);
    expect(losses.count).toBe(3);
    // The last renewal before a write is one whose answer is lost, too.
    const last = loseAnswers(node.store, isRenewal);
    while (last.count === 0) await cluster.pass(1_000);
    gate.open();
    for (const id of ['one', 'two', 'three']) {
      expect(await untilState(node.engine, id, 'completed')).toMatchObject({ attempt: 1 });
    }
    expect(other.errors).toEqual([]);
    expect(await heldCount(await cluster.look(), cluster.time.now)).toBe(0);
  });

  test('whichever answer is lost, everything is written once and no attempt is lost', async () => {
    const onTask: OnTask = async (_task, ctx) => {
      await ctx.progress('a');
      await ctx.checkpoint('b');
      await ctx.artifact({ name: 'c', text: 'd' });
      if (ctx.attempt > 1) throw new Error('another attempt');
      return (await ctx.ask('e')).text;
    };
    for (let losing = 1; losing <= 8; losing += 1) {
      const cluster = TestCluster.on(subject);
      const { engine, store } = await cluster.node(onTask, STRICT);
      let calls = 0;
      store.afterTransact = () => {
        calls += 1;
        if (calls === losing) throw lost();
      };
      const started = await start(engine, { id: 'w' });
      expect(started.isNew).toBe(true);
      const { generation } = await untilState(engine, 'w', 'input-required');
      const reply = (): Promise<unknown> =>
        engine.message({ owner: OWNER }, 'w', said('f'), { answers: generation });
      await reply().catch(reply);
      const { task, events } = await finished(engine, started);
      expect(task).toMatchObject({ status: { state: 'completed' }, attempt: 1 });
      expect(namesOf(events).join(' ')).toBe(
        'submitted working a c input-required reply result completed',
      );
      const [held] = await allTasks(await cluster.look());
      expect(held?.events).toEqual(events);
      expect(await remains(await cluster.look())).toBe(1);
    }
  });

  test('what others wrote in place of a write that was not done is not taken for it', async () => {
    const cluster = TestCluster.on(subject);
    const other = await cluster.node(async () => undefined);
    const reported: unknown[] = [];
    const { engine, store } = await cluster.node(async (_task, ctx) => {
      store.beforeTransact = async () => {
        store.beforeTransact = () => undefined;
        await other.engine.cancel({ owner: OWNER }, 'o');
        throw lost();
      };
      reported.push(await ctx.progress('mine'));
    });
    const { events } = await finished(engine, await start(engine, { id: 'o' }));
    expect(namesOf(events)).toEqual(['submitted', 'working', 'canceled']);
    await engine.close();
    expect(reported).toEqual([undefined]);
  });

  test('a task that waited begins once, also when the answer to that is lost', async () => {
    const cluster = TestCluster.on(subject);
    const gate = new Gate();
    const { engine, store } = await cluster.node(
      async ({ id }) => {
        if (id === 'first') await gate.opened;
      },
      { ...STRICT, maxConcurrent: 1 },
    );
    await start(engine, { id: 'first' });
    const second = await start(engine, { id: 'second' });
    const losses = loseAnswers(store, isRecording);
    gate.open();
    const { task, events } = await finished(engine, second);
    expect(losses.count).toBe(1);
    expect(task.attempt).toBe(1);
    expect(namesOf(events)).toEqual(['submitted', 'working', 'completed']);
  });

  test('a store that is away for less than a lease costs no attempt', async () => {
    const cluster = TestCluster.on(subject);
    const gate = new Gate();
    const node = await cluster.node(async (_task, ctx) => {
      await gate.opened;
      return (await ctx.progress('still here')) && 'done';
    });
    const other = await cluster.node(async () => 'not mine', STRICT);
    const started = await start(node.engine, { id: 'a' });
    await other.engine.open();
    node.store.beforeTransact = () => {
      throw lost();
    };
    gate.open();
    await cluster.pass(20_000);
    node.store.beforeTransact = () => undefined;
    const { task } = await cluster.until(finished(node.engine, started));
    expect(task).toMatchObject({
      status: { state: 'completed' },
      attempt: 1,
      artifacts: [{ text: 'done' }],
    });
  });

  test('a run whose store does not come back gives up, and another engine goes on', async () => {
    const cluster = TestCluster.on(subject);
    const aborted = new Gate();
    const node = await cluster.node(async (_task, ctx) => {
      ctx.signal.addEventListener('abort', () => aborted.open());
      node.store.beforeTransact = () => {
        throw lost();
      };
      await ctx.progress('never stored');
    });
    const other = await cluster.node(async () => 'done');
    await start(node.engine, { id: 'a' });
    await other.engine.open();
    const task = await cluster.until(untilState(other.engine, 'a', 'completed'));
    expect(task).toMatchObject({ attempt: 2, artifacts: [{ text: 'done' }] });
    await cluster.until(aborted.opened);
    expect(node.errors).toContainEqual(expect.objectContaining({ fault: 'failed' }));
  });

  test('a run that cannot read its task again lets it go', async () => {
    const cluster = TestCluster.on(subject);
    const node = await cluster.node(async () => {
      node.store.get = () => Promise.reject(new StoreError('corrupt', 'the row cannot be read'));
      throw new TaskError('once more', { retryable: true });
    });
    const other = await cluster.node(async () => 'done');
    await start(node.engine, { id: 'l' });
    await other.engine.open();
    const task = await cluster.until(untilState(other.engine, 'l', 'completed'));
    expect(task).toMatchObject({ attempt: 3, artifacts: [{ text: 'done' }] });
    expect(node.errors).toContainEqual(expect.objectContaining({ fault: 'corrupt' }));
  });

  test('closing does not wait for a store that is gone', async () => {
    const cluster = TestCluster.on(subject);
    const { engine, store } = await cluster.node(async (_task, ctx) => {
      await ctx.progress('a');
      store.beforeTransact = () => {
        throw lost();
      };
      await ctx.progress('never stored');
    });
    await start(engine, { id: 'g' });
    for await (const { task } of engine.follow({ owner: OWNER }, 'g', 0)) {
      if (task.status.message !== undefined) break;
    }
    const before = cluster.time.now;
    await cluster.until(engine.close());
    expect(cluster.time.now - before).toBeLessThan(10_000);
  });

  test('a run that slept past its time holds the task again with its next write, heard or not', async () => {
    for (const isHeard of [true, false]) {
      const cluster = TestCluster.on(subject);
      const store = await cluster.look();
      const held: number[] = [];
      const node = await cluster.node(async (_task, ctx) => {
        // As when the machine was suspended: no timer came in between.
        cluster.time.now += 600_000;
        if (!isHeard) loseAnswers(node.store, isRecording);
        await ctx.artifact({ name: 'a', text: 'x' });
        held.push(await heldCount(store, cluster.time.now));
        await ctx.artifact({ name: 'b', text: 'y' });
      });
      const { task, events } = await finished(node.engine, await start(node.engine, { id: 'z' }));
      expect(task).toMatchObject({ status: { state: 'completed' }, attempt: 1 });
      expect(namesOf(events)).toEqual(['submitted', 'working', 'a', 'b', 'completed']);
      expect(held).toEqual([1]);
      expect(await heldCount(store, cluster.time.now)).toBe(0);
    }
  });

  test('a run whose task somebody else took and gave back writes no more', async () => {
    const cluster = TestCluster.on(subject);
    const goOn = new Gate();
    const aborted = new Gate();
    const first = await cluster.node(async (_task, ctx) => {
      ctx.signal.addEventListener('abort', () => aborted.open());
      first.store.beforeTransact = () => goOn.opened;
      await ctx.artifact({ name: 'log', text: 'of the first', append: true });
    });
    const second = await cluster.node(
      async (_task, ctx) => {
        await ctx.artifact({ name: 'log', text: 'of the second', append: true });
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      },
      { stopGraceMs: 5_000 },
    );
    await start(first.engine, { id: 't' });
    await second.engine.open();
    const stored = async (): Promise<void> => {
      for await (const { event } of second.engine.follow({ owner: OWNER }, 't', 0)) {
        if (event?.type === 'artifact') return;
      }
    };
    await cluster.until(stored());
    await second.engine.close();
    expect(await heldCount(await cluster.look(), cluster.time.now)).toBe(0);
    goOn.open();
    await aborted.opened;
    const [held] = await allTasks(await cluster.look());
    expect(held?.task).toMatchObject({
      status: { state: 'working' },
      attempt: 2,
      artifacts: [{ text: 'of the second' }],
    });
  });

  test('who cancels a task sees the checkpoint that came in between, and ends its run', async () => {
    const cluster = TestCluster.on(subject);
    const keep = new Gate();
    const kept = new Gate();
    const first = await cluster.node(async (_task, ctx) => {
      await keep.opened;
      await ctx.checkpoint('c');
      kept.open();
      await new Promise(() => undefined);
    });
    const second = await cluster.node(async () => undefined);
    await start(first.engine, { id: 'c' });
    second.store.beforeTransact = async () => {
      keep.open();
      await kept.opened;
    };
    const canceled = await second.engine.cancel({ owner: OWNER }, 'c');
    expect(canceled?.task.status.state).toBe('canceled');
    // The row.
    expect(await remains(await cluster.look())).toBe(1);
  });

  test('a purge leaves a task alone that began anew in between', async () => {
    const cluster = TestCluster.on(subject);
    const gate = new Gate();
    let runs = 0;
    const options = { retentionMs: 1_000, purgeEveryMs: 1_000_000 };
    const onTask: OnTask = async () => {
      runs += 1;
      if (runs === 2) await gate.opened;
    };
    const [first, second] = [
      await cluster.node(onTask, options),
      await cluster.node(onTask, options),
    ];
    await finished(first.engine, await start(first.engine, { id: 'p' }));
    cluster.time.pass(1_000);
    second.store.beforeTransact = async () => {
      second.store.beforeTransact = () => undefined;
      await first.engine.purge();
      expect((await start(first.engine, { id: 'p' })).isNew).toBe(true);
    };
    expect(await second.engine.purge()).toBe(0);
    expect(await first.engine.get({ owner: OWNER }, 'p')).toMatchObject({
      status: { state: 'working' },
    });
    gate.open();
    await untilState(first.engine, 'p', 'completed');
    expect(second.errors).toEqual([]);
  });
}
