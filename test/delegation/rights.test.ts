// A task whose owner has lost its rights gives nothing on any more, and what it gave on is still canceled.

import { describe, expect, test } from 'vitest';

import type { RemoteAgent } from '../../src/client/remote-agent.ts';
import type { Delegator, DelegatorOptions } from '../../src/delegation/delegator.ts';
import { createDelegator } from '../../src/delegation/delegator.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { createIdentity } from '../../src/security/identity/identity.ts';
import type { RunControls } from '../../src/tasks/context.ts';
import type { TaskChange } from '../../src/tasks/event.ts';
import { placeEvent } from '../../src/tasks/event.ts';
import { createMessage } from '../../src/tasks/message.ts';
import type { Task } from '../../src/tasks/task.ts';
import { unstartedTask } from '../../src/tasks/task.ts';
import { agentsThatKnowEachOther, patientAgent } from '../support/agents/delegating-agents.ts';
import { Gate } from '../support/agents/time.ts';

const crypto = chooseProvider('auto');

const task: Task = unstartedTask({
  tenant: '',
  owner: 'alice',
  id: 't',
  message: createMessage({ id: 'm', role: 'user', parts: [{ text: 'x' }] }),
  metadata: {},
  source: { face: 'other', value: null },
  authority: { scheme: 'bearer' },
  createdAt: 1,
});

interface Scene {
  readonly delegator: Delegator;
  readonly options: DelegatorOptions;
  readonly run: RunControls;
  readonly sent: string[];
  readonly reported: TaskChange[];
  /** Opened when the first exchange is under way. */
  readonly isSent: Promise<void>;
  /** Ends that exchange without an answer. */
  readonly breakOff: () => void;
  isAllowed: boolean;
}

/** A run that may give parts to an agent that takes down what it is sent. */
async function scene(): Promise<Scene> {
  const identity = await createIdentity({ crypto, nowMs: 1_000 });
  const sent: string[] = [];
  const reported: TaskChange[] = [];
  const isSent = new Gate();
  const broken = new Gate();
  const peer = {
    agentId: 'carol',
    // An exchange that brings nothing.
    request: () => ({
      async *[Symbol.asyncIterator]() {
        sent.push('task');
        isSent.open();
        yield* await broken.opened.then(() => []);
      },
    }),
    call: async (tool: string) => {
      sent.push(tool);
      return {};
    },
  } as unknown as RemoteAgent;
  const options: DelegatorOptions = {
    connect: () => peer,
    taskNow: async () => undefined,
    isAllowed: () => own.isAllowed,
    maxHops: 4,
    cancelHanded: async () => undefined,
    onError: () => undefined,
    identity: () => identity,
    crypto,
    now: () => 1_000,
    newId: () => 'new',
    // The next try comes at once.
    setTimer: (callback) => {
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  const run = {
    signal: new AbortController().signal,
    deadline: 9_000,
    newId: () => 'new',
    report: async (change: TaskChange) => {
      reported.push(change);
      return placeEvent(change, reported.length, 1_000);
    },
  } as unknown as RunControls;
  const own: Scene = {
    delegator: createDelegator(options),
    options,
    run,
    sent,
    reported,
    isSent: isSent.opened,
    breakOff: broken.open,
    isAllowed: true,
  };
  return own;
}

const REFUSED = { name: 'TaskError', code: 'NOT_AUTHORIZED' };

describe('#rights-at-use #task-delegation a task whose owner has lost its rights', () => {
  test('gives nothing on', async () => {
    const own = await scene();
    own.isAllowed = false;
    const { delegate } = own.delegator.forTask(task, own.run);
    await expect(delegate('carol', 'x').result()).rejects.toMatchObject(REFUSED);
    expect([own.sent, own.reported]).toEqual([[], []]);
  });

  test('does not join again what it gave on, nor answer its questions', async () => {
    const own = await scene();
    const { delegate } = own.delegator.forTask(task, own.run);
    const child = delegate('carol', 'x');
    await own.isSent;
    own.isAllowed = false;
    await expect(child.reply('yes')).rejects.toMatchObject(REFUSED);
    own.breakOff();
    await expect(child.result()).rejects.toMatchObject(REFUSED);
    expect(own.sent).toEqual(['task']);
  });

  test('still cancels what it gave on', async () => {
    const own = await scene();
    own.isAllowed = false;
    const children = [{ agentId: 'carol', id: 'part', status: 'working' }];
    const ended: Task = { ...task, children, status: { state: 'canceled', at: 2 } };
    const delegator = createDelegator({ ...own.options, taskNow: async () => ended });
    const facts = { tenant: '', owner: 'alice', id: 't' };
    const entry = { kind: 'delegation-end', key: 'k', facts, position: 0, attempt: 1 };
    const { signal } = new AbortController();
    expect(await delegator.ends.deliver(entry, signal)).toBe('done');
    expect(own.sent).toEqual(['task.cancel']);
  });

  test('is ended while it runs, and who does a part of it is told', async () => {
    const worker = patientAgent();
    const began = new Gate();
    const goals: string[] = [];
    let second: unknown;
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          ctx.delegate(id('carol'), 'long');
          await worker.began;
          began.open();
          await worker.stopped;
          second = await ctx
            .delegate(id('carol'), 'more')
            .result()
            .catch((thrown: unknown) => thrown);
        },
      },
      carol: {
        onTask: (given, ctx) => {
          goals.push(given.text);
          return worker.onTask(given, ctx);
        },
      },
    }));
    const { alice, bob } = agents;
    const peer = alice.runtime.connect(bob.identity.agentId);
    await peer.task({ goal: 'x', id: 't', constraints: { time_budget_s: 0 } }).result();
    await began.opened;
    bob.book.entries.delete(alice.identity.agentId);
    expect(await worker.stopped).toBe('the task is canceled');
    await expect.poll(() => second).toBeInstanceOf(Error);
    expect(goals).toEqual(['long']);
  });
});
