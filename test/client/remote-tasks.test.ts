// The tasks that were given to another agent: looked at, followed, canceled and answered by who gave them.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Client } from '../../src/client/client.ts';
import { createClient } from '../../src/client/client.ts';
import type { Received } from '../../src/client/exchange.ts';
import type { RemoteAgent } from '../../src/client/remote-agent.ts';
import { RemoteError } from '../../src/client/remote-error.ts';
import { createRemoteTasks } from '../../src/client/remote-tasks.ts';
import type { TaskUpdate } from '../../src/client/task-update.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import { createIdentity } from '../../src/security/identity/identity.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import type { Dialer, Listener } from '../../src/transport.ts';
import { TransportError } from '../../src/transport.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';
import { Gate } from '../support/agents/tasks.ts';

const NOW = Date.UTC(2026, 0, 2);

/** Says what it does, asks for a colour, and tells it. */
const onTask: OnTask = async ({ text }, ctx) => {
  if (text === 'hold') await held.opened;
  await ctx.progress({ message: 'thinking', fraction: 0.5 });
  const colour = await ctx.ask('which colour?');
  await ctx.artifact({ name: 'paint', text: `painted ${colour.text}` });
};

/** Opened when tasks with the goal "hold" may go on. */
let held: Gate;
let bob: LocalIdentity;
let agent: Runtime;
let client: Client;
let peer: RemoteAgent;
let listener: Listener;
let listen: () => Promise<void>;
let connectAs: (identity: LocalIdentity) => RemoteAgent;

beforeEach(async () => {
  held = new Gate();
  const identities = await Promise.all([1, 2, 3].map(() => createIdentity({ nowMs: NOW - 1_000 })));
  const [alice, admin] = identities as [LocalIdentity, LocalIdentity, LocalIdentity];
  bob = identities[2]!;
  const now = (): number => NOW;
  const hub = createMemoryHub();
  agent = createRuntime({
    identity: bob,
    peers: [alice, admin],
    trust: { taskAdmins: [admin.agentId] },
    store: createMemoryStore({ now }),
    onTask,
    now,
  });
  listen = async () => {
    [listener] = (await agent.listen(hub.transport('bob'))) as [Listener];
  };
  await listen();
  const clients: Client[] = [];
  connectAs = (identity) => {
    const dialer: Dialer = hub.transport('alice');
    client = createClient({ identity, peers: [bob], transports: [dialer], now });
    clients.push(client);
    return client.connect('memory:bob', { agentId: bob.agentId });
  };
  peer = connectAs(alice);
  adminPeer = () => connectAs(admin);
  owner = alice.agentId;
});

let adminPeer: () => RemoteAgent;
let owner: string;

afterEach(async () => {
  held.open();
  await client.close();
  await agent.close({ graceMs: 0 });
});

/** A task that waits for its colour. */
async function asking(id: string): Promise<void> {
  const { status } = await peer.task({ goal: `paint ${id}`, id }).result();
  expect(status).toBe('input-required');
}

async function collect(updates: AsyncIterable<TaskUpdate>): Promise<TaskUpdate[]> {
  const all: TaskUpdate[] = [];
  for await (const update of updates) all.push(update);
  return all;
}

describe('#task-ids peer.tasks', () => {
  test('get tells of a task, its question and what was asked', async () => {
    await asking('t');
    const task = await peer.tasks.get('t', { request: true });
    expect(task).toMatchObject({
      id: 't',
      status: 'input-required',
      hasEnded: false,
      goal: 'paint t',
      question: { content: 'which colour?', generation: task.generation },
      document: { request: { goal: 'paint t' } },
    });
  });

  test('reply answers its question, and no other one; cancel ends it', async () => {
    await asking('t');
    const { question } = await peer.tasks.get('t');
    const { generation } = question!;
    const stale = peer.tasks.reply('t', 'red', { generation: generation! - 1 });
    await expect(stale).rejects.toMatchObject({ code: 'TASK_CONFLICT', wireCode: 'BAD_REQUEST' });
    await peer.tasks.reply('t', 'blue', { generation: generation! });
    const last = (await collect(peer.tasks.watch('t'))).at(-1)!;
    expect(last).toMatchObject({ status: 'completed', hasEnded: true, isAnswer: true });
    expect(last.artifacts).toMatchObject([{ name: 'paint' }]);
    await asking('u');
    expect(await peer.tasks.cancel('u')).toMatchObject({ status: 'canceled', hasEnded: true });
    expect(await peer.tasks.cancel('t')).toMatchObject({ status: 'completed' });
  });

  test('list gives a page, and the next one', async () => {
    for (const id of ['a', 'b', 'c']) await asking(id);
    await peer.tasks.cancel('a');
    const { tasks, next } = await peer.tasks.list({ limit: 2 });
    expect(tasks.map(({ id }) => id)).toEqual(['c', 'b']);
    expect(tasks[0]).toMatchObject({
      owner,
      status: 'input-required',
      goal: 'paint c',
      createdAt: NOW,
      updatedAt: NOW,
    });
    const rest = await peer.tasks.list({ limit: 2, cursor: next! });
    expect(rest).toMatchObject({ tasks: [{ id: 'a', status: 'canceled' }] });
    expect(rest.next).toBeUndefined();
    const canceled = await peer.tasks.list({ state: 'canceled' });
    expect(canceled.tasks.map(({ id }) => id)).toEqual(['a']);
    expect((await peer.tasks.list({ contextId: 'nobody’s' })).tasks).toEqual([]);
  });

  test('an administrator looks after the tasks of others, and nobody else does', async () => {
    await asking('t');
    const other = adminPeer();
    await expect(other.tasks.get('t')).rejects.toMatchObject({ code: 'TASK_UNKNOWN' });
    expect(await other.tasks.get('t', { owner })).toMatchObject({ status: 'input-required' });
    expect((await other.tasks.list({ owner: '*' })).tasks).toHaveLength(1);
    await expect(peer.tasks.get('t', { owner: 'did:key:x' })).rejects.toMatchObject({
      code: 'SECURITY_UNSUPPORTED',
    });
  });
});

describe('#exchange peer.tasks.watch', () => {
  test('tells every event with the task after it, and nothing up to `after`', async () => {
    await asking('t');
    await peer.tasks.reply('t', 'blue');
    const all = await collect(peer.tasks.watch('t'));
    const events = all.filter(({ isAnswer }) => !isAnswer);
    expect(events.map(({ generation }) => generation)).toEqual(events.map((_, at) => at + 1));
    expect(events.map(({ status }) => status)).toContain('input-required');
    expect(all.at(-1)).toMatchObject({ isAnswer: true, status: 'completed' });
    const late = await collect(peer.tasks.watch('t', { after: 3 }));
    expect(late.map(({ generation, isAnswer }) => [generation, isAnswer])).toEqual(
      all.slice(3).map(({ generation, isAnswer }) => [generation, isAnswer]),
    );
  });

  test('goes on behind a question, once that is answered', async () => {
    await asking('t');
    const statuses: string[] = [];
    for await (const { status, question, generation } of peer.tasks.watch('t')) {
      statuses.push(status);
      if (question?.generation === generation) await peer.tasks.reply('t', 'blue');
    }
    expect(statuses.slice(statuses.indexOf('input-required'))).toEqual(
      expect.arrayContaining(['input-required', 'working', 'completed']),
    );
  });

  test('ends with the signal, and leaves the task alone', async () => {
    await asking('t');
    const controller = new AbortController();
    const { signal } = controller;
    const watching = (async () => {
      for await (const { status } of peer.tasks.watch('t', { signal })) {
        if (status === 'input-required') controller.abort();
      }
    })();
    await expect(watching).rejects.toMatchObject({ code: 'TRANSPORT_ABORTED' });
    expect(await peer.tasks.get('t')).toMatchObject({ status: 'input-required' });
  });

  test('an exchange whose time is over is followed by the next one, and is no failure', async () => {
    const document = { status: 'completed', task: { id: 'quiet', generation: 1 } };
    const result = { type: 'res', ct: 'toolresult.v1', payload: { ok: true, result: document } };
    const deadline = { code: 'INTERNAL', message: '', details: { reason: 'DEADLINE' } };
    const answers = [
      () => Promise.reject(new TransportError('timeout', 'there was no answer in time')),
      () =>
        Promise.reject(new RemoteError(deadline, { isProven: true, isSigned: true, knowsSeq: 1 })),
      () => Promise.resolve(result as unknown as Received),
    ];
    const pauses: number[] = [];
    const tasks = createRemoteTasks({
      call: () => Promise.reject(new Error('nobody is away')),
      stream: async function* () {
        yield await answers.shift()!();
      },
      services: async () => ({ now: () => NOW, wait: async (ms) => void pauses.push(ms) }),
      understanding: { knowsParts: async () => false, assertParts: async () => undefined },
    });
    expect(await collect(tasks.watch('quiet'))).toMatchObject([{ isAnswer: true, document }]);
    expect(pauses).toEqual([250, 500]);
  });

  test('tells of a task that there is none of', async () => {
    const watching = collect(peer.tasks.watch('none'));
    await expect(watching).rejects.toMatchObject({ name: 'ToolCallError', code: 'TASK_UNKNOWN' });
  });

  test('waits for an agent that is away, later each time, and says so', async () => {
    await peer.task({ goal: 'hold', id: 't', constraints: { time_budget_s: 0 } }).result();
    const told: string[] = [];
    const pauses: number[] = [];
    const generations: (number | undefined)[] = [];
    const updates = peer.tasks.watch('t', {
      onAway: (cause) => void told.push((cause as TransportError).name),
      onBack: () => void told.push('back'),
      wait: async (ms) => {
        pauses.push(ms);
        if (pauses.length === 4) await listen();
      },
    });
    for await (const { status, generation } of updates) {
      generations.push(generation);
      if (told.length === 0 && status === 'working') await listener.close(0);
      if (status === 'input-required') break;
      if (status === 'working') held.open();
    }
    expect(told).toEqual(['TransportError', 'back']);
    expect(pauses).toEqual([250, 500, 1_000, 2_000]);
    expect(generations).toEqual([1, 2, 3, 4]);
  });

  test('gives up who stays away for too long, and who was never there', async () => {
    await asking('t');
    const pauses: number[] = [];
    const wait = async (ms: number): Promise<void> => void pauses.push(ms);
    const updates = peer.tasks.watch('t', { maxAwayMs: 1_000, wait })[Symbol.asyncIterator]();
    await updates.next();
    await listener.close(0);
    const rest = (async () => {
      while ((await updates.next()).done !== true);
    })();
    await expect(rest).rejects.toBeInstanceOf(TransportError);
    expect(pauses).toEqual([250, 500, 250]);
    pauses.length = 0;
    await expect(collect(peer.tasks.watch('t', { wait }))).rejects.toMatchObject({
      code: 'TRANSPORT_UNREACHABLE',
    });
    expect(pauses).toEqual([]);
  });
});

describe('#exchange peer.task', () => {
  test('whose agent goes away is not waited for without retries, nor for longer than asked', async () => {
    for (const [options, expected] of [
      [{ retries: 0 }, 0],
      [{ maxAwayMs: 600 }, 2],
    ] as const) {
      const pauses: number[] = [];
      const wait = async (ms: number): Promise<void> => void pauses.push(ms);
      const task = peer.task({ goal: 'hold', id: `t${expected}` }, { ...options, wait });
      const updates = task[Symbol.asyncIterator]();
      await updates.next();
      await listener.close(0);
      const rest = (async () => {
        while ((await updates.next()).done !== true);
      })();
      await expect(rest).rejects.toMatchObject({ name: 'TransportError' });
      expect(pauses).toHaveLength(expected);
      await listen();
    }
  });
});
