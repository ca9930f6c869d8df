// Proves which wire a request is of, row by row: by its version, its path or method, and its shape.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TestAgent } from '../../support/a2a/agent.ts';
import { openAgent } from '../../support/a2a/agent.ts';
import type { Answer, Json } from '../../support/a2a/ask.ts';
import { ask, at, textAt } from '../../support/a2a/ask.ts';

let agent: TestAgent;

beforeAll(async () => {
  agent = await openAgent();
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

const V1_MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
const DRAFT_MESSAGE = { messageId: 'm', role: 'user', parts: [{ text: 'hello' }] };
const V03_MESSAGE = {
  kind: 'message',
  messageId: 'm',
  role: 'user',
  parts: [{ kind: 'text', text: 'hello' }],
};
const V03_REST_MESSAGE = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hello' }] };

type Wire = 'v1' | 'v03' | 'draft';

/** By how the state of a task is written, and whether it is wrapped; of a refusal by its form. */
function rpcWireOf({ body }: Answer): Wire {
  const result = at(body, 'result');
  if (at(result, 'kind') !== undefined) return 'v03';
  return textAt(result, 'task.status.state').startsWith('TASK_STATE_') ? 'v1' : 'draft';
}

const rpc = (method: string, params: Json, version?: string): Promise<Answer> =>
  ask(agent.rpc, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(version !== undefined && { 'a2a-version': version }),
    },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });

describe('JSON-RPC #a2a-versions', () => {
  const FILE_PART = {
    file: { fileWithUri: 'https://example.com/', mediaType: 'text/html' },
  };
  test.each<[string | undefined, string, Json, Wire]>([
    ['1.0', 'SendMessage', { message: V1_MESSAGE }, 'v1'],
    ['1.0.0', 'SendMessage', { message: V1_MESSAGE }, 'v1'],
    ['1.0.17', 'SendMessage', { message: V1_MESSAGE }, 'v1'],
    [undefined, 'message/send', { message: V03_MESSAGE }, 'v03'],
    ['', 'message/send', { message: V03_MESSAGE }, 'v03'],
    ['0.3', 'message/send', { message: V03_MESSAGE }, 'v03'],
    ['0.3.0', 'message/send', { message: V03_MESSAGE }, 'v03'],
    [undefined, 'SendMessage', { message: V1_MESSAGE }, 'v1'],
    ['', 'SendMessage', { message: V1_MESSAGE }, 'v1'],
    ['0.3', 'SendMessage', { message: DRAFT_MESSAGE }, 'draft'],
    [undefined, 'SendMessage', { message: DRAFT_MESSAGE }, 'draft'],
  ])('version %j, %s is of its wire', async (version, method, params, wire) => {
    const answer = await rpc(method, params, version);
    expect(answer.text).toContain('"result"');
    expect(rpcWireOf(answer)).toBe(wire);
  });

  /** What the draft does not have is said of a message that its shape makes one of the draft. */
  test.each<[string, Json]>([
    ['a part with a file', { message: { ...V1_MESSAGE, parts: [FILE_PART] } }],
    ['blocking', { message: V1_MESSAGE, configuration: { blocking: true } }],
    [
      'a web hook',
      { message: V1_MESSAGE, configuration: { pushNotificationConfig: { url: 'x' } } },
    ],
    ['a name', { message: V1_MESSAGE, name: 'tasks/x' }],
    ['a parent', { message: V1_MESSAGE, parent: 'tasks/x' }],
  ])('%s makes it one of the draft', async (_what, params) => {
    const { text } = await rpc('SendMessage', params);
    expect(text).toContain('message.role');
    expect(text).toContain('expected a Role');
  });

  test.each([
    [undefined, 'SetTaskPushNotificationConfig', -32_602],
    ['0.3', 'SetTaskPushNotificationConfig', -32_602],
    ['1.0', 'SetTaskPushNotificationConfig', -32_601],
    [undefined, 'ListTaskPushNotificationConfig', -32_602],
    ['1.0', 'ListTaskPushNotificationConfig', -32_601],
    [undefined, 'CreateTaskPushNotificationConfig', -32_602],
    ['0.3', 'CreateTaskPushNotificationConfig', -32_602],
    ['1.0', 'message/send', -32_601],
    [undefined, 'no/such', -32_601],
    [undefined, 'NoSuch', -32_601],
    ['0.3', 'tasks/list', -32_601],
    ['99.0', 'SendMessage', -32_009],
    ['0.4', 'message/send', -32_009],
    ['1', 'SendMessage', -32_009],
    ['1.0, 0.3', 'SendMessage', -32_009],
    ['1.00', 'SendMessage', -32_009],
  ])('version %j, %s is told %i', async (version, method, code) => {
    const { status, body } = await rpc(method, {}, version);
    expect([status, at(body, 'error.code'), at(body, 'id')]).toEqual([200, code, 1]);
  });

  test('the query says the version where no header does', async () => {
    const send = (query: string, version?: string): Promise<Answer> =>
      ask(`${agent.rpc}?${query}`, {
        method: 'POST',
        headers: version === undefined ? {} : { 'a2a-version': version },
        body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: V1_MESSAGE } },
      });
    expect(rpcWireOf(await send('A2A-Version=1.0'))).toBe('v1');
    expect(at((await send('A2A-Version=7.0')).body, 'error.code')).toBe(-32_009);
    expect(rpcWireOf(await send('A2A-Version=7.0', '1.0'))).toBe('v1');
    const { body } = await send('A2A-Version=7.0', '');
    expect(at(body, 'error.data.0.metadata.supportedVersions')).toBe('1.0,0.3');
  });

  test('the address ends with a slash, or does not', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: V1_MESSAGE } };
    for (const url of [agent.rpc, `${agent.rpc}/`]) {
      expect((await ask(url, { method: 'POST', body })).text).toContain('TASK_STATE_COMPLETED');
    }
  });
});

describe('REST #a2a-versions', () => {
  const post = (
    path: string,
    body: Json,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> =>
    ask(`${agent.origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  const A2A = 'application/a2a+json';

  /** By what only one of them says. */
  function restWireOf({ status, body }: Answer): Wire {
    if (at(body, 'task.history.0.content') !== undefined) return 'v03';
    expect(status).toBe(200);
    return textAt(body, 'task.status.state').startsWith('TASK_STATE_') ? 'v1' : 'draft';
  }

  test.each<[string, Json, Readonly<Record<string, string>>, Wire]>([
    ['/message:send', V1_MESSAGE, { 'a2a-version': '1.0' }, 'v1'],
    ['/message:send', V1_MESSAGE, { 'a2a-version': '1.0.1' }, 'v1'],
    ['/message:send', V1_MESSAGE, {}, 'v1'],
    ['/message:send', DRAFT_MESSAGE, {}, 'draft'],
    ['/message:send', DRAFT_MESSAGE, { 'a2a-version': '0.3' }, 'draft'],
    ['/message:send?A2A-Version=1.0', V1_MESSAGE, {}, 'v1'],
    ['/v1/message:send', V03_REST_MESSAGE, {}, 'v03'],
    ['/v1/message:send', V03_REST_MESSAGE, { 'a2a-version': '0.3' }, 'v03'],
    ['/v1/message:send', V03_REST_MESSAGE, { 'a2a-version': '0.3.0', accept: '*/*' }, 'v03'],
    ['/v1/message:send', DRAFT_MESSAGE, {}, 'draft'],
    ['/v1/message:send', DRAFT_MESSAGE, { 'content-type': A2A }, 'draft'],
    ['/v1/message:send', DRAFT_MESSAGE, { accept: A2A, 'a2a-version': '0.3' }, 'draft'],
  ])('POST %s with %j and %j is of its wire', async (path, message, headers, wire) => {
    expect(restWireOf(await post(path, { message }, headers))).toBe(wire);
  });

  /** The form of a refusal tells the wire: problem+json the draft, `error` 1.0, `code` 0.3. */
  function formOf({ type, body }: Answer): Wire {
    if (type === 'application/problem+json') return 'draft';
    return at(body, 'error.status') === undefined ? 'v03' : 'v1';
  }
  const get = (path: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
    ask(`${agent.origin}${path}`, { headers });

  test.each<[string, Readonly<Record<string, string>>, Wire]>([
    ['/tasks/nothing', {}, 'draft'],
    ['/tasks/nothing', { 'a2a-version': '0.3' }, 'draft'],
    ['/tasks/nothing', { 'a2a-version': '1.0' }, 'v1'],
    ['/v1/tasks/nothing', {}, 'v03'],
    ['/v1/tasks/nothing', { 'a2a-version': '0.3' }, 'v03'],
    ['/v1/tasks/nothing', { accept: A2A }, 'draft'],
    ['/v1/tasks/nothing', { 'a2a-version': '1.0' }, 'v1'],
    ['/acme/v1/tasks/nothing', {}, 'draft'],
    ['/acme/tasks/nothing', { 'a2a-version': '0.3' }, 'draft'],
    ['/acme/tasks/nothing', { 'a2a-version': '1.0' }, 'v1'],
    ['/acme/v1/tasks/nothing', { 'a2a-version': '1.0' }, 'v1'],
    ['/v1/tasks?pageSize=0', {}, 'draft'],
    ['/v1/extendedAgentCard', {}, 'draft'],
    ['/v1/extendedAgentCard', { 'a2a-version': '0.3' }, 'draft'],
    ['/extendedAgentCard', { 'a2a-version': '1.0' }, 'v1'],
    ['/v1/card', {}, 'v03'],
    ['/v1/card', { accept: A2A }, 'v03'],
    ['/v1/tasks/nothing', { 'a2a-version': '99.0' }, 'draft'],
    ['/acme/v1/tasks/nothing', { 'a2a-version': '99.0' }, 'draft'],
    ['/tasks/nothing', { 'a2a-version': '99.0' }, 'v1'],
    ['/acme/tasks/nothing', { 'a2a-version': '99.0' }, 'v1'],
  ])('GET %s with %j is refused in the form of its wire', async (path, headers, wire) => {
    expect(formOf(await get(path, headers))).toBe(wire);
  });

  test('a version that is not supported is told with those that are', async () => {
    const below = await get('/v1/tasks', { 'a2a-version': '2.0' });
    expect([below.status, below.type]).toEqual([400, 'application/problem+json']);
    expect(below.body).toMatchObject({
      type: 'https://a2a-protocol.org/errors/version-not-supported',
      supportedVersions: ['1.0', '0.3'],
    });
    const bare = await get('/tasks', { 'a2a-version': '2.0' });
    expect(bare.status).toBe(400);
    expect(at(bare.body, 'error.details.0')).toMatchObject({
      reason: 'VERSION_NOT_SUPPORTED',
      domain: 'a2a-protocol.org',
      metadata: { supportedVersions: '1.0,0.3' },
    });
  });

  test('with version 1.0 /v1 is a tenant; otherwise it is the prefix of the path', async () => {
    const asTenant = await get('/v1/tasks', { 'a2a-version': '1.0' });
    expect(at(asTenant.body, 'error.details.0.reason')).toBe('TASK_NOT_FOUND');
    expect((await get('/v1/tasks', {})).status).toBe(200);
  });

  test('subscribe takes GET and POST, other methods are told which are taken', async () => {
    for (const method of ['GET', 'POST']) {
      const url = `${agent.origin}/tasks/nothing:subscribe`;
      const answer = await ask(url, { method, headers: { 'a2a-version': '1.0' } });
      expect(at(answer.body, 'error.details.0.reason')).toBe('TASK_NOT_FOUND');
    }
    const wrong = await ask(`${agent.origin}/tasks`, { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET']);
    const rpcGet = await ask(agent.rpc);
    expect([rpcGet.status, rpcGet.headers.get('allow')]).toEqual([405, 'POST']);
    expect(at(rpcGet.body, 'error.code')).toBe(-32_600);
  });

  test('what no wire has is not there', async () => {
    for (const path of ['/card', '/acme/card', '/v2/v1/v1/tasks', '/tasks/', '/message:none']) {
      expect((await get(path, {})).status).toBe(404);
    }
  });
});

describe('media types #a2a-media #a2a-rest', () => {
  test.each([
    [undefined, 'application/a2a+json'],
    ['*/*', 'application/a2a+json'],
    ['application/json', 'application/json'],
    ['application/a2a+json', 'application/a2a+json'],
    ['application/a2a+json, application/json', 'application/a2a+json'],
    ['text/event-stream', 'application/a2a+json'],
    ['application/json;q=0.9, application/a2a+json;q=0', 'application/json'],
  ])('1.0 with Accept %j is answered with %s', async (accept, type) => {
    const headers = { 'a2a-version': '1.0', ...(accept !== undefined && { accept }) };
    for (const path of ['/tasks', '/tasks/nothing']) {
      expect((await ask(`${agent.origin}${path}`, { headers })).type).toBe(type);
    }
  });

  test('a stream is one whatever is accepted', async () => {
    for (const accept of ['application/json', 'application/a2a+json', 'text/event-stream']) {
      const answer = await ask(`${agent.origin}/message:stream`, {
        method: 'POST',
        headers: { 'a2a-version': '1.0', 'content-type': 'application/json', accept },
        body: { message: V1_MESSAGE },
      });
      expect(answer.type).toBe('text/event-stream');
    }
  });
});
