// What every engine does for the parts of a task that other agents work on: when it ends, however it does, they are told.

import { expect, test } from 'vitest';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { TaskEngineOptions } from '../../../src/tasks/engine/options.ts';
import { alice } from '../../support/wire/envelopes.ts';
import { Gate, start } from '../../support/agents/tasks.ts';
import { untilState } from './runs.ts';
import { TestCluster } from './setup.ts';
import type { TaskStoreUnderTest } from './setup.ts';

const OWNER = alice.agent_id;

/** Gives every part on without telling anybody. */
const delegationFor: NonNullable<TaskEngineOptions['delegationFor']> = (_task, run) => ({
  grants: [],
  delegate: (agentId) => {
    void run.report({ type: 'delegation', child: { agentId, id: 'part', status: 'working' } });
    return undefined as never;
  },
});

interface Teller extends Pick<Required<TaskEngineOptions>, 'endParts'> {
  readonly told: string[];
  /** From the end of the task to each time that it was told of. */
  readonly delays: number[];
  /** Resolves when it has told of one. */
  readonly done: Promise<void>;
}

/** Tells of each task that it was called with; false as often as it is told to fail. */
function teller({ time }: TestCluster, failures = 0): Teller {
  const told: string[] = [];
  const delays: number[] = [];
  const done = new Gate();
  return {
    told,
    delays,
    done: done.opened,
    endParts: async ({ id, state, children, updatedAt }) => {
      told.push(`${id} ${state} ${children.map(({ agentId }) => agentId).join()}`);
      delays.push(time.now - updatedAt);
      if (told.length > failures) done.open();
      return told.length > failures;
    },
  };
}

const giveOn: OnTask = async (_task, ctx) => void ctx.delegate('carol', 'x');

export function partRules(subject: TaskStoreUnderTest): void {
  test('whoever works on a task to its end tells of it once, and of one without parts never', async () => {
    const cluster = TestCluster.on(subject);
    const { told, done, endParts } = teller(cluster);
    const onTask: OnTask = async (task, ctx) => {
      if (task.id === 'parts') ctx.delegate('carol', 'x');
    };
    const { engine } = await cluster.node(onTask, { delegationFor, endParts });
    for (const id of ['alone', 'parts']) {
      await start(engine, { id });
      await cluster.until(untilState(engine, id, 'completed'));
    }
    await cluster.until(done);
    expect(told).toEqual(['parts completed carol']);
    const store = await cluster.look();
    await expect.poll(() => store.count('task-parts')).toBe(0);
  });

  const ends: readonly (readonly [string, string, Partial<TaskEngineOptions>])[] = [
    ['canceled', 'canceled', {}],
    ['late', 'failed', {}],
    ['interrupted', 'failed', { recovery: 'fail' }],
  ];
  test.each(ends)(
    'another engine that ends it as %s after a crash tells of it',
    async (how, state, options) => {
      const cluster = TestCluster.on(subject);
      const begun = new Gate();
      const doomed = await cluster.node(
        async (_task, ctx) => {
          ctx.delegate('carol', 'x');
          await ctx.progress('given on');
          begun.open();
          await new Promise(() => undefined);
        },
        { delegationFor, ...options },
      );
      const deadline = new Date(cluster.time.now + 3_600_000).toISOString();
      const context = { task: { id: 't', ...(how === 'late' && { deadline }) } };
      await start(doomed.engine, { members: { context } });
      await cluster.until(begun.opened);
      doomed.die();
      const { told, done, endParts } = teller(cluster);
      const other = await cluster.node(giveOn, { ...options, endParts });
      if (how === 'late') cluster.time.pass(3_600_000);
      if (how === 'canceled') await other.engine.cancel(OWNER, 't');
      else await other.engine.open();
      await cluster.until(done);
      expect(told).toEqual([`t ${state} carol`]);
    },
  );

  test('a task that is late when its turn comes takes its parts with it', async () => {
    const cluster = TestCluster.on(subject);
    const { told, done, endParts } = teller(cluster);
    const begun = new Gate();
    const mayEnd = new Gate();
    const options = { delegationFor, endParts, maxConcurrent: 1 };
    const onTask: OnTask = async (task, ctx) => {
      if (task.id === 'before') {
        begun.open();
        await mayEnd.opened;
        return;
      }
      ctx.delegate('carol', 'x');
      await ctx.ask('?');
    };
    const { engine } = await cluster.node(onTask, options);
    const deadline = new Date(cluster.time.now + 3_600_000).toISOString();
    await start(engine, { members: { context: { task: { id: 't', deadline } } } });
    await cluster.until(untilState(engine, 't', 'input-required'));
    await engine.close();
    const next = await cluster.node(onTask, options);
    await start(next.engine, { id: 'before' });
    await cluster.until(begun.opened);
    await next.engine.reply(OWNER, 't', 'yes');
    cluster.time.pass(3_600_000);
    mayEnd.open();
    await cluster.until(done);
    expect(told).toEqual(['t failed carol']);
  });

  test('who could not be told is told again, later each time, until it was', async () => {
    const cluster = TestCluster.on(subject);
    const { told, delays, done, endParts } = teller(cluster, 3);
    const { engine } = await cluster.node(giveOn, { delegationFor, endParts });
    await start(engine, { id: 't' });
    await cluster.until(done);
    const pauses = delays.slice(1).map((delay, at) => delay - delays[at]!);
    expect(pauses.every((pause, at) => pause >= 10_000 * 2 ** at)).toBe(true);
    expect(told).toHaveLength(4);
    const store = await cluster.look();
    await expect.poll(() => store.count('task-parts')).toBe(0);
  });

  test('what an engine did not get to before it died another one does, and only then', async () => {
    const cluster = TestCluster.on(subject);
    const isTelling = new Gate();
    const doomed = await cluster.node(giveOn, {
      delegationFor,
      endParts: () => {
        isTelling.open();
        return new Promise(() => undefined);
      },
    });
    const { told, delays, done, endParts } = teller(cluster);
    const other = await cluster.node(giveOn, { endParts });
    await other.engine.open();
    await start(doomed.engine, { id: 't' });
    await cluster.until(isTelling.opened);
    doomed.die();
    await cluster.until(done);
    expect(told).toEqual(['t completed carol']);
    expect(delays[0]).toBeGreaterThanOrEqual(30_000);
  });
}
