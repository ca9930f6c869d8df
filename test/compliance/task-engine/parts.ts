// What every engine does for the parts of a task that other agents work on: when it ends, however it does, what tells them
// of it is stored with the end, once.

import { expect, test } from 'vitest';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { TaskEngineOptions } from '../../../src/tasks/engine/options.ts';
import { alice } from '../../support/wire/envelopes.ts';
import { Gate, said, start } from '../../support/agents/tasks.ts';
import { untilState } from './runs.ts';
import { TestCluster } from './setup.ts';
import type { TaskStoreUnderTest } from './setup.ts';

const OWNER = alice.agent_id;

/** Gives every part on without telling anybody. */
const delegationFor: NonNullable<TaskEngineOptions['delegationFor']> = (_task, run) => ({
  grants: [],
  hops: 0,
  delegate: (agentId) => {
    void run.report({ type: 'delegation', child: { agentId, id: 'part', status: 'working' } });
    return undefined as never;
  },
});

interface Teller extends Pick<Required<TaskEngineOptions>, 'tellEnd'> {
  /** How often it was told that something is stored. */
  readonly calls: { stored: number };
}

function teller(): Teller {
  const calls = { stored: 0 };
  return {
    calls,
    tellEnd: {
      operations: ({ owner, id, key }) => [
        {
          type: 'add',
          space: 'told',
          key,
          value: new TextEncoder().encode(`${owner} ${id}`),
        },
      ],
      stored: () => {
        calls.stored += 1;
      },
    },
  };
}

async function toldIn(cluster: TestCluster): Promise<string[]> {
  const { entries } = await (await cluster.look()).list('told');
  return entries.map(({ value }) => new TextDecoder().decode(value));
}

export function partRules(subject: TaskStoreUnderTest): void {
  test('the end of a task with parts is stored with what tells of it, and of one without parts nothing', async () => {
    const cluster = TestCluster.on(subject);
    const { tellEnd, calls } = teller();
    const onTask: OnTask = async (task, ctx) => {
      if (task.id === 'parts') ctx.delegate('carol', 'x');
    };
    const { engine } = await cluster.node(onTask, { delegationFor, tellEnd });
    for (const id of ['alone', 'parts']) {
      await start(engine, { id });
      await cluster.until(untilState(engine, id, 'completed'));
    }
    expect(await toldIn(cluster)).toEqual([`${OWNER} parts`]);
    expect(calls.stored).toBe(1);
  });

  const ends: readonly (readonly [string, Partial<TaskEngineOptions>])[] = [
    ['canceled', {}],
    ['late', {}],
    ['interrupted', { recovery: 'fail' }],
  ];
  test.each(ends)(
    'so it is by another engine that ends it as %s after a crash',
    async (how, options) => {
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
      const deadline = cluster.time.now + 3_600_000;
      await start(doomed.engine, { id: 't', ...(how === 'late' && { deadline }) });
      await cluster.until(begun.opened);
      doomed.die();
      const { tellEnd, calls } = teller();
      const other = await cluster.node(async () => undefined, { ...options, tellEnd });
      if (how === 'late') cluster.time.pass(3_600_000);
      if (how === 'canceled') await other.engine.cancel({ owner: OWNER }, 't');
      else await other.engine.open();
      const end = how === 'canceled' ? 'canceled' : 'failed';
      await cluster.until(untilState(other.engine, 't', end));
      expect(await toldIn(cluster)).toEqual([`${OWNER} t`]);
      expect(calls.stored).toBe(1);
    },
  );

  test('a task that is late when its turn comes takes its parts with it', async () => {
    const cluster = TestCluster.on(subject);
    const { tellEnd } = teller();
    const begun = new Gate();
    const mayEnd = new Gate();
    const options = { delegationFor, tellEnd, maxConcurrent: 1 };
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
    await start(engine, { id: 't', deadline: cluster.time.now + 3_600_000 });
    await cluster.until(untilState(engine, 't', 'input-required'));
    await engine.close();
    const next = await cluster.node(onTask, options);
    await start(next.engine, { id: 'before' });
    await cluster.until(begun.opened);
    await next.engine.message({ owner: OWNER }, 't', said('yes'));
    cluster.time.pass(3_600_000);
    mayEnd.open();
    await cluster.until(untilState(next.engine, 't', 'failed'));
    expect(await toldIn(cluster)).toEqual([`${OWNER} t`]);
  });
}
