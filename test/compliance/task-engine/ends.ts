// How a task ends: once, at the latest when its request says, and from where its last checkpoint stood.

import { expect, test } from 'vitest';
import type { OnTask } from '../../../src/tasks/context.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import type { StatusChange } from '../../../src/tasks/event.ts';
import { rowAfter, taskKey } from '../../../src/tasks/log/row.ts';
import { TaskTable, draftOf } from '../../../src/tasks/log/table.ts';
import type { TaskState } from '../../../src/tasks/task.ts';
import { alice } from '../../support/wire/envelopes.ts';
import { Gate, finished, namesOf, said, start } from '../../support/agents/tasks.ts';
import { untilState } from './runs.ts';
import { TestCluster } from './setup.ts';
import type { TaskStoreUnderTest } from './setup.ts';

const OWNER = alice.agent_id;

function endOf(state: TaskState, code?: string): StatusChange['status'] {
  if (code === undefined) return { state };
  return { state, failure: { code, message: code, retryable: false } };
}

/** How somebody else can end a task, and how its author can. */
const FIRST_ENDS = [
  endOf('completed'),
  endOf('failed', 'A'),
  endOf('failed', 'B'),
  endOf('canceled'),
  endOf('rejected', 'A'),
];
const OWN_ENDS = [endOf('completed'), endOf('failed', 'A'), endOf('rejected', 'A')];

function isSame(one: StatusChange['status'], other: StatusChange['status']): boolean {
  return one.state === other.state && one.failure?.code === other.failure?.code;
}

export function endRules(subject: TaskStoreUnderTest): void {
  test('an author can refuse a task that waits for its owner', async () => {
    const asked = new Gate();
    const { engine, errors } = await TestCluster.on(subject).node(async (_task, ctx) => {
      void ctx.ask('?');
      await asked.opened;
      throw new TaskError('not mine', { rejects: true });
    });
    const started = await start(engine, { id: 'q' });
    await untilState(engine, 'q', 'input-required');
    asked.open();
    const { task } = await finished(engine, started);
    expect(task.status).toMatchObject({ state: 'rejected', failure: { message: 'not mine' } });
    expect(errors).toEqual([]);
  });

  test('a deadline that meets a question or an end counts', async () => {
    const cluster = TestCluster.on(subject);
    for (const id of ['asks', 'ends']) {
      const [report, reporting, late, hold] = [new Gate(), new Gate(), new Gate(), new Gate()];
      const { engine, store, errors } = await cluster.node(
        async (_task, ctx) => {
          await report.opened;
          void ctx.progress('on its way');
          await late.opened;
          if (id === 'asks') await ctx.ask('?');
        },
        { maxRunMs: 1_000 },
      );
      const started = await start(engine, { id });
      store.beforeTransact = () => {
        reporting.open();
        return hold.opened;
      };
      report.open();
      await reporting.opened;
      cluster.time.pass(1_000);
      late.open();
      await new Promise((resolve) => setImmediate(resolve));
      hold.open();
      const { task, events } = await finished(engine, started);
      expect(namesOf(events)).toEqual(['submitted', 'working', 'on its way', 'failed']);
      expect(task.status.failure?.code).toBe('DEADLINE');
      // Who asked gave up; who had done the work is told that it came too late.
      expect(errors).toMatchObject(id === 'asks' ? [] : [{ code: 'TASK_ENDED' }]);
    }
  });

  test('#task-lifecycle the same end again is ignored, and another one is refused and told', async () => {
    const cluster = TestCluster.on(subject);
    let end = OWN_ENDS[0]!;
    let gate = new Gate();
    const { engine, errors } = await cluster.node(
      async ({ id }) => {
        if (id.startsWith('next')) return undefined;
        await gate.opened;
        if (end.state === 'completed') return 'output';
        const { code, message } = end.failure!;
        throw new TaskError(message, { code, rejects: end.state === 'rejected' });
      },
      { maxConcurrent: 1 },
    );
    const table = new TaskTable(await cluster.look(), () => cluster.time.now, 3_600_000);
    for (const [at, first] of FIRST_ENDS.entries()) {
      for (const own of OWN_ENDS) {
        const id = `${at}-${own.state}`;
        end = own;
        gate = new Gate();
        errors.length = 0;
        const started = await start(engine, { id });
        const stored = (await table.at(taskKey({ owner: OWNER }, id)))!;
        const drafts = [draftOf({ type: 'status', status: first }, cluster.time.now)];
        const operations = table.recording(stored, rowAfter(stored.row, drafts)!, drafts);
        expect((await table.store.transact(operations)).ok).toBe(true);
        gate.open();
        // It begins when nothing is left of the other.
        await finished(engine, await start(engine, { id: `next-${id}` }));
        const { task, events } = await finished(engine, started);
        expect(task.status).toMatchObject(first);
        expect(events).toHaveLength(3);
        const reason = `the task is ${first.state} already`;
        expect(errors).toMatchObject(
          isSame(first, own)
            ? []
            : [{ code: 'TASK_ENDED', message: expect.stringContaining(reason) }],
        );
      }
    }
  });

  test('no attempt, question or reply moves the deadline beyond that of the request', async () => {
    const cluster = TestCluster.on(subject);
    const deadlines: number[] = [];
    const { engine } = await cluster.node(async (_task, ctx) => {
      deadlines.push(ctx.deadline);
      await ctx.ask('?');
      deadlines.push(ctx.deadline);
      if (ctx.attempt === 1) throw new TaskError('again', { retryable: true });
    });
    const deadline = cluster.time.now + 600_000;
    const started = await start(engine, { id: 'd', deadline });
    const asked = await untilState(engine, 'd', 'input-required');
    await engine.message({ owner: OWNER }, 'd', said('yes'));
    const { task } = await cluster.until(finished(engine, started));
    expect(task).toMatchObject({ status: { state: 'completed' }, attempt: 2, deadline });
    expect([asked.deadline, ...deadlines]).toEqual([
      deadline,
      deadline,
      deadline,
      deadline,
      deadline,
    ]);
  });

  test.each(['an error', 'a crash'])(
    'after %s the output of the checkpoint is gone on with, also where it had ended since',
    async (what) => {
      const cluster = TestCluster.on(subject);
      const stuck = new Gate();
      const onTask: OnTask = async (_task, ctx) => {
        await ctx.artifact({ name: 'log', text: ctx.attempt === 1 ? 'one ' : 'two', append: true });
        if (ctx.attempt > 1) return;
        await ctx.checkpoint('here');
        await ctx.artifact({ name: 'log', text: '', append: true, last: true });
        await ctx.artifact({ name: 'lost', text: 'x' });
        stuck.open();
        if (what === 'an error') throw new TaskError('again', { retryable: true });
        await new Promise(() => undefined);
      };
      const first = await cluster.node(onTask);
      await start(first.engine, { id: 'c' });
      await stuck.opened;
      if (what === 'a crash') first.die();
      const { engine } = await cluster.node(onTask);
      await engine.open();
      const { artifacts } = await cluster.until(untilState(engine, 'c', 'completed'));
      expect(artifacts.map(({ name, text }) => [name, text])).toEqual([['log', 'one two']]);
    },
  );

  test('a checkpoint is kept with the last of what was reported before it, not earlier', async () => {
    const cluster = TestCluster.on(subject);
    const restored: unknown[] = [];
    const first = await cluster.node(async (_task, ctx) => {
      let writes = 0;
      first.store.beforeTransact = () => {
        writes += 1;
        if (writes > 1) first.die();
      };
      for (let at = 0; at < 600; at += 1)
        void ctx.artifact({ name: 'log', text: 'x', append: true });
      await ctx.checkpoint('all of it');
    });
    await start(first.engine, { id: 'c' });
    const { engine } = await cluster.node(async (_task, ctx) => {
      restored.push(ctx.restored);
    });
    await engine.open();
    const { artifacts } = await cluster.until(untilState(engine, 'c', 'completed'));
    expect(restored).toEqual([undefined]);
    expect(artifacts).toEqual([]);
  });
}
