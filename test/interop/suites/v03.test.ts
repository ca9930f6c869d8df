// Proves against the running agent what the public suite of A2A 0.3 wants of one: superset card, no version named, tasks
// that go on until they are canceled.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Answer, Ask, Json } from '../../support/a2a/ask.ts';
import { allFrames, ask, at, fetchFrom, textAt } from '../../support/a2a/ask.ts';
import type { ConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import { startConformanceAgent } from '../../support/a2a/conformance-agent.ts';

const START_MS = 120_000;
let agent: ConformanceAgent;
let guarded: ConformanceAgent;

beforeAll(async () => {
  [agent, guarded] = await Promise.all([
    startConformanceAgent('--card', 'superset'),
    startConformanceAgent('--card', 'superset', '--auth', 'bearer'),
  ]);
}, START_MS);
afterAll(() => Promise.all([agent.stop(), guarded.stop()]));

const rpc = (body: Ask['body']): Promise<Answer> =>
  ask(agent.jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: body!,
  });
const call = (method: string, params: Json): Promise<Answer> =>
  rpc({ jsonrpc: '2.0', id: 'r-1', method, params });
const spoken = (messageId: string, more: object = {}, text = 'Hello from TCK!'): Json => ({
  message: {
    kind: 'message',
    messageId,
    role: 'user',
    parts: [{ kind: 'text', text }],
    ...more,
  },
});

describe('the card #a2a-card', () => {
  test.each(['/.well-known/agent-card.json', '/.well-known/agent.json'])(
    'at %s has what 0.3 requires',
    async (path) => {
      const { status, body } = await ask(agent.http + path);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        protocolVersion: '0.3.0',
        name: expect.any(String) as string,
        description: expect.any(String) as string,
        version: expect.any(String) as string,
        url: agent.jsonrpc,
        preferredTransport: 'JSONRPC',
        capabilities: { streaming: true },
        supportsAuthenticatedExtendedCard: false,
      });
      expect([at(body, 'securitySchemes'), at(body, 'security')]).toEqual([undefined, undefined]);
      expect(at(body, 'additionalInterfaces')).toEqual(
        expect.arrayContaining([
          { url: agent.jsonrpc, transport: 'JSONRPC' },
          { url: agent.rest, transport: 'HTTP+JSON' },
        ]),
      );
      for (const list of ['defaultInputModes', 'defaultOutputModes', 'skills']) {
        expect((at(body, list) as Json[]).length).toBeGreaterThan(0);
      }
    },
  );

  test('of an agent that knows its callers promises them more, at the /v1/card of the origin', async () => {
    const { body } = await ask(guarded.card);
    expect(body).toMatchObject({
      supportsAuthenticatedExtendedCard: true,
      securitySchemes: { bearer: { type: 'http', scheme: 'Bearer' } },
      security: [{ bearer: ['caller'] }],
    });
    expect((await ask(`${guarded.http}/v1/card`)).status).toBe(401);
    const as = (name: 'user' | 'insufficient') =>
      ask(`${guarded.http}/v1/card`, { as: guarded.tokens[name] });
    expect((await as('insufficient')).status).toBe(403);
    const extended = await as('user');
    expect([extended.status, (at(extended.body, 'skills') as Json[]).length]).toEqual([200, 2]);
    expect(textAt(extended.body, 'protocolVersion')).toBe('0.3.0');
  });
});

describe('JSON-RPC #a2a-03 #a2a-jsonrpc', () => {
  test.each<[string, Ask['body'], number]>([
    ['no JSON', '{"jsonrpc": "2.0", "method": "message/send", "params": {"foo": "bar"}', -32_700],
    ['another version, no id', { jsonrpc: 'aaa', method: 'message/send', params: {} }, -32_600],
    ['no method, no id', { jsonrpc: '2.0', params: {} }, -32_600],
    [
      'no such method, no id',
      { jsonrpc: '2.0', method: 'nonexistent/method', params: {} },
      -32_601,
    ],
    ['a wrong id', { jsonrpc: '2.0', method: 'message/send', params: {}, id: { a: 1 } }, -32_600],
    [
      'params that are text',
      { jsonrpc: '2.0', method: 'message/send', params: 'text', id: '4' },
      -32_602,
    ],
    [
      'wrong params, no id',
      { jsonrpc: '2.0', method: 'message/send', params: { message: { parts: 'invalid' } } },
      -32_602,
    ],
    [
      'a message of nothing',
      { jsonrpc: '2.0', id: 5, method: 'message/send', params: { message: { kind: 'message' } } },
      -32_602,
    ],
  ])('%s', async (_name, body, code) => {
    const answer = await rpc(body);
    expect([answer.status, at(answer.body, 'error.code')]).toEqual([200, code]);
  });

  test('a request without an id is done and answered', async () => {
    const answer = await rpc({ jsonrpc: '2.0', method: 'message/send', params: spoken('n') });
    expect([at(answer.body, 'id'), textAt(answer.body, 'result.kind')]).toEqual([null, 'task']);
  });

  test('a task goes on with message after message, and can be canceled', async () => {
    const { body } = await call('message/send', spoken('text-message-id-1'));
    const id = textAt(body, 'result.id');
    expect(textAt(body, 'result.status.state')).toBe('input-required');
    for (const turn of ['1', '2', '3']) {
      const next = spoken(`test-history-message-${turn}`, { taskId: id }, `Follow-up ${turn}`);
      const answer = await call('message/send', next);
      expect([
        textAt(answer.body, 'result.id'),
        textAt(answer.body, 'result.status.state'),
      ]).toEqual([id, 'input-required']);
    }
    const full = await call('tasks/get', { id });
    expect((at(full.body, 'result.history') as Json[]).length).toBeGreaterThan(2);
    const two = await call('tasks/get', { id, historyLength: 2 });
    expect(at(two.body, 'result.history')).toHaveLength(2);
    const canceled = await call('tasks/cancel', { id });
    expect([
      textAt(canceled.body, 'result.id'),
      textAt(canceled.body, 'result.status.state'),
    ]).toEqual([id, 'canceled']);
  });

  test('what is not there is -32001', async () => {
    for (const method of ['tasks/get', 'tasks/cancel']) {
      const { body } = await call(method, { id: 'nonexistent-task-id' });
      expect(at(body, 'error.code')).toBe(-32_001);
    }
  });

  test('the prefixes mean the same as in 1.0', async () => {
    const ended = await call('message/send', spoken('tck-complete-task-1'));
    expect(textAt(ended.body, 'result.status.state')).toBe('completed');
    const asked = await call('message/send', spoken('tck-input-required'));
    const taskId = textAt(asked.body, 'result.id');
    const done = await call('message/send', spoken('x', { taskId }));
    expect(textAt(done.body, 'result.status.state')).toBe('completed');
    const answered = await call('message/send', spoken('tck-message-response'));
    expect(textAt(answered.body, 'result.kind')).toBe('message');
  });

  test('streams end with a final frame, where the task waits too', async () => {
    const stream = async (messageId: string): Promise<Json[]> => {
      const params = spoken(messageId);
      const body = { jsonrpc: '2.0', id: 's', method: 'message/stream', params } as Ask['body'];
      const frames = await allFrames(
        await fetchFrom(agent.jsonrpc, { method: 'POST', body: body! }),
      );
      return frames.map(({ data }) => at(data, 'result')!);
    };
    for (const [id, state] of [
      ['stream-message-id-1', 'input-required'],
      ['tck-stream-001', 'completed'],
    ] as const) {
      const events = await stream(id);
      expect(textAt(events[0], 'kind')).toBe('task');
      const finals = events.flatMap((event) => at(event, 'final') ?? []);
      expect(finals.indexOf(true)).toBe(finals.length - 1);
      expect(textAt(events.at(-1), 'status.state')).toBe(state);
      expect(at(events.at(-1), 'final')).toBe(true);
    }
  });

  test('test_tasks_resubscribe: a stream beside the first, and one that is refused is a stream', async () => {
    const post = (method: string, params: Json): Promise<Response> => {
      const body = { jsonrpc: '2.0', id: 's', method, params } as Ask['body'];
      return fetchFrom(agent.jsonrpc, { method: 'POST', body: body! });
    };
    const params = spoken('test-resubscribe-message-id-7');
    const sent = await rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { ...(params as object), configuration: { blocking: false } } as Json,
    });
    const id = textAt(sent.body, 'result.id');
    const frames = await allFrames(await post('tasks/resubscribe', { id }));
    expect(textAt(frames[0]!.data, 'result.status.state')).toBe('working');
    expect(at(frames.at(-1)!.data, 'result.final')).toBe(true);
    const refused = await post('tasks/resubscribe', { id: 'non-existent-task-id' });
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/event-stream') as string,
    ]);
    expect(at((await allFrames(refused))[0]!.data, 'error.code')).toBe(-32_001);
  });
});

describe('REST below /v1 #a2a-03 #a2a-rest', () => {
  const v1 = (path: string, given: Ask = {}): Promise<Answer> =>
    ask(`${agent.rest}/v1${path}`, {
      ...given,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    });
  const said = (messageId: string, more: object = {}): Ask => ({
    method: 'POST',
    body: {
      message: { message_id: messageId, role: 'ROLE_USER', parts: [{ text: 'hello' }], ...more },
    },
  });

  test('messages with the names of protobuf go on, are got and are canceled', async () => {
    const first = await v1('/message:send', said('text-message-id-1'));
    expect([first.status, first.type]).toEqual([201, 'application/json']);
    const id = textAt(first.body, 'task.id');
    expect(textAt(first.body, 'task.status.state')).toBe('TASK_STATE_INPUT_REQUIRED');
    const second = await v1('/message:send', said('continuation-message-id-2', { task_id: id }));
    expect(textAt(second.body, 'task.id')).toBe(id);
    const got = await v1(`/tasks/${id}?history_length=1`);
    expect([textAt(got.body, 'id'), (at(got.body, 'history') as Json[]).length]).toEqual([id, 1]);
    const canceled = await v1(`/tasks/${id}:cancel`, { method: 'POST' });
    expect(textAt(canceled.body, 'status.state')).toBe('TASK_STATE_CANCELLED');
  });

  test('refusals are plain objects with the statuses that the suite knows', async () => {
    const none = await v1('/tasks/nonexistent-task-id');
    expect([none.status, at(none.body, 'code')]).toEqual([404, -32_001]);
    const wrong = await v1('/message:send', { method: 'POST', body: { message: {} } });
    expect([wrong.status, at(wrong.body, 'code')]).toEqual([400, -32_602]);
  });

  test('streams: of a message, and of a task again, by POST and GET', async () => {
    const frames = async (path: string, given: Ask): Promise<Json[]> => {
      const response = await fetchFrom(`${agent.rest}/v1${path}`, given);
      return (await allFrames(response)).map(({ data }) => data);
    };
    const events = await frames('/message:stream', said('stream-message-id-1'));
    const id = textAt(events[0], 'task.id');
    expect(at(events.at(-1), 'statusUpdate.final')).toBe(true);
    for (const method of ['POST', 'GET']) {
      const { body: waiting } = await v1('/message:send', said('again'));
      const other = textAt(waiting, 'task.id');
      const stream = fetchFrom(`${agent.rest}/v1/tasks/${other}:subscribe`, { method });
      const response = await stream;
      await v1(`/tasks/${other}:cancel`, { method: 'POST' });
      const told = await allFrames(response);
      expect(textAt(told[0]!.data, 'task.id')).toBe(other);
      expect(at(told.at(-1)!.data, 'statusUpdate.final')).toBe(true);
    }
    expect(id).not.toBe('');
  });
});
