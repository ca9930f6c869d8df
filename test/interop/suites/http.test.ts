// Proves against the running agent what the public suite of A2A 1.0 looks at in HTTP itself: the card, headers, statuses,
// media types, and bodies that clients really send. Profile 1.0.0, strict card.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/codec/value.ts';
import type { Answer, Ask } from '../../support/a2a/ask.ts';
import { allFrames, ask, at, fetchFrom, textAt } from '../../support/a2a/ask.ts';
import type { ConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import { startConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import { misfits } from '../../support/a2a/published-form.ts';
import { hasVectors } from '../../support/repository/vectors.ts';

const START_MS = 120_000;
const VERSION = { 'a2a-version': '1.0' };
let agent: ConformanceAgent;
let without: ConformanceAgent;

beforeAll(async () => {
  const flags = ['--profile', '1.0.0', '--card', 'strict'];
  [agent, without] = await Promise.all([
    startConformanceAgent(...flags),
    startConformanceAgent(...flags, '--capabilities', 'none'),
  ]);
}, START_MS);
afterAll(() => Promise.all([agent.stop(), without.stop()]));

const message = (messageId: string, more: object = {}) => ({
  messageId,
  role: 'ROLE_USER',
  parts: [{ text: 'hello' }],
  ...more,
});
const rest = (path: string, given: Ask = {}): Promise<Answer> =>
  ask(agent.rest + path, { ...given, headers: { ...VERSION, ...given.headers } });
const send = (id: string, given: Ask = {}): Promise<Answer> =>
  rest('/message:send', { method: 'POST', body: { message: message(id) }, ...given });
const rpc = (body: Ask['body'], headers: Record<string, string> = VERSION): Promise<Answer> =>
  ask(agent.jsonrpc, { method: 'POST', headers, body: body! });
const call = (method: string, params: object, id: unknown = 1): Ask['body'] =>
  ({ jsonrpc: '2.0', id, method, params }) as Ask['body'];

describe('the card #a2a-card-served', () => {
  test.skipIf(!hasVectors)(
    'CARD-STRUCT-001: without headers it has exactly the published members',
    async () => {
      const begun = performance.now();
      const response = await fetch(agent.card);
      const card = (await response.json()) as JsonObject;
      expect(performance.now() - begun).toBeLessThan(1_000);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'application/json',
      ]);
      expect(misfits('AgentCard', card)).toEqual([]);
    },
  );

  test('CARD-CACHE-001, CARD-CACHE-002, CARD-CACHE-003', async () => {
    const { headers } = await fetch(agent.card);
    expect(headers.get('cache-control')).toMatch(/max-age=\d+/);
    expect(headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect(Date.parse(headers.get('last-modified')!)).toBeLessThanOrEqual(Date.now());
  });

  test('its addresses are used as they are, the JSON-RPC one also with a slash', async () => {
    const card = (await (await fetch(agent.card)).json()) as {
      supportedInterfaces: { url: string; protocolBinding: string }[];
    };
    const urls = card.supportedInterfaces.map(({ protocolBinding, url }) => [protocolBinding, url]);
    expect(urls.slice(0, 2)).toEqual([
      ['JSONRPC', agent.jsonrpc],
      ['HTTP+JSON', agent.rest],
    ]);
    const body = call('GetTask', { id: 'nothing' });
    const slash = await ask(`${agent.jsonrpc}/`, { method: 'POST', headers: VERSION, body: body! });
    expect([slash.status, textAt(slash.body, 'error.code')]).toEqual([200, '-32001']);
  });
});

describe('versions and extensions #a2a-versions', () => {
  test('VER-SERVER-002: a version that nobody knows is refused', async () => {
    const other = { 'a2a-version': '99.0' };
    const called = await rpc(call('GetTask', { id: 'x' }), other);
    expect([called.status, textAt(called.body, 'error.code')]).toEqual([200, '-32009']);
    const sent = await send('x', { headers: other });
    expect([sent.status, textAt(sent.body, 'error.details.0.reason')]).toEqual([
      400,
      'VERSION_NOT_SUPPORTED',
    ]);
  });

  test('VER-SERVER-003: an empty one is none; patch numbers and the query count', async () => {
    for (const headers of [{ 'a2a-version': '' }, { 'a2a-version': '1.0.1' }]) {
      const called = await rpc(call('SendMessage', { message: message('x') }), headers);
      expect(textAt(called.body, 'result.task.status.state')).toBe('TASK_STATE_COMPLETED');
    }
    const body = { message: message('x') };
    const url = `${agent.rest}/message:send?A2A-Version=1.0`;
    expect((await ask(url, { method: 'POST', body })).status).toBe(200);
  });

  test('extensions that nobody knows are passed over', async () => {
    const headers = { 'a2a-extensions': 'https://example.com/unknown, urn:other' };
    const sent = await send('x', { headers });
    expect([sent.status, sent.headers.get('a2a-extensions')]).toEqual([200, null]);
  });
});

describe('REST #a2a-rest #a2a-media', () => {
  test('statuses are those of 1.0.0', async () => {
    const ended = await send('tck-complete-task');
    const id = textAt(ended.body, 'task.id');
    const canceled = await rest(`/tasks/${id}:cancel`, { method: 'POST' });
    expect([canceled.status, at(canceled.body, 'error.status')]).toEqual([
      409,
      'FAILED_PRECONDITION',
    ]);
    expect((await rest('/tasks/nothing')).status).toBe(404);
    const again = await send('x', {
      body: { message: message('x', { taskId: id }) },
    });
    expect([again.status, at(again.body, 'error.status')]).toEqual([400, 'UNIMPLEMENTED']);
  });

  test('answers are application/json, unless application/a2a+json is asked for', async () => {
    for (const [accept, type] of [
      ['*/*', 'application/json'],
      ['application/json', 'application/json'],
      ['application/a2a+json', 'application/a2a+json'],
    ] as const) {
      expect((await send('x', { headers: { accept } })).type).toBe(type);
      expect((await rest('/tasks/nothing', { headers: { accept } })).type).toBe(type);
    }
  });

  test('a body of another media type is 415', async () => {
    const sent = await send('x', { headers: { 'content-type': 'text/plain' }, body: 'no JSON' });
    expect([sent.status, textAt(sent.body, 'error.details.0.reason')]).toEqual([
      415,
      'CONTENT_TYPE_NOT_SUPPORTED',
    ]);
  });

  test.each([
    ['no body, with a type', { headers: { 'content-type': 'application/json' } }],
    ['no body, no type', {}],
    ['null', { body: 'null', headers: { 'content-type': 'application/json' } }],
    ['the id again', { body: { id: 'x' } }],
  ] as [string, Ask][])('a task is canceled with %s', async (_name, given) => {
    const waiting = await send('tck-input-required');
    const id = textAt(waiting.body, 'task.id');
    const canceled = await rest(`/tasks/${id}:cancel`, { method: 'POST', ...given });
    expect([canceled.status, textAt(canceled.body, 'status.state')]).toEqual([
      200,
      'TASK_STATE_CANCELED',
    ]);
  });

  test.each(['GET', 'POST'])('a task is subscribed to with %s', async (method) => {
    const waiting = await send('tck-input-required');
    const id = textAt(waiting.body, 'task.id');
    const headers = { ...VERSION, accept: 'text/event-stream' };
    const response = await fetchFrom(`${agent.rest}/tasks/${id}:subscribe`, { method, headers });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    await rest(`/tasks/${id}:cancel`, { method: 'POST' });
    const frames = await allFrames(response);
    expect(textAt(frames[0]!.data, 'task.id')).toBe(id);
    expect(textAt(frames.at(-1)!.data, 'statusUpdate.status.state')).toBe('TASK_STATE_CANCELED');
  });

  test('a GET may have a type of nothing; a refused stream is JSON, whatever is accepted', async () => {
    const sent = await send('tck-complete-task');
    const id = textAt(sent.body, 'task.id');
    const typed = { headers: { 'content-type': 'application/json' } };
    expect((await rest(`/tasks/${id}`, typed)).status).toBe(200);
    const stream = { method: 'POST', headers: { accept: 'text/event-stream' } };
    const refused = await rest(`/tasks/${id}:subscribe`, stream);
    expect([refused.status, refused.type]).toEqual([400, 'application/json']);
  });
});

describe('JSON-RPC #a2a-jsonrpc', () => {
  test.each<[string, Ask['body'], number]>([
    ['no JSON', '{this is not', -32_700],
    ['a list', [1] as never, -32_600],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'GetTask' }, -32_600],
    ['no method', { jsonrpc: '2.0', id: 1 }, -32_600],
    ['an id that is none', { jsonrpc: '2.0', id: {}, method: 'GetTask' }, -32_600],
    ['no such method', { jsonrpc: '2.0', id: 1, method: 'NoSuchThing', params: {} }, -32_601],
    ['no params', { jsonrpc: '2.0', id: 1, method: 'SendMessage' }, -32_602],
  ])('%s', async (_name, body, code) => {
    const headers = { ...VERSION, 'content-type': 'application/json' };
    const answer = await rpc(body, headers);
    expect([answer.status, answer.type, at(answer.body, 'error.code')]).toEqual([
      200,
      'application/json',
      code,
    ]);
  });

  test('another media type is refused before the body is read', async () => {
    const answer = await rpc('no JSON', { ...VERSION, 'content-type': 'text/plain' });
    expect([answer.type, at(answer.body, 'error.code')]).toEqual(['application/json', -32_005]);
  });

  test('JSONRPC-SSE-001: every event is an answer of JSON-RPC; without an id too', async () => {
    for (const id of ['s-1', undefined]) {
      const { id: _none, ...anonymous } = call('x', {}) as { id: number };
      const body = {
        ...(id === undefined ? anonymous : { jsonrpc: '2.0', id }),
        method: 'SendStreamingMessage',
        params: { message: message('tck-stream-002') },
      };
      const response = await fetchFrom(agent.jsonrpc, { method: 'POST', headers: VERSION, body });
      const frames = await allFrames(response);
      expect(frames.length).toBeGreaterThanOrEqual(2);
      const envelopes = frames.map(({ data }) => [at(data, 'jsonrpc'), at(data, 'id')]);
      expect(envelopes).toEqual(frames.map(() => ['2.0', id ?? null]));
    }
  });
});

describe('what is not offered is refused #a2a-options', () => {
  test('CORE-CAP-001, CORE-CAP-002, CORE-CAP-003', async () => {
    const code = async (method: string, params: object): Promise<unknown> => {
      const body = call(method, params)!;
      const answer = await ask(without.jsonrpc, { method: 'POST', headers: VERSION, body });
      return at(answer.body, 'error.code');
    };
    const hook = { taskId: 't', url: 'https://example.com' };
    expect(await code('CreateTaskPushNotificationConfig', hook)).toBe(-32_003);
    expect(await code('SendStreamingMessage', { message: message('x') })).toBe(-32_004);
    expect(await code('SubscribeToTask', { id: 'x' })).toBe(-32_004);
    expect(await code('GetExtendedAgentCard', {})).toBe(-32_004);
    const card = (await (await fetch(without.card)).json()) as JsonObject;
    expect(card['capabilities']).toEqual({
      streaming: false,
      pushNotifications: false,
      extendedAgentCard: false,
    });
  });
});
