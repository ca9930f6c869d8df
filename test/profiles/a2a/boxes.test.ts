// The acceptance checklist of the draft, box by box, in its own words, with `application/a2a+json` both ways.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TestAgent } from '../../support/a2a/agent.ts';
import { agentFor, openAgent } from '../../support/a2a/agent.ts';
import type { Answer, Ask, Json } from '../../support/a2a/ask.ts';
import { allFrames, ask, at, fetchFrom, framesOf, textAt } from '../../support/a2a/ask.ts';
import { CELLS } from '../../support/a2a/cells.ts';

let agent: TestAgent;

beforeAll(async () => {
  agent = await openAgent();
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

const TYPE = 'application/a2a+json';
const HEADERS = { 'content-type': TYPE, accept: TYPE };
const MESSAGE = { messageId: 'm', role: 'user', parts: [{ text: 'hello' }] };
const PROBLEM = 'application/problem+json';

const call = (path: string, given: Ask = {}): Promise<Answer> =>
  ask(`${agent.origin}${path}`, { ...given, headers: { ...HEADERS, ...given.headers } });
const post = (path: string, body?: Json): Promise<Answer> =>
  call(path, { method: 'POST', ...(body !== undefined && { body }) });
const send = (text: string, configuration: Json = {}): Promise<Answer> =>
  post('/v1/message:send', { message: { ...MESSAGE, parts: [{ text }] }, configuration });
const stream = (text: string): Promise<Response> =>
  fetchFrom(`${agent.origin}/v1/message:stream`, {
    method: 'POST',
    headers: HEADERS,
    body: { message: { ...MESSAGE, parts: [{ text }] } },
  });

describe('Agent Card #a2a-draft #a2a-card', () => {
  const cardOf = async (origin = agent.origin): Promise<Json> =>
    (await ask(`${origin}/.well-known/agent-card.json`, { headers: HEADERS })).body;

  test('`GET /.well-known/agent-card.json` returns a valid AgentCard', async () => {
    const { status, type, body } = await call('/.well-known/agent-card.json');
    expect([status, type]).toEqual([200, 'application/json']);
    for (const name of ['name', 'description', 'url', 'version', 'protocolVersion']) {
      expect([name, textAt(body, name)]).toEqual([name, expect.stringMatching(/./)]);
    }
    expect(at(body, 'supportsExtendedAgentCard')).toBe(false);
  });

  test('`supportedInterfaces` populated; first entry is preferred', async () => {
    const card = await cardOf();
    const interfaces = at(card, 'supportedInterfaces') as readonly Json[];
    expect(interfaces.length).toBeGreaterThan(1);
    const [first] = interfaces;
    expect([at(first, 'url'), at(first, 'protocolBinding')]).toEqual([
      at(card, 'url'),
      at(card, 'preferredTransport'),
    ]);
    // It is there.
    const body = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} };
    const answer = await ask(textAt(first, 'url'), { method: 'POST', body, headers: HEADERS });
    expect(at(answer.body, 'result.totalSize')).toBeTypeOf('number');
  });

  test('Deprecated fields populated only if needed for backward compatibility', async () => {
    const old = ['url', 'preferredTransport', 'additionalInterfaces', 'protocolVersion'];
    expect(Object.keys((await cardOf()) as object)).toEqual(expect.arrayContaining(old));
    const strict = await agentFor({ face: { card: 'strict' } });
    const names = Object.keys((await cardOf(strict.origin)) as object);
    expect(names.filter((name) => old.includes(name))).toEqual([]);
  });

  test('`capabilities.streaming` and `capabilities.pushNotifications` accurately reflect reality', async () => {
    const silent = await agentFor({ face: { streaming: false } });
    for (const { origin } of [agent, silent]) {
      const capabilities = at(await cardOf(origin), 'capabilities');
      const [cell] = CELLS.slice(5);
      const streamed = await cell!.fetch({ ...agent, origin }, 'stream');
      expect(streamed.status === 200).toBe(at(capabilities, 'streaming'));
      await streamed.text();
      const sent = await cell!.ask({ ...agent, origin }, 'send', { text: 'ask' });
      const id = textAt(cell!.taskOf(sent), 'id');
      const { status } = await cell!.ask({ ...agent, origin }, 'listPush', { id });
      expect(status === 200).toBe(at(capabilities, 'pushNotifications'));
    }
  });

  test('`defaultInputModes`/`defaultOutputModes` are media types', async () => {
    const card = await cardOf();
    for (const name of ['defaultInputModes', 'defaultOutputModes']) {
      const modes = at(card, name) as readonly string[];
      expect(modes.length).toBeGreaterThan(0);
      for (const mode of modes) expect(mode).toMatch(/^[a-z]+\/[a-z0-9.+-]+$/);
    }
  });

  test('`skills[]` uses required fields (`id`, `name`, `description`, `tags`)', async () => {
    const skills = at(await cardOf(), 'skills') as readonly Json[];
    expect(skills.length).toBeGreaterThan(0);
    for (const skill of skills) {
      for (const name of ['id', 'name', 'description']) expect(textAt(skill, name)).not.toBe('');
      expect(at(skill, 'tags.0')).toBeTypeOf('string');
    }
  });
});

describe('Version negotiation #a2a-draft', () => {
  test('Requests with unsupported `A2A-Version` return `VersionNotSupportedError` (HTTP 400, correct Problem Details `type`)', async () => {
    const { status, type, body } = await call('/v1/tasks', { headers: { 'a2a-version': '99.0' } });
    expect([status, type]).toEqual([400, PROBLEM]);
    expect(at(body, 'type')).toBe('https://a2a-protocol.org/errors/version-not-supported');
  });

  test('Supported versions list is included in error details (per spec examples)', async () => {
    const { body } = await call('/v1/tasks', { headers: { 'a2a-version': '99.0' } });
    expect(at(body, 'supportedVersions')).toEqual(['1.0', '0.3']);
  });
});

describe('SendMessage (HTTP) #a2a-draft', () => {
  test('Accepts `SendMessageRequest` (message + optional configuration/metadata)', async () => {
    const whole = await post('/v1/message:send', {
      message: MESSAGE,
      configuration: { acceptedOutputModes: ['text/plain'], historyLength: 1, blocking: true },
      metadata: { skill: 'sums' },
    });
    expect([whole.status, whole.type]).toEqual([200, TYPE]);
    expect(at(whole.body, 'task.metadata.skill')).toBe('sums');
    expect((await post('/message:send', { message: MESSAGE })).status).toBe(200);
  });

  test('Returns `{ "task": ... }` or `{ "message": ... }` (we default to `{ "task": ... }`)', async () => {
    expect(Object.keys((await send('hello')).body as object)).toEqual(['task']);
    const answered = (await send('answer', { blocking: true })).body;
    expect(Object.keys(answered as object)).toEqual(['message']);
  });

  test('If `blocking=true`, returns terminal Task with artifacts and status', async () => {
    const { body } = await send('hello', { blocking: true });
    expect(at(body, 'task.status.state')).toBe('completed');
    expect(at(body, 'task.artifacts.0.parts.0.text')).toBe('done hello');
  });

  test('If `blocking=false`, returns immediately with non-terminal Task', async () => {
    const { body } = await send('hold', { blocking: false });
    expect(['submitted', 'working']).toContain(at(body, 'task.status.state'));
    await post(`/v1/tasks/${textAt(body, 'task.id')}:cancel`);
  });
});

describe('Streaming (HTTP SSE) #a2a-draft', () => {
  test('`/v1/message:stream` uses `text/event-stream`', async () => {
    const response = await stream('hello');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await allFrames(response);
  });

  test('First frame is Task or single Message; conforms to StreamResponse oneof', async () => {
    const frames = await allFrames(await stream('chunks'));
    for (const { data } of frames) expect(Object.keys(data as object)).toHaveLength(1);
    expect(at(frames[0]!.data, 'task.status.state')).toBe('submitted');
    const direct = await agentFor({ runtime: { accepts: () => 'at once' } });
    const single = await CELLS[5]!.frames(direct, 'stream');
    expect(single.map(({ data }) => Object.keys(data as object))).toEqual([['message']]);
  });

  test('Event ordering preserved', async () => {
    const frames = await allFrames(await stream('chunks'));
    const ids = frames.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    const texts = frames.flatMap(
      ({ data }) => at(data, 'artifactUpdate.artifact.parts.0.text') ?? [],
    );
    expect(texts).toEqual(['one ', 'two']);
  });

  test('Stream closes at terminal state', async () => {
    const frames = await allFrames(await stream('hello'));
    expect(at(frames.at(-1)!.data, 'statusUpdate')).toMatchObject({
      status: { state: 'completed' },
      final: true,
    });
  });
});

describe('Task APIs #a2a-draft #a2a-lists', () => {
  test('`GET /v1/tasks/{id}` returns Task or TaskNotFoundError', async () => {
    const id = textAt((await send('hello', { blocking: true })).body, 'task.id');
    const found = await call(`/v1/tasks/${id}`);
    expect([found.status, found.type, at(found.body, 'id')]).toEqual([200, TYPE, id]);
    const missing = await call('/v1/tasks/nothing');
    expect([missing.status, missing.type]).toEqual([404, PROBLEM]);
    expect(at(missing.body, 'type')).toBe('https://a2a-protocol.org/errors/task-not-found');
  });

  test('`GET /v1/tasks` supports filters/pagination and omits artifacts unless requested', async () => {
    const own = await agentFor();
    const [cell] = CELLS.slice(5);
    for (const text of ['one', 'two']) await cell!.ask(own, 'send', { text });
    const list = async (query: string): Promise<Json> =>
      (await ask(`${own.origin}/v1/tasks?${query}`, { headers: HEADERS })).body;
    const first = await list('pageSize=1');
    expect(first).toMatchObject({ pageSize: 1, totalSize: 2 });
    expect(at(first, 'tasks.0.artifacts')).toBeUndefined();
    const second = await list(`pageSize=1&pageToken=${textAt(first, 'nextPageToken')}`);
    expect(at(second, 'nextPageToken')).toBe('');
    expect(at(second, 'tasks.0.id')).not.toBe(at(first, 'tasks.0.id'));
    expect(at(await list('status=working'), 'totalSize')).toBe(0);
    const whole = await list('includeArtifacts=true&status=completed');
    expect(at(whole, 'tasks.0.artifacts.0.parts.0.text')).toBe('done two');
  });

  test('`POST /v1/tasks/{id}:cancel` is idempotent and returns updated Task or proper error', async () => {
    const id = textAt((await send('hold')).body, 'task.id');
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await post(`/v1/tasks/${id}:cancel`);
      expect([status, at(body, 'status.state')]).toEqual([200, 'cancelled']);
    }
    const ended = textAt((await send('hello', { blocking: true })).body, 'task.id');
    const { status, body } = await post(`/v1/tasks/${ended}:cancel`);
    expect(status).toBe(409);
    expect(at(body, 'type')).toBe('https://a2a-protocol.org/errors/task-not-cancelable');
  });

  test('`POST /v1/tasks/{id}:subscribe` returns first Task snapshot and streams updates', async () => {
    const id = textAt((await send('ask', { blocking: true })).body, 'task.id');
    for (const method of ['POST', 'GET']) {
      const url = `${agent.origin}/v1/tasks/${id}:subscribe`;
      const frames = framesOf(await fetchFrom(url, { method, headers: HEADERS }));
      const first = (await frames.next()).value!;
      expect(at(first.data, 'task.status.state')).toBe('input-required');
      if (method === 'POST') {
        await frames.return(undefined);
        continue;
      }
      await post('/v1/message:send', { message: { ...MESSAGE, taskId: id } });
      let last: Json = null;
      for await (const { data } of frames) last = data;
      expect(at(last, 'statusUpdate.status.state')).toBe('completed');
    }
  });
});

describe('Errors #a2a-draft #a2a-errors', () => {
  test('HTTP errors use RFC 9457 Problem Details and correct `type` URIs', async () => {
    const { status, type, body } = await call('/v1/tasks/nothing');
    expect(type).toBe(PROBLEM);
    expect(body).toEqual({
      type: 'https://a2a-protocol.org/errors/task-not-found',
      title: 'task not found',
      status,
      detail: 'there is no such task',
    });
  });

  test('Error mapping matches spec table for each A2A-specific error', async () => {
    const ended = textAt((await send('hello', { blocking: true })).body, 'task.id');
    const uri = 'https://example.com/needed';
    const strict = await agentFor({
      face: {
        extensions: [{ uri, required: true }],
        inputModes: ['text/plain'],
        pushNotifications: false,
      },
    });
    const there = (path: string, body: Json, headers = {}): Promise<Answer> =>
      ask(`${strict.origin}${path}`, { method: 'POST', body, headers: { ...HEADERS, ...headers } });
    const file = { file: { fileWithUri: 'https://example.com/', mediaType: 'image/png' } };
    const answers = [
      await call('/v1/tasks/nothing'),
      await post(`/v1/tasks/${ended}:cancel`),
      await there('/v1/tasks/any/pushNotificationConfigs', {}),
      await post(`/v1/tasks/${ended}:subscribe`),
      await there(
        '/v1/message:send',
        { message: { ...MESSAGE, parts: [file] } },
        { 'a2a-extensions': uri },
      ),
      await there('/v1/message:send', { message: MESSAGE }),
      await call('/v1/tasks', { headers: { 'a2a-version': '2.0' } }),
    ];
    expect(
      answers.map(({ status, body }) => [status, textAt(body, 'type').split('/').at(-1)]),
    ).toEqual([
      [404, 'task-not-found'],
      [409, 'task-not-cancelable'],
      [400, 'push-notification-not-supported'],
      [400, 'unsupported-operation'],
      [415, 'content-type-not-supported'],
      [400, 'extension-support-required'],
      [400, 'version-not-supported'],
    ]);
  });

  test('Validation errors map to HTTP 400/422 appropriately without leaking sensitive info', async () => {
    const secret = 'the-password-is-swordfish';
    const { status, text, body } = await post('/v1/message:send', {
      message: {
        ...MESSAGE,
        messageId: undefined,
        parts: [{ text: secret, file: { fileWithBytes: secret } }],
      },
    });
    expect([status, at(body, 'errors.0.field')]).toEqual([400, 'message.messageId']);
    expect(text).not.toContain(secret);
  });
});
