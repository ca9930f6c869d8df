// Tasks with parts between two agents: what is asked, what is said on the way, and what comes back, whole.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Client } from '../../src/client/client.ts';
import { createClient } from '../../src/client/client.ts';
import type { RemoteAgent } from '../../src/client/remote-agent.ts';
import type { TaskUpdate } from '../../src/client/task-update.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { createIdentity } from '../../src/security/identity/identity.ts';
import type { AuthorTask, OnTask } from '../../src/tasks/context.ts';
import { TaskError } from '../../src/tasks/error.ts';
import type { Part } from '../../src/tasks/part.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';
import { Gate } from '../support/agents/time.ts';

const PARTS: readonly Part[] = [
  { text: 'read ünïcode', mediaType: 'text/markdown', metadata: { lang: 'de' } },
  { data: { n: new LosslessNumber('1.0'), big: new LosslessNumber('123456789012345678901') } },
  { bytes: new Uint8Array([0, 1, 255]), filename: 'a.bin', mediaType: 'image/png' },
  { url: 'https://a.example/x?y', mediaType: 'text/html' },
  { text: '', mediaType: 'text/plain' },
];

let held: Gate;
let given: AuthorTask | undefined;
let agent: Runtime;
let client: Client;
let peer: RemoteAgent;

const AUTHORS: Readonly<Record<string, OnTask>> = {
  echo: async (task, ctx) => {
    await ctx.artifact({
      id: 'e',
      name: 'echo',
      description: 'back',
      parts: task.history[0]!.parts,
    });
  },
  ask: async (_task, ctx) => {
    const reply = await ctx.ask({ parts: PARTS });
    await ctx.artifact({ name: 'reply', parts: reply.parts });
  },
  next: async (_task, ctx) => (await ctx.next()).text,
  answer: async (_task, ctx) => void (await ctx.answer({ parts: PARTS })),
  hold: async (_task, ctx) => {
    await ctx.artifact({ name: 'log', text: 'a' });
    await held.opened;
    await ctx.artifact({ name: 'log', text: 'b', append: true });
  },
  fail: async () => {
    throw new TaskError('not now', { code: 'BUSY', retryable: true });
  },
};

beforeEach(async () => {
  [held, given] = [new Gate(), undefined];
  const [alice, bob] = await Promise.all([createIdentity(), createIdentity()]);
  const hub = createMemoryHub();
  agent = createRuntime({
    identity: bob,
    peers: [alice],
    tasks: { maxAttempts: 1 },
    onTask: (task, ctx) => {
      given = task;
      return AUTHORS[task.kind ?? 'echo']!(task, ctx);
    },
  });
  await agent.listen(hub.transport('bob'));
  client = createClient({ identity: alice, peers: [bob], transports: [hub.transport('alice')] });
  peer = client.connect('memory:bob', { agentId: bob.agentId });
});

afterEach(async () => {
  held.open();
  await client.close();
  await agent.close({ graceMs: 0 });
});

function kind(name: string, id = 't') {
  return { id, goal: name, context: { task: { kind: name } } } as const;
}

async function collect(updates: AsyncIterable<TaskUpdate>): Promise<TaskUpdate[]> {
  const all: TaskUpdate[] = [];
  for await (const update of updates) all.push(update);
  return all;
}

describe('#parts peer.task', () => {
  test('takes a message; every part arrives as it was, and comes back as it was', async () => {
    const message = { parts: PARTS, metadata: { a: 1 }, references: ['task-0'] };
    const { artifacts, goal } = await peer.task({ message }).result();
    expect(given!.history[0]).toMatchObject({ role: 'user', ...message });
    expect(goal).toBe('read ünïcode\n');
    const [echo] = artifacts;
    expect(echo).toMatchObject({ id: 'e', name: 'echo', description: 'back' });
    expect(echo!.parts).toEqual(PARTS);
    expect(echo!.text).toBe('read ünïcode');
    expect(echo!.data).toEqual((PARTS[1] as { data: unknown }).data);
  });

  test('tells events with the parts that each brought', async () => {
    const updates = await collect(peer.task({ message: { parts: PARTS } }));
    const pieces = updates
      .filter(({ isAnswer }) => !isAnswer)
      .flatMap(({ artifacts }) => artifacts);
    expect(pieces.map(({ id, parts }) => [id, parts.length])).toEqual([['e', PARTS.length]]);
  });

  test('a message without text has a goal all the same, and the same input is the same task', async () => {
    const input = { id: 't', message: { parts: [{ data: [1] }] } };
    const first = await peer.task(input).result();
    expect(first).toMatchObject({ goal: '(see the message)', status: 'completed' });
    expect((await peer.task(input).result()).generation).toBe(first.generation);
  });
});

describe('#parts what is said on the way', () => {
  test('a question and its answer keep their parts', async () => {
    const { question } = await peer.task(kind('ask')).result();
    expect(question).toMatchObject({ content: 'read ünïcode\n', generation: 3 });
    expect(question!.message.parts).toEqual(PARTS);
    const { generation } = question!;
    await peer.tasks.reply('t', { parts: PARTS.slice(0, 3) }, { generation: generation! });
    const last = (await collect(peer.tasks.watch('t'))).at(-1)!;
    expect(last.artifacts[0]!.parts).toHaveLength(3);
    const { history } = await peer.tasks.get('t', { historyLength: 2 });
    expect(history!.map(({ role, parts }) => [role, parts.length])).toEqual([
      ['agent', PARTS.length],
      ['user', 3],
    ]);
    expect((await peer.tasks.get('t')).history).toBeUndefined();
  });

  test('a plain value is an answer, too', async () => {
    await peer.task(kind('ask')).result();
    await peer.tasks.reply('t', { colour: 'blue' });
    const last = (await collect(peer.tasks.watch('t'))).at(-1)!;
    expect(last.artifacts[0]!.data).toEqual({ colour: 'blue' });
  });

  test('send says more to a task at work', async () => {
    await peer.task({ ...kind('next'), constraints: { time_budget_s: 0 } }).result();
    await peer.tasks.send('t', 'go on');
    expect((await collect(peer.tasks.watch('t'))).at(-1)!.artifacts[0]!.text).toBe('go on');
    await expect(peer.tasks.send('t', 'too late')).rejects.toMatchObject({ code: 'TASK_ENDED' });
  });

  test('an answer is a message, and a failure says whether it may pass', async () => {
    const { answer, artifacts } = await peer.task(kind('answer')).result();
    expect(answer).toMatchObject({ role: 'agent', text: 'read ünïcode\n' });
    expect(answer!.parts).toEqual(PARTS);
    expect(artifacts).toEqual([]);
    expect((await peer.task(kind('fail', 'f')).result()).failure).toEqual({
      code: 'BUSY',
      message: 'not now',
      retryable: true,
    });
  });
});

describe('#parts peer.tasks', () => {
  test('a list tells how many there are, and begins where it is told to', async () => {
    for (const id of ['a', 'b', 'c']) await peer.task(kind('echo', id)).result();
    const { tasks, total, next } = await peer.tasks.list({ limit: 2 });
    expect([tasks.length, total, next === undefined]).toEqual([2, 3, false]);
    const later = { since: Date.now() + 60_000 };
    expect(await peer.tasks.list(later)).toEqual({ tasks: [], total: 0 });
  });

  test('watch goes on after any generation, with the output after it', async () => {
    await peer.task({ ...kind('hold'), constraints: { time_budget_s: 0 } }).result();
    await expect.poll(async () => (await peer.tasks.get('t')).generation).toBe(3);
    const watching = collect(peer.tasks.watch('t', { after: 3 }));
    held.open();
    const updates = await watching;
    expect(updates.map(({ generation, isWhole }) => [generation, isWhole])).toEqual([
      [4, false],
      [5, false],
      [5, true],
    ]);
    expect(updates[0]!.artifacts).toMatchObject([{ id: 'log', text: 'b', append: true }]);
    expect(updates.at(-1)!.artifacts).toMatchObject([{ id: 'log', text: 'ab', append: false }]);
  });
});
