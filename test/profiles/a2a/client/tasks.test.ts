// Proves that an agent of official A2A is used through the same interface as one that speaks envelopes, and that what A2A
// cannot say is refused before anything is sent.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { a2a } from '../../../../profiles/a2a/index.ts';
import type { Client, RemoteAgent } from '../../../../src/index.ts';
import { createClient } from '../../../../src/index.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import { openAgent } from '../../../support/a2a/agent.ts';
import {
  answerRpc,
  cardOf,
  scriptedAgent,
  statusJson,
  streamRpc,
  taskJson,
} from '../../../support/a2a/scripted-agent.ts';

let agent: TestAgent;
let client: Client;
let peer: RemoteAgent;

beforeAll(async () => {
  agent = await openAgent();
  client = createClient({ transports: [a2a()] });
  peer = client.connect(agent.origin);
});
afterAll(async () => {
  await client.close();
  await agent.runtime.close({ graceMs: 0 });
});

describe('#a2a-client-tasks giving a task', () => {
  test('goal, inputs and a message become parts; the context is the one that is named', async () => {
    const task = {
      goal: 'same parts',
      inputs: { n: 1 },
      message: { parts: [{ bytes: Uint8Array.of(1, 2), mediaType: 'image/png' }] },
      context: { task: { context_id: 'mine' } },
    };
    const { artifacts, document } = await peer.task(task).result();
    expect(artifacts[0]!.parts).toMatchObject([
      { bytes: Uint8Array.of(1, 2), mediaType: 'image/png' },
      { data: { n: 1 } },
    ]);
    expect(document['task']).toMatchObject({ context_id: 'mine' });
  });

  test('a message whose text is the goal is not said twice', async () => {
    const said = { goal: 'hello', message: { parts: [{ text: 'hello' }] } };
    const { artifacts } = await peer.task(said).result();
    expect(artifacts[0]!.text).toBe('done hello');
  });

  test('the answer is waited for as long as the budget allows, and the task goes on', async () => {
    const { status, id, hasEnded } = await peer
      .task({ goal: 'hold', constraints: { time_budget_s: 0.2 } })
      .result();
    expect([status, hasEnded]).toEqual(['working', false]);
    const detached = await peer.task({ goal: 'hold', constraints: { time_budget_s: 0 } }).result();
    expect(detached.hasEnded).toBe(false);
    for (const one of [id!, detached.id!]) {
      expect((await peer.tasks.cancel(one)).status).toBe('canceled');
    }
    await expect(peer.task('hold', { timeoutMs: 100 }).result()).rejects.toMatchObject({
      fault: 'timeout',
    });
  });

  test('an agent that answers at once has given its answer', async () => {
    const { origin } = await scriptedAgent({
      handle: (request, response) => {
        const stream = streamRpc(response, request);
        stream.send({ message: { role: 'ROLE_AGENT', contextId: 'c', parts: [{ text: 'hi' }] } });
        stream.end();
      },
    });
    const own = createClient({ transports: [a2a()] });
    const updates: unknown[] = [];
    for await (const { isAnswer, answer, id, status } of own.connect(origin).task('hello')) {
      updates.push([isAnswer, answer?.text, id, status]);
    }
    expect(updates).toEqual([
      [false, 'hi', undefined, 'completed'],
      [true, 'hi', undefined, 'completed'],
    ]);
    await own.close();
  });

  test('what was asked can be asked again', async () => {
    const first = await peer.task({ goal: 'hello', inputs: { n: 1 } }).result();
    const { document } = await peer.tasks.get(first.id!, { request: true });
    expect(document['request']).toMatchObject({ kind: 'task.v1', goal: 'hello' });
    const again = await peer.task(document['request'] as never).result();
    expect([again.status, again.id === first.id]).toEqual(['completed', false]);
  });

  test('a further message reaches a task that works, and history is told on request', async () => {
    const { id } = await peer.task({ goal: 'next', constraints: { time_budget_s: 0 } }).result();
    await peer.tasks.send(id!, 'more');
    let last;
    for await (const update of peer.tasks.watch(id!)) last = update;
    expect(last?.artifacts[0]?.text).toBe('then more');
    const { history } = await peer.tasks.get(id!, { historyLength: 1 });
    expect(history?.map(({ text }) => text)).toEqual(['more']);
  });
});

describe('#a2a-client-tasks skills as tools', () => {
  test('are listed, called with a data part, and give back data or text', async () => {
    const { origin, requests } = await scriptedAgent({
      card: (at) => cardOf(at, { capabilities: {} }),
      handle: (request, response) => {
        const artifacts = [{ artifactId: 'a', parts: [{ text: 'x' }, { data: { sum: 3 } }] }];
        const state = requests.length > 1 ? 'FAILED' : 'COMPLETED';
        answerRpc(response, request, { task: taskJson('t', state, { artifacts }) });
      },
    });
    const scripted = createClient({ transports: [a2a()] });
    const one = scripted.connect(origin);
    expect(await one.call('tool.list')).toEqual({
      tools: [{ name: 'echo', title: 'Echo', description: 'says it again' }],
    });
    expect(await one.call('echo', { values: [1, 2] })).toEqual({ sum: 3 });
    expect(requests[0]!.body).toMatchObject({
      params: { message: { parts: [{ data: { values: [1, 2] } }], metadata: { skill: 'echo' } } },
    });
    await expect(one.call('echo')).rejects.toMatchObject({ code: 'TOOL_FAILED' });
    await expect(one.call('other')).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
    expect(requests).toHaveLength(2);
    await scripted.close();
  });
});

describe('#a2a-client-tasks what A2A cannot say', () => {
  const goal = 'x';

  test.each<[string, (to: RemoteAgent) => Promise<unknown>, string]>([
    ['an id', (to) => to.task({ goal, id: 'mine' }).result(), '"id"'],
    [
      'a kind',
      (to) => to.task({ goal, context: { task: { kind: 'report' } } }).result(),
      '"context.task.kind"',
    ],
    [
      'a priority',
      (to) => to.task({ goal, constraints: { priority: 5 } }).result(),
      '"constraints.priority"',
    ],
    [
      'deliverables',
      (to) => to.task({ goal, deliverables: [{ name: 'report' }] }).result(),
      '"deliverables"',
    ],
    ['acceptance', (to) => to.task({ goal, acceptance: ['it compiles'] }).result(), '"acceptance"'],
    ['a grant', (to) => to.task(goal, { authz: { grant: {} } }).result(), '"authz"'],
    ['a session', (to) => to.task(goal, { session: {} }).result(), '"session"'],
    ['an owner', (to) => to.tasks.list({ owner: '*' }), '"owner"'],
    ['a generation', (to) => to.tasks.send('t', 'x', { generation: 3 }), '"generation"'],
    [
      'another content type',
      async (to) => to.request({ ct: 'negotiation.v1', payload: {} }).result(),
      '"negotiation.v1"',
    ],
    ['an event', (to) => to.notify({ ct: 'state.v1', payload: {} }), '"state.v1"'],
    ['a negotiation', (to) => to.negotiate(), '"negotiation.v1"'],
  ])('%s', async (_what, ask, words) => {
    const { origin, requests, cards } = await scriptedAgent();
    const own = createClient({ transports: [a2a()] });
    const refused = await ask(own.connect(origin)).then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );
    expect(refused).toMatchObject({ code: 'CT_UNSUPPORTED' });
    expect(refused!.message).toContain(`the agent speaks A2A, which cannot say ${words}`);
    expect([requests, cards]).toEqual([[], []]);
    await own.close();
  });

  test('what is only the usual value says nothing', async () => {
    const task = {
      kind: 'task.v1',
      goal: 'hello',
      inputs: {},
      deliverables: [],
      acceptance: [],
      constraints: { compute_budget: 'low', safety: {}, time_budget_s: 60 },
      context: {},
    };
    expect((await peer.task(task as never).result()).status).toBe('completed');
    await expect(peer.task({ goal: '' }).result()).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
    });
  });
});

describe('#a2a-client-tasks watching', () => {
  test('every update once, and last all of the task', async () => {
    const { origin } = await scriptedAgent({
      handle: (request, response) => {
        const stream = streamRpc(response, request);
        stream.send({ task: taskJson('t', 'WORKING') });
        stream.send(statusJson('t', 'WORKING', 'half'));
        stream.send(statusJson('t', 'COMPLETED', 'bye'));
        stream.end();
      },
    });
    const own = createClient({ transports: [a2a()] });
    const seen: unknown[] = [];
    for await (const update of own.connect(origin).tasks.watch('t')) {
      seen.push([update.status, update.progress?.message, update.answer?.text, update.isAnswer]);
    }
    expect(seen).toEqual([
      ['working', undefined, undefined, false],
      ['working', 'half', undefined, false],
      ['completed', undefined, 'bye', false],
      ['completed', undefined, 'bye', true],
    ]);
    await own.close();
  });
});
