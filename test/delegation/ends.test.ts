// What becomes of a delegated task when the task that gave it on ends, is tried again, or has to move.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import { TaskError } from '../../src/tasks/error.ts';
import type { Dialer } from '../../src/transport.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';
import { Clock, NOW, newAgent } from '../support/agents/agents.ts';
import type { Agent } from '../support/agents/agents.ts';
import {
  agentsThatKnowEachOther,
  know,
  patientAgent,
} from '../support/agents/delegating-agents.ts';
import { Gate, collect } from '../support/agents/tasks.ts';

function idOf(agent: Agent): string {
  return agent.identity.agentId;
}

function passingTo(next: () => string): OnTask {
  return async (_task, ctx) => {
    const { status } = await ctx.delegate(next(), 'wait').result();
    return status;
  };
}

/** The first message waits on its way. */
function holdingFirst(way: Dialer, isUnderWay: Gate, mayArrive: Gate): Dialer {
  let isFirst = true;
  return {
    schemes: way.schemes,
    dial: async (url, options) => {
      const connection = await way.dial(url, options);
      return {
        get isOpen() {
          return connection.isOpen;
        },
        async *exchange(outbound) {
          const mustWait = isFirst;
          isFirst = false;
          if (mustWait) {
            isUnderWay.open();
            await mayArrive.opened;
          }
          yield* connection.exchange(outbound);
        },
        notify: (outbound) => connection.notify(outbound),
        close: () => connection.close(),
      };
    },
  };
}

describe('#task-ids when the task that gave it on ends', () => {
  test('a cancel at the top stops the work of every agent', async () => {
    const worker = patientAgent();
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: { onTask: passingTo(() => id('carol')) },
      carol: { onTask: passingTo(() => id('dave')) },
      dave: { onTask: worker.onTask },
    }));
    const bob = agents.alice.runtime.connect(idOf(agents.bob));
    const answer = bob.task({ goal: 'wait', id: 't' }).result();
    await worker.began;
    await bob.call('task.cancel', { id: 't' });
    expect(await worker.stopped).toBe('the task is canceled');
    expect((await answer).status).toBe('canceled');
  });

  test('a child that its author forgot is canceled', async () => {
    const worker = patientAgent();
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          ctx.delegate(id('carol'), 'x');
          await worker.began;
        },
      },
      carol: { onTask: worker.onTask },
    }));
    const { status } = await agents.alice.runtime.connect(idOf(agents.bob)).task('x').result();
    expect(status).toBe('completed');
    expect(await worker.stopped).toBe('the task is canceled');
  });

  test('a child that is still on its way is canceled when it arrives', async () => {
    const worker = patientAgent();
    const isUnderWay = new Gate();
    const mayArrive = new Gate();
    const hub = createMemoryHub();
    const carol = await newAgent({
      onTask: worker.onTask,
      // The cancel was too early.
      on: { outcome: ({ ct }) => ct === 'toolcall.v1' && mayArrive.open() },
    });
    await carol.runtime.listen(hub.transport('carol'));
    const bob = await newAgent({
      transports: [holdingFirst(hub.transport('bob'), isUnderWay, mayArrive)],
      onTask: async (_task, ctx) => {
        ctx.delegate(idOf(carol), 'late');
        await isUnderWay.opened;
      },
    });
    await bob.runtime.listen(hub.transport('bob'));
    const alice = await newAgent({ transports: [hub.transport('alice')] });
    know(alice, bob, { endpoints: ['memory:bob'] });
    know(bob, alice);
    know(bob, carol, { endpoints: ['memory:carol'] });
    know(carol, bob);
    expect((await alice.runtime.connect(idOf(bob)).task('x').result()).status).toBe('completed');
    expect(await worker.stopped).toBe('the task is canceled');
    for (const { runtime } of [alice, bob, carol]) await runtime.close({ graceMs: 0 });
  });

  test('an author cancels it, and sees that it is canceled', async () => {
    const worker = patientAgent();
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          const child = ctx.delegate(id('carol'), 'x');
          await worker.began;
          await child.cancel();
          return (await child.result()).status;
        },
      },
      carol: { onTask: worker.onTask },
    }));
    const answer = await agents.alice.runtime.connect(idOf(agents.bob)).task('x').result();
    expect(answer.artifacts[0]!.text).toBe('canceled');
  });

  test('a child that its author cancels at once is never sent', async () => {
    const goals: string[] = [];
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          const child = ctx.delegate(id('carol'), 'unwanted');
          const updates = collect(child);
          await child.cancel();
          await ctx.delegate(id('carol'), 'wanted').result();
          const statuses = (await updates).map(({ status }) => status);
          return [...statuses, (await child.result()).status].join();
        },
      },
      carol: { onTask: async ({ text }) => void goals.push(text) },
    }));
    const answer = await agents.alice.runtime.connect(idOf(agents.bob)).task('x').result();
    expect(answer.artifacts[0]!.text).toBe('canceled,canceled');
    expect(goals).toEqual(['wanted']);
    const told = answer.document['children'] as unknown as JsonObject[];
    expect(told.map(({ status }) => status)).toEqual(['canceled', 'completed']);
  });

  test('an agent that closes and keeps nothing cancels what it gave on', async () => {
    const worker = patientAgent();
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: { onTask: passingTo(() => id('carol')) },
      carol: { onTask: worker.onTask },
    }));
    const { alice, bob } = agents;
    const task = { goal: 'x', constraints: { time_budget_s: 0 } };
    await alice.runtime.connect(idOf(bob)).task(task).result();
    await worker.began;
    await bob.runtime.close({ graceMs: 0 });
    expect(await worker.stopped).toBe('the task is canceled');
  });
});

describe('#task-ids when the task that gave it on is tried again', () => {
  test('what was done is not done twice, and what failed is', async () => {
    const goals: string[] = [];
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          const good = await ctx.delegate(id('carol'), 'good').result();
          const bad = await ctx.delegate(id('carol'), 'bad').result();
          if (ctx.attempt === 1) throw new TaskError('once more', { retryable: true });
          return `${good.status} ${bad.status}`;
        },
      },
      carol: {
        onTask: async ({ text: goal }) => {
          goals.push(goal);
          if (goals.length === 2) throw new TaskError('not yet');
        },
      },
    }));
    const answer = await agents.alice.runtime.connect(idOf(agents.bob)).task('x').result();
    expect(answer.artifacts[0]!.text).toBe('completed completed');
    expect(goals).toEqual(['good', 'bad', 'bad']);
  });

  test('what goes on is joined with the deadline that it was given, not with a new one', async () => {
    const gate = new Gate();
    const began = new Gate();
    const clock = new Clock();
    const deadlines: (number | undefined)[] = [];
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        now: clock.now,
        onTask: async (_task, ctx) => {
          const child = ctx.delegate(id('carol'), 'long');
          await began.opened;
          if (ctx.attempt === 1) {
            clock.nowMs += 5_000;
            throw new TaskError('once more', { retryable: true });
          }
          gate.open();
          return (await child.result()).status;
        },
      },
      carol: {
        onTask: async ({ deadline }) => {
          deadlines.push(deadline);
          began.open();
          await gate.opened;
        },
      },
    }));
    const answer = await agents.alice.runtime.connect(idOf(agents.bob)).task('x').result();
    expect(answer).toMatchObject({ status: 'completed' });
    expect(answer.artifacts[0]!.text).toBe('completed');
    expect(deadlines).toEqual([NOW + 3_600_000]);
  });

  test('what the next attempt does not ask for is canceled with the task', async () => {
    const worker = patientAgent();
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          if (ctx.attempt === 2) return;
          ctx.delegate(id('carol'), 'x');
          await worker.began;
          throw new TaskError('once more', { retryable: true });
        },
      },
      carol: { onTask: worker.onTask },
    }));
    const { status } = await agents.alice.runtime.connect(idOf(agents.bob)).task('x').result();
    expect(status).toBe('completed');
    expect(await worker.stopped).toBe('the task is canceled');
  });

  test('an agent that stops leaves it running, and joins it when it is back', async () => {
    const gate = new Gate();
    const began = new Gate();
    let runs = 0;
    const { alice, bobId, restartBob } = await withBobThatRestarts(
      (carolId) => async (_task, ctx) => {
        const { artifacts } = await ctx.delegate(carolId, 'long').result();
        return artifacts[0]!.text;
      },
      async () => {
        runs += 1;
        began.open();
        await gate.opened;
        return 'kept';
      },
    );
    const asker = alice.runtime.connect(bobId);
    const task = { goal: 'x', id: 't', constraints: { time_budget_s: 0 } };
    await asker.task(task).result();
    await began.opened;
    await restartBob();
    gate.open();
    const status = async (): Promise<string> => (await asker.task(task).result()).status;
    await expect.poll(status, { timeout: 10_000 }).toBe('completed');
    const { artifacts } = await asker.task(task).result();
    expect([artifacts[0]!.text, runs]).toEqual(['kept', 1]);
  });

  test('a task that is canceled while nobody works on it takes its parts with it', async () => {
    const worker = patientAgent();
    const { alice, bobId, restartBob } = await withBobThatRestarts(
      (carolId) => async (_task, ctx) => {
        ctx.delegate(carolId, 'long');
        await worker.began;
        return ctx.ask('go on?');
      },
      worker.onTask,
    );
    const asker = alice.runtime.connect(bobId);
    expect((await asker.task({ goal: 'x', id: 't' }).result()).status).toBe('input-required');
    await restartBob();
    await asker.call('task.cancel', { id: 't' });
    expect(await worker.stopped).toBe('the task is canceled');
  });
});

/** Alice asks Bob, who keeps his tasks when he restarts, and Bob asks Carol. */
async function withBobThatRestarts(
  bobDoes: (carolId: string) => OnTask,
  carolDoes: OnTask,
): Promise<{ alice: Agent; bobId: string; restartBob: () => Promise<void> }> {
  const hub = createMemoryHub();
  const store = createMemoryStore({ now: () => NOW });
  const alice = await newAgent({ transports: [hub.transport('alice')] });
  const carol = await newAgent({ onTask: carolDoes });
  const onTask = bobDoes(idOf(carol));
  const bob = await newAgent({ store, onTask, transports: [hub.transport('bob')] });
  await carol.runtime.listen(hub.transport('carol'));
  await bob.runtime.listen(hub.transport('bob'));
  know(alice, bob, { endpoints: ['memory:bob'] });
  know(bob, alice);
  know(bob, carol, { endpoints: ['memory:carol'] });
  know(carol, bob);
  const runtimes = [alice.runtime, bob.runtime, carol.runtime];
  onTestFinished(async () => {
    for (const runtime of runtimes) await runtime.close({ graceMs: 0 });
  });
  return {
    alice,
    bobId: idOf(bob),
    restartBob: async () => {
      await bob.runtime.close({ graceMs: 0 });
      const { identity, book } = bob;
      const transports = [hub.transport('bob')];
      const again = createRuntime({
        identity,
        peers: book,
        now: () => NOW,
        store,
        onTask,
        transports,
      });
      runtimes.push(again);
      await again.listen(hub.transport('bob'));
    },
  };
}
