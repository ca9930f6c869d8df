// What a node promises that is alone under its name: what an earlier start of it left is taken up at once, and what others
// hold is left alone. No time passes in these tests.

import { expect, test } from 'vitest';

import type { OnTask } from '../../../src/tasks/context.ts';
import type { TaskEngineOptions } from '../../../src/tasks/engine/options.ts';
import { alice } from '../../support/wire/envelopes.ts';
import { said, start } from '../../support/agents/tasks.ts';
import { heldCount } from '../../support/stores/task-stores.ts';
import { untilState } from './runs.ts';
import type { TestNode } from './setup.ts';
import { TestCluster } from './setup.ts';
import type { TaskStoreUnderTest } from './setup.ts';

const OWNER = alice.agent_id;
const ALONE: Partial<TaskEngineOptions> = { node: 'a', isNodeExclusive: true };

const forever: OnTask = () => new Promise(() => undefined);
const quick: OnTask = async () => 'done';

/** A node that has died at work on this task. */
async function died(
  cluster: TestCluster,
  id: string,
  options: Partial<TaskEngineOptions> = ALONE,
): Promise<void> {
  const node = await cluster.node(forever, options);
  await start(node.engine, { id });
  await untilState(node.engine, id, 'working');
  node.die();
}

async function attemptsAfter(node: TestNode, id: string): Promise<number | undefined> {
  await node.engine.open();
  return (await node.engine.get({ owner: OWNER }, id))?.attempt;
}

export function startRules(subject: TaskStoreUnderTest): void {
  test('what was worked on is taken up at once by the next start of the node', async () => {
    const cluster = TestCluster.on(subject);
    await died(cluster, 'w');
    const { engine } = await cluster.node(quick, ALONE);
    await engine.open();
    expect(await untilState(engine, 'w', 'completed')).toMatchObject({ attempt: 2 });
  });

  test('what waited in the queue too, and it has cost no attempt', async () => {
    const cluster = TestCluster.on(subject);
    const node = await cluster.node(forever, { ...ALONE, maxConcurrent: 1 });
    await start(node.engine, { id: 'first' });
    await start(node.engine, { id: 'second' });
    node.die();
    const { engine } = await cluster.node(quick, ALONE);
    await engine.open();
    expect(await untilState(engine, 'second', 'completed')).toMatchObject({ attempt: 1 });
  });

  test('what waited for its owner goes on as soon as the reply comes', async () => {
    const cluster = TestCluster.on(subject);
    const ask: OnTask = async (_task, ctx) => (await ctx.ask('which?')).text;
    const node = await cluster.node(ask, ALONE);
    await start(node.engine, { id: 'q' });
    await untilState(node.engine, 'q', 'input-required');
    node.die();
    const { engine } = await cluster.node(quick, ALONE);
    await engine.open();
    await engine.message({ owner: OWNER }, 'q', said('this'));
    expect(await untilState(engine, 'q', 'completed')).toMatchObject({ attempt: 2 });
  });

  test.each<[string, Partial<TaskEngineOptions>, Partial<TaskEngineOptions>]>([
    ['of another node', { node: 'b', isNodeExclusive: true }, ALONE],
    ['of a node whose name only begins like it', { node: 'a/a', isNodeExclusive: true }, ALONE],
    ['of a node without a name, as earlier versions wrote it', {}, ALONE],
    ['of the same name, where nobody says that it is alone', { node: 'a' }, { node: 'a' }],
  ])('a holder %s is waited for', async (_what, theirs, ours) => {
    const cluster = TestCluster.on(subject);
    await died(cluster, 'w', theirs);
    const next = await cluster.node(quick, ours);
    expect(await attemptsAfter(next, 'w')).toBe(1);
    expect(await heldCount(await cluster.look(), cluster.time.now)).toBe(1);
    const task = await cluster.until(untilState(next.engine, 'w', 'completed'));
    expect(task.attempt).toBe(2);
  });

  test('what it holds itself is none of an earlier start', async () => {
    const cluster = TestCluster.on(subject);
    const { engine } = await cluster.node(forever, ALONE);
    await start(engine, { id: 'w' });
    await engine.open();
    await cluster.pass(60_000);
    expect(await engine.get({ owner: OWNER }, 'w')).toMatchObject({
      status: { state: 'working' },
      attempt: 1,
    });
  });
}
