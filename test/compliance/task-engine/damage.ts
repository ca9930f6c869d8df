// What every engine does with a task whose row, log and end disagree: it says so once, leaves it alone and goes on with
// the others.

import { expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store.ts';
import type { TaskChange } from '../../../src/tasks/event.ts';
import { encodeEvent } from '../../../src/tasks/log/record.ts';
import { taskKey } from '../../../src/tasks/log/row.ts';
import { alice } from '../../support/wire/envelopes.ts';
import type { FragileStore } from '../../support/stores/task-stores.ts';
import { Gate, finished, said, start } from '../../support/agents/tasks.ts';
import { untilState } from './runs.ts';
import { TestCluster } from './setup.ts';
import type { TaskStoreUnderTest } from './setup.ts';

const OWNER = alice.agent_id;
/** More than are purged at once. */
const MANY = 120;

function keyOf(id: string): string {
  return taskKey({ owner: OWNER }, id);
}

/** The log goes on, and the row does not know of it. */
async function tear(store: Store, id: string, change: TaskChange): Promise<void> {
  await store.append(`task:${keyOf(id)}`, [encodeEvent(change, 1)]);
}

const QUESTION: TaskChange = { type: 'status', status: { state: 'input-required' } };
const PROGRESS: TaskChange = { type: 'status', status: { state: 'working', fraction: 0.5 } };

function damageOf(id: string): unknown {
  return expect.objectContaining({
    code: 'INTERNAL',
    reason: expect.stringMatching(
      new RegExp(`of task ${keyOf(id)} disagree.*store check`),
    ) as string,
  });
}

/** Nothing that spins ends; this fails it. */
function bound(store: FragileStore): void {
  let calls = 0;
  store.beforeTransact = () => {
    calls += 1;
    if (calls > 1_000) throw new Error('it spins');
  };
}

export function damageRules(subject: TaskStoreUnderTest): void {
  test('a task whose log is another than its row says is told of once, and the others go on', async () => {
    const cluster = TestCluster.on(subject);
    const dead = await cluster.node(() => new Promise(() => undefined));
    for (const id of ['torn', 'lost', 'late', 'whole']) {
      const deadline = cluster.time.now + 60_000;
      await start(dead.engine, { id, ...(id === 'late' && { deadline }) });
    }
    dead.die();
    const store = await cluster.look();
    await tear(store, 'torn', PROGRESS);
    await tear(store, 'late', PROGRESS);
    await store.transact([{ type: 'drop', log: `task:${keyOf('lost')}` }]);
    // Nobody holds them any more, and one of the tasks is late.
    cluster.time.now += 60_000;
    const { engine, errors, store: own } = await cluster.node(async () => 'done');
    bound(own);
    await engine.open();
    await cluster.until(untilState(engine, 'whole', 'completed'));
    await cluster.pass(120_000);
    expect(errors).toHaveLength(3);
    for (const id of ['torn', 'lost', 'late']) expect(errors).toContainEqual(damageOf(id));
  });

  test('who cancels or answers such a task hears that something failed', async () => {
    const cluster = TestCluster.on(subject);
    const {
      engine,
      errors,
      store: own,
    } = await cluster.node(async ({ id }, ctx) =>
      id === 'asks' ? ctx.ask('?') : new Promise(() => undefined),
    );
    const store = await cluster.look();
    for (const id of ['works', 'asks']) await start(engine, { id });
    await untilState(engine, 'asks', 'input-required');
    await tear(store, 'works', QUESTION);
    await tear(store, 'asks', PROGRESS);
    bound(own);
    // The row of the one says that it works and its log that it asks; of the other the log goes on after the question.
    await expect(engine.message({ owner: OWNER }, 'works', said('x'))).rejects.toEqual(
      damageOf('works'),
    );
    await expect(engine.cancel({ owner: OWNER }, 'works')).rejects.toEqual(damageOf('works'));
    await expect(engine.cancel({ owner: OWNER }, 'asks')).rejects.toEqual(damageOf('asks'));
    expect(errors).toHaveLength(2);
    for (const id of ['works', 'asks']) expect(errors).toContainEqual(damageOf(id));
  });

  test('a run finds out that the log of its task is another, and stops', async () => {
    const cluster = TestCluster.on(subject);
    const aborted = new Gate();
    const node = await cluster.node(async (_task, ctx) => {
      ctx.signal.addEventListener('abort', () => aborted.open());
      await tear(await cluster.look(), 'r', PROGRESS);
      await ctx.progress('mine');
    });
    bound(node.store);
    await start(node.engine, { id: 'r' });
    await aborted.opened;
    expect(node.errors).toEqual([damageOf('r')]);
  });

  test('a purge passes over open tasks that are listed as ended, and removes the others', async () => {
    const cluster = TestCluster.on(subject);
    const gate = new Gate();
    const {
      engine,
      errors,
      store: own,
    } = await cluster.node(
      async ({ id }) => (id === 'ended' ? undefined : gate.opened.then(() => undefined)),
      {
        retentionMs: 1_000,
        purgeEveryMs: 1_000_000,
        maxConcurrent: 200,
        maxConcurrentPerOwner: 200,
      },
    );
    const store = await cluster.look();
    const open = Array.from({ length: MANY }, (_, at) => `open-${at}`);
    for (const id of open) {
      await start(engine, { id });
      const { value } = (await store.get('task', keyOf(id)))!;
      await store.put('task', keyOf(id), value, { index: { phase: 'ended' }, rank: 1 });
    }
    await finished(engine, await start(engine, { id: 'ended' }));
    cluster.time.pass(1_000);
    bound(own);
    expect(await engine.purge()).toBe(1);
    expect(await store.count('task')).toBe(MANY);
    expect(errors).toHaveLength(MANY);
    expect(errors[0]).toEqual(damageOf('open-0'));
    gate.open();
    for (const id of open) await untilState(engine, id, 'completed');
  });
}
