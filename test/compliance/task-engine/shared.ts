// What engines that share a store promise: each task is made once, worked on by one at a time, and never lost.

import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { TaskEvent } from '../../../src/tasks/event.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import { taskKey } from '../../../src/tasks/log/row.ts';
import { TaskTable } from '../../../src/tasks/log/table.ts';
import { textIn } from '../../../src/tasks/part.ts';
import { isTerminal } from '../../../src/tasks/task.ts';
import { alice } from '../../support/wire/envelopes.ts';
import { allTasks, heldCount, remains } from '../../support/stores/task-stores.ts';
import {
  Gate,
  collect,
  eventsOf,
  finished,
  namesOf,
  said,
  start,
} from '../../support/agents/tasks.ts';
import { untilState } from './runs.ts';
import { TestCluster } from './setup.ts';
import type { TaskStoreUnderTest } from './setup.ts';

const OWNER = alice.agent_id;
const MANY = 200;

/** Says in each piece of output which attempt made it. */
const steps: OnTask = async (_task, ctx) => {
  for (let step = 0; step < 4; step += 1) {
    await ctx.progress(`${step}`);
    await ctx.artifact({ name: 'log', text: `${ctx.attempt} `, append: true });
  }
};

/** Whether every piece of output was made by the attempt that was at work. */
function attemptsMatch(events: readonly TaskEvent[]): boolean {
  let attempt = 0;
  return events.every((event) => {
    if (event.type === 'status') attempt = event.attempt ?? attempt;
    return event.type !== 'artifact' || textIn(event.artifact.parts, '') === `${attempt} `;
  });
}

function hasEnded(events: readonly TaskEvent[]): boolean {
  const last = events.at(-1);
  return last?.type === 'status' && isTerminal(last.status.state);
}

export function sharedRules(subject: TaskStoreUnderTest): void {
  test('many starts of one id at once on two engines make one task and one run', async () => {
    const cluster = TestCluster.on(subject);
    let runs = 0;
    const count: OnTask = async () => {
      runs += 1;
    };
    const nodes = [await cluster.node(count), await cluster.node(count)];
    const started = await Promise.all(
      Array.from({ length: 64 }, (_, at) => start(nodes[at % 2]!.engine, { id: 'same' })),
    );
    expect(started.filter(({ isNew }) => isNew)).toHaveLength(1);
    await Promise.all(
      started.map(({ task: { id } }) =>
        cluster.until(collect(nodes[0]!.engine.follow({ owner: OWNER }, id, 0))),
      ),
    );
    expect(runs).toBe(1);
    const other = start(nodes[1]!.engine, { id: 'same', text: 'Other' });
    await expect(other).rejects.toMatchObject({ code: 'TASK_CONFLICT' });
  });

  test('a start that meets the removal of its task makes it anew', async () => {
    const cluster = TestCluster.on(subject);
    const before = await cluster.node(async () => undefined);
    await finished(before.engine, await start(before.engine, { id: 'p' }));
    const { engine, store } = await cluster.node(async () => undefined);
    const read = vi.spyOn(store, 'read').mockImplementation(async (...args) => {
      read.mockRestore();
      const table = new TaskTable(store, Date.now, 0);
      const stored = await table.at(taskKey({ owner: OWNER }, 'p'));
      await store.transact(table.removal(stored!));
      return store.read(...args);
    });
    expect((await start(engine, { id: 'p' })).isNew).toBe(true);
  });

  test('when one of two engines dies half way, watchers see every event once and all tasks end', async () => {
    const cluster = TestCluster.on(subject);
    let began = 0;
    const first = await cluster.node(async (task, ctx) => {
      began += 1;
      if (began < MANY / 4) return steps(task, ctx) as Promise<undefined>;
      await ctx.artifact({ name: 'log', text: `${ctx.attempt} `, append: true });
      first.die();
      await ctx.artifact({ name: 'log', text: `${ctx.attempt} `, append: true });
      return undefined;
    });
    const second = await cluster.node(steps);
    const ids = Array.from({ length: MANY }, (_, at) => `t${at}`);
    const seen = new Map<string, TaskEvent[]>();
    const watching: Promise<void>[] = [];
    for (const [at, id] of ids.entries()) {
      const node = at % 2 === 0 ? first : second;
      const started = await start(node.engine, { id }).catch((error: unknown) => {
        // Nothing was promised.
        if (node === first) return undefined;
        throw error;
      });
      if (started === undefined) continue;
      const events: TaskEvent[] = [];
      seen.set(id, events);
      const watch = async (): Promise<void> => {
        for await (const { event, task } of second.engine.follow({ owner: OWNER }, id, 0)) {
          events.push(event ?? ({ generation: task.generation } as TaskEvent));
        }
      };
      watching.push(watch());
    }
    await cluster.until(Promise.all(watching));
    const held = await allTasks(await cluster.look());
    expect(held.length).toBeGreaterThanOrEqual(seen.size);
    for (const { task, events } of held) {
      if (!seen.has(task.id)) continue;
      // The first step is the task before all of it; an attempt that drops output is told as the whole task.
      const [, ...told] = seen.get(task.id)!;
      expect(told.map(({ generation }) => generation)).toEqual(
        events.map(({ generation }) => generation),
      );
      for (const event of told) {
        if (event.type !== undefined) expect(event).toEqual(events[event.generation - 1]);
      }
      expect(hasEnded(events)).toBe(true);
      expect(attemptsMatch(events)).toBe(true);
    }
    expect(seen.size).toBeGreaterThan(MANY / 2);
    expect(held.some(({ task }) => task.attempt === 2)).toBe(true);
    expect(await heldCount(await cluster.look(), cluster.time.now)).toBe(0);
  });

  test('an engine that stalls loses its lease, and what it writes afterwards does not count', async () => {
    const cluster = TestCluster.on(subject);
    const stalled = new Gate();
    const goOn = new Gate();
    const aborted = new Gate();
    let reason: unknown;
    const first = await cluster.node(async (_task, ctx) => {
      ctx.signal.addEventListener('abort', () => {
        reason = ctx.signal.reason;
        aborted.open();
      });
      await ctx.artifact({ name: 'log', text: '1 ', append: true });
      first.store.beforeTransact = () => goOn.opened;
      stalled.open();
      await ctx.artifact({ name: 'log', text: '1 ', append: true });
    });
    const second = await cluster.node(steps);
    await start(first.engine, { id: 's' });
    await stalled.opened;
    await second.engine.open();
    await cluster.until(untilState(second.engine, 's', 'completed'));
    goOn.open();
    await aborted.opened;
    await first.engine.close();
    const [held] = await allTasks(await cluster.look());
    expect(held?.task).toMatchObject({ status: { state: 'completed' }, attempt: 2 });
    expect(attemptsMatch(held!.events)).toBe(true);
    expect(reason).toMatchObject({ message: expect.stringMatching(/lost the task|completed/) });
  });

  test('a run that slept past its lease goes on if nobody has taken its task', async () => {
    const cluster = TestCluster.on(subject);
    const { engine, errors } = await cluster.node(async (_task, ctx) => {
      for (let step = 0; step < 3; step += 1) {
        // As when the machine was suspended: no timer came in between.
        cluster.time.now += 600_000;
        await ctx.artifact({ name: 'log', text: `${step}`, append: true });
      }
    });
    const { task } = await finished(engine, await start(engine, { id: 'z' }));
    expect(task).toMatchObject({
      status: { state: 'completed' },
      attempt: 1,
      artifacts: [{ text: '012' }],
    });
    expect(errors).toEqual([]);
    expect(await heldCount(await cluster.look(), cluster.time.now)).toBe(0);
  });

  test.each([
    ['at its very start', 0],
    ['later on', 1_000],
  ])('canceling on one engine aborts the run on another, %s', async (_when, afterMs) => {
    const cluster = TestCluster.on(subject);
    const gate = new Gate();
    const first = await cluster.node(async (_task, ctx) => {
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      gate.open();
    });
    const second = await cluster.node(steps);
    const started = await start(first.engine, { id: 'c' });
    cluster.time.pass(afterMs);
    const canceled = await second.engine.cancel({ owner: OWNER }, 'c');
    expect(canceled?.task.status.state).toBe('canceled');
    expect(canceled?.hasEnded).toBe(false);
    // A short run would not look for what others write.
    if (afterMs === 0) cluster.time.pass(1_000);
    await gate.opened;
    expect(namesOf(await eventsOf(first.engine, started.task))).toEqual([
      'submitted',
      'working',
      'canceled',
    ]);
  });

  test('a reply on one engine goes on with the run on another', async () => {
    const cluster = TestCluster.on(subject);
    const first = await cluster.node(async (_task, ctx) => (await ctx.ask('?')).text);
    const second = await cluster.node(steps);
    const started = await start(first.engine, { id: 'q' });
    await untilState(second.engine, 'q', 'input-required');
    await second.engine.message({ owner: OWNER }, 'q', said('yes'));
    const { task } = await finished(first.engine, started);
    expect(task).toMatchObject({
      status: { state: 'completed' },
      attempt: 1,
      artifacts: [{ text: 'yes' }],
    });
  });

  test('closing gives tasks back: another engine goes on at once, and it is no failure', async () => {
    const cluster = TestCluster.on(subject);
    const working = new Gate();
    const kept: unknown[] = [];
    const onTask: OnTask = async (_task, ctx) => {
      kept.push(ctx.restored);
      if (ctx.attempt > 4) return;
      working.open();
      // It may be told to stop before it has begun.
      if (!ctx.signal.aborted) {
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      }
      await ctx.checkpoint(ctx.attempt);
    };
    let node = await cluster.node(onTask, { stopGraceMs: 5_000 });
    await start(node.engine, { id: 'r' });
    await working.opened;
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      await node.engine.close();
      expect(await heldCount(await cluster.look(), cluster.time.now)).toBe(0);
      node = await cluster.node(onTask, { stopGraceMs: 5_000 });
      await node.engine.open();
      for await (const { task } of node.engine.follow({ owner: OWNER }, 'r', undefined)) {
        if (task.attempt === attempt) break;
      }
    }
    await untilState(node.engine, 'r', 'completed');
    expect(kept).toEqual([undefined, 1, 2, 3, 4]);
  });

  test('a task whose agents crash again and again fails, or at once where that is the policy', async () => {
    for (const [recovery, attempts] of [
      ['restart', 3],
      ['fail', 1],
    ] as const) {
      const cluster = TestCluster.on(subject);
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        const begun = new Gate();
        const node = await cluster.node(
          () => {
            begun.open();
            return new Promise(() => undefined);
          },
          { recovery },
        );
        if (attempt === 1) await start(node.engine, { id: 'x' });
        else await node.engine.open();
        await cluster.until(begun.opened);
        node.die();
      }
      const last = await cluster.node(steps, { recovery });
      await last.engine.open();
      const task = await cluster.until(untilState(last.engine, 'x', 'failed'));
      expect(task).toMatchObject({
        attempt: attempts,
        status: { failure: { code: 'INTERRUPTED', retryable: true } },
      });
    }
  });

  test('a stream that is cut at random points and taken up again yields exactly the log', async () => {
    const cluster = TestCluster.on(subject);
    const node = await cluster.node(async (_task, ctx) => {
      for (let step = 0; step < 100; step += 1) await ctx.progress(`${step}`);
    });
    const other = await cluster.node(steps);
    const lengths = fc.sample(fc.integer({ min: 0, max: 3 }), { numRuns: 50, seed: 7 });
    await start(node.engine, { id: 'w' });
    const seen: TaskEvent[] = [];
    for (const length of [...lengths, Infinity]) {
      let taken = 0;
      for await (const { event } of other.engine.follow({ owner: OWNER }, 'w', seen.length)) {
        if (taken === length) break;
        if (event === undefined) continue;
        seen.push(event);
        taken += 1;
      }
    }
    const [held] = await allTasks(await cluster.look());
    expect(seen).toEqual(held?.events);
    expect(seen).toHaveLength(103);
  });

  test('whichever transaction fails, nothing is half written and the task ends in the end', async () => {
    const onTask: OnTask = async (_task, ctx) => {
      await ctx.progress('a');
      await ctx.checkpoint('b');
      await ctx.artifact({ name: 'c', text: 'd' });
      if ((await ctx.ask('e')).text !== 'f') throw new TaskError('wrong');
    };
    for (let failing = 1; failing <= 9; failing += 1) {
      const cluster = TestCluster.on(subject);
      const node = await cluster.node(onTask);
      let calls = 0;
      node.store.beforeTransact = () => {
        calls += 1;
        if (calls === failing) throw new StoreError('failed', 'the disk is full');
      };
      const first = await start(node.engine, { id: 'f' }).catch(() => undefined);
      if (first === undefined) expect(await remains(await cluster.look())).toBe(0);
      if (first === undefined) await start(node.engine, { id: 'f' });
      await cluster.until(answered());
      const task = await cluster.until(untilState(node.engine, 'f', 'completed'));
      expect(task.artifacts).toMatchObject([{ name: 'c', text: 'd' }]);
      const [held] = await allTasks(await cluster.look());
      expect(held?.task).toEqual(task);
      expect(await remains(await cluster.look())).toBe(1);
      async function answered(): Promise<void> {
        await untilState(node.engine, 'f', 'input-required');
        await node.engine
          .message({ owner: OWNER }, 'f', said('f'))
          .catch(() => node.engine.message({ owner: OWNER }, 'f', said('f')));
      }
    }
  });

  test('owners and tenants see their own tasks and nothing of others', async () => {
    const cluster = TestCluster.on(subject);
    const { engine } = await cluster.node(async (task) => task.tenant);
    for (const scope of [
      { owner: 'a' },
      { owner: 'a', tenant: 'x' },
      { owner: 'b', tenant: 'x' },
    ]) {
      const { task, isNew } = await start(engine, { ...scope, id: 'same' });
      expect(isNew).toBe(true);
      await collect(engine.follow(scope, 'same', 0));
      expect(await engine.get(scope, 'same')).toMatchObject({ ...scope, id: task.id });
      expect((await engine.list(scope)).tasks).toHaveLength(1);
    }
    for (const nobody of [
      { owner: 'b' },
      { owner: 'a', tenant: 'y' },
      { owner: '', tenant: 'a' },
    ]) {
      expect(await engine.get(nobody, 'same')).toBeUndefined();
      expect(await engine.cancel(nobody, 'same')).toBeUndefined();
      await expect(collect(engine.follow(nobody, 'same', 0))).rejects.toThrow('TASK_UNKNOWN');
      expect(await engine.list(nobody)).toEqual({ tasks: [], total: 0 });
    }
  });

  test('tasks are listed by state and context, page by page, the last status first', async () => {
    const { engine } = await TestCluster.on(subject).node(async ({ id }, ctx) =>
      id.startsWith('w') ? (await ctx.ask('?')).text : undefined,
    );
    for (let at = 0; at < 6; at += 1) {
      const id = `${at % 2 === 0 ? 'w' : 'd'}${at}`;
      await start(engine, { id, contextId: at < 3 ? 'c1' : 'c2' });
      await untilState(engine, id, at % 2 === 0 ? 'input-required' : 'completed');
    }
    const ids = async (options: Parameters<typeof engine.list>[1]) =>
      (await engine.list({ owner: OWNER }, options)).tasks.map(({ id }) => id);
    expect(await ids({})).toEqual(['d5', 'w4', 'd3', 'w2', 'd1', 'w0']);
    expect(await ids({ state: 'completed' })).toEqual(['d5', 'd3', 'd1']);
    expect(await ids({ contextId: 'c1' })).toEqual(['w2', 'd1', 'w0']);
    expect(await ids({ contextId: 'c2', state: 'input-required' })).toEqual(['w4']);
    const page = await engine.list({ owner: OWNER }, { pageSize: 4 });
    expect(page.tasks).toHaveLength(4);
    expect(page.total).toBe(6);
    expect(await ids({ pageSize: 4, cursor: page.next! })).toEqual(['d1', 'w0']);
  });
}
