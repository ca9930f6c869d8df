// What becomes of a delegated task when the agent that gave it on dies, or cannot reach who works on it.

import { describe, expect, onTestFinished, test } from 'vitest';

import { SdlError } from '../../src/errors.ts';
import { defineTool } from '../../src/handlers/tools/tool.ts';
import type { Tool } from '../../src/handlers/tools/tool.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Operation, Store } from '../../src/stores/store.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import type { Listener } from '../../src/transport.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';
import type { Agent } from '../support/agents/agents.ts';
import { Clock, NOW, newAgent } from '../support/agents/agents.ts';
import {
  agentsThatKnowEachOther,
  know,
  patientAgent,
} from '../support/agents/delegating-agents.ts';
import { allTasks, fragile } from '../support/stores/task-stores.ts';

const LEASE_MS = 30_000;
const TASK = { goal: 'x', id: 't', constraints: { time_budget_s: 0 } };

interface Chain {
  readonly alice: Agent;
  readonly bob: Agent;
  readonly carol: Agent;
  readonly clock: Clock;
  readonly errors: unknown[];
  /** Bob's tasks, whatever has become of Bob. */
  readonly held: ReturnType<typeof createMemoryStore>;
  /** Bob's process ends without a word, and another one takes its place. */
  readonly replaceBob: () => Promise<void>;
  readonly stopCarolsListener: () => Promise<void>;
  readonly startCarolsListener: () => Promise<void>;
}

/** Alice asks Bob, who gives it on to Carol and works until he is told to stop. */
async function chain(carolDoes: OnTask, carolHas: readonly Tool[] = []): Promise<Chain> {
  const hub = createMemoryHub();
  const clock = new Clock();
  const { now } = clock;
  const errors: unknown[] = [];
  const held = createMemoryStore({ now });
  const store = fragile(held);
  const carol = await newAgent({ onTask: carolDoes, tools: carolHas });
  const tasks = { recovery: 'fail', leaseMs: LEASE_MS, recoverEveryMs: 20 } as const;
  const onTask: OnTask = (task, ctx) => {
    ctx.delegate(carol.identity.agentId, 'long');
    return patientAgent().onTask(task, ctx);
  };
  const on = { error: (cause: unknown): void => void errors.push(cause) };
  const options = { store, onTask, tasks, now, on, transports: [hub.transport('bob')] };
  const bob = await newAgent(options);
  const alice = await newAgent({ transports: [hub.transport('alice')] });
  know(alice, bob, { endpoints: ['memory:bob'] });
  know(bob, alice);
  know(bob, carol, { endpoints: ['memory:carol'] });
  know(carol, bob);
  await bob.runtime.listen(hub.transport('bob'));
  let listener: Listener | undefined;
  const startCarolsListener = async (): Promise<void> => {
    [listener] = await carol.runtime.listen(hub.transport('carol'));
  };
  await startCarolsListener();
  const runtimes = [alice.runtime, bob.runtime, carol.runtime];
  onTestFinished(async () => {
    for (const runtime of runtimes) await runtime.close({ graceMs: 0 });
  });
  return {
    alice,
    bob,
    carol,
    clock,
    errors,
    held,
    replaceBob: async () => {
      store.cut();
      const { identity, book } = bob;
      const again = createRuntime({ ...options, identity, peers: book, store: held });
      runtimes.push(again);
      await again.listenContext();
    },
    stopCarolsListener: async () => listener!.close(0),
    startCarolsListener,
  };
}

/** Tells when a part of a task was stored. */
function telling(store: Store, onStored: () => void): Store {
  const decoder = new TextDecoder();
  const isPart = (operation: Operation): boolean =>
    operation.type === 'append' &&
    operation.values.some((value) => decoder.decode(value).includes('"type":"delegation"'));
  const transact: Store['transact'] = async (operations) => {
    const done = await store.transact(operations);
    if (operations.some(isPart)) onStored();
    return done;
  };
  return { ...fragile(store), transact };
}

describe('#task-delegation who gave it on', () => {
  test('has written down to whom before that one hears of it', async () => {
    const order: string[] = [];
    const store = telling(createMemoryStore({ now: () => NOW }), () => order.push('stored'));
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        store,
        onTask: async (_task, ctx) => void (await ctx.delegate(id('carol'), 'x').result()),
      },
      carol: { onTask: async () => void order.push('heard of') },
    }));
    const { alice, bob } = agents;
    await alice.runtime.connect(bob.identity.agentId).task('x').result();
    expect(order.slice(0, 2)).toEqual(['stored', 'heard of']);
  });

  test('dies, and the node that ends its task for it cancels what it gave on', async () => {
    const worker = patientAgent();
    const { alice, bob, clock, held, replaceBob } = await chain(worker.onTask);
    await alice.runtime.connect(bob.identity.agentId).task(TASK).result();
    await worker.began;
    await replaceBob();
    clock.nowMs += LEASE_MS;
    expect(await worker.stopped).toBe('the task is canceled');
    const [{ task } = { task: undefined }] = await allTasks(held);
    expect(task?.status).toMatchObject({ state: 'failed', failure: { code: 'INTERRUPTED' } });
  });

  test('cannot reach who works on it, and tells it when that is back', async () => {
    const worker = patientAgent();
    const parts = await chain(worker.onTask);
    const { alice, bob, clock, errors, held } = parts;
    const asked = alice.runtime.connect(bob.identity.agentId);
    await asked.task(TASK).result();
    await worker.began;
    await parts.stopCarolsListener();
    await asked.call('task.cancel', { id: 't' });
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    expect(await held.count('outbox')).toBe(1);
    await parts.startCarolsListener();
    clock.nowMs += LEASE_MS;
    expect(await worker.stopped).toBe('the task is canceled');
    await expect.poll(() => held.count('outbox')).toBe(0);
  });

  test('hears that nobody works on it, and has nothing to say of that', async () => {
    const worker = patientAgent();
    const forgetful = defineTool({
      name: 'task.cancel',
      description: 'Knows of none.',
      args: { type: 'object' },
      run: () => Promise.reject(new SdlError('TASK_UNKNOWN', 'none')),
    });
    const { alice, bob, errors, held } = await chain(worker.onTask, [forgetful]);
    const asked = alice.runtime.connect(bob.identity.agentId);
    await asked.task(TASK).result();
    await worker.began;
    await asked.call('task.cancel', { id: 't' });
    await expect.poll(() => held.count('outbox')).toBe(0);
    expect(errors).toEqual([]);
  });

  test('is refused by who works on it, and does not ask again', async () => {
    const worker = patientAgent();
    const { alice, bob, carol, errors, held } = await chain(worker.onTask);
    const asked = alice.runtime.connect(bob.identity.agentId);
    await asked.task(TASK).result();
    await worker.began;
    know(carol, bob, { tools: [] });
    await asked.call('task.cancel', { id: 't' });
    await expect.poll(() => held.count('outbox')).toBe(0);
    expect(errors.length).toBeGreaterThan(0);
  });
});
