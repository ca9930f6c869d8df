// Proves that our client reads what agents really send, and takes nothing for an answer that is none.

import { describe, expect, test } from 'vitest';

import type { A2aAgent } from '../../../../profiles/a2a/client/agent.ts';
import { connectA2a } from '../../../../profiles/a2a/client/connect.ts';
import type { A2aTask } from '../../../../profiles/a2a/client/model.ts';
import type { A2aClientOptions } from '../../../../profiles/a2a/client/options.ts';
import { LosslessNumber } from '../../../../src/index.ts';
import { TransportError } from '../../../../src/transport.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import type { Script } from '../../../support/a2a/scripted-agent.ts';
import {
  answerJson,
  answerRpc,
  cardOf,
  scriptedAgent,
  taskJson,
} from '../../../support/a2a/scripted-agent.ts';

async function connected(
  handle: NonNullable<Script['handle']>,
  options: A2aClientOptions = {},
  card: Script['card'] = cardOf,
): Promise<A2aAgent> {
  const { origin } = await scriptedAgent({ handle, card });
  return connectA2a(origin, { retries: 0, ...options });
}

/** The task as it is read when the agent answers with this result. */
async function got(result: Json): Promise<A2aTask> {
  const agent = await connected((request, response) => answerRpc(response, request, result));
  return agent.get('t');
}

async function failure(work: Promise<unknown>): Promise<TransportError> {
  const thrown: unknown = await work.then(
    () => 'an answer',
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(TransportError);
  expect((thrown as TransportError).fault).toBe('protocol');
  return thrown as TransportError;
}

describe('#a2a-client-reading what is taken', () => {
  test('messages and artifacts without ids, roles and moments', async () => {
    const task = await got({
      id: 't',
      status: {
        state: 'TASK_STATE_WORKING',
        message: { parts: [{ text: 'busy' }] },
        timestamp: 'soon',
      },
      history: [{ role: 'ROLE_USER', parts: [{ text: 'asked' }] }, { parts: [{ text: 'said' }] }],
      artifacts: [{ parts: [{ text: 'one' }] }, { name: 'named', parts: [] }, {}],
      somethingNew: true,
    });
    expect(task.status).toMatchObject({ state: 'working', message: { text: 'busy' } });
    expect(task.status.at).toBeUndefined();
    expect(task.history.map(({ role, text }) => `${role} ${text}`)).toEqual([
      'user asked',
      'agent said',
    ]);
    expect(task.artifacts.map(({ id, text }) => `${id} ${text}`)).toEqual([
      'artifact-1 one',
      'named ',
      'artifact-3 ',
    ]);
  });

  test.each([
    ['TASK_STATE_CANCELED', 'canceled'],
    ['TASK_STATE_CANCELLED', 'canceled'],
    ['cancelled', 'canceled'],
    ['input-required', 'input-required'],
    ['TASK_STATE_INPUT_REQUIRED', 'input-required'],
    [3, 'completed'],
    ['TASK_STATE_PAUSED', 'unknown'],
    ['constructor', 'unknown'],
  ])('the state %j is %s', async (state, word) => {
    expect((await got({ id: 't', status: { state } })).status.state).toBe(word);
  });

  test('a task without a status, and parts whose type is none', async () => {
    expect((await got({ id: 't' })).status.state).toBe('unknown');
    const parts = [
      { text: 'a', mediaType: 'what?' },
      { text: 'b', mediaType: 'text/plain' },
    ];
    const { artifacts } = await got({ id: 't', artifacts: [{ artifactId: 'a', parts }] });
    expect(artifacts[0]!.parts).toEqual([{ text: 'a' }, { text: 'b', mediaType: 'text/plain' }]);
  });

  test.each<[string, Json]>([
    ['wrapped', { task: taskJson('t', 'COMPLETED') }],
    ['by its kind', { kind: 'task', ...(taskJson('t', 'COMPLETED') as object) }],
    ['bare', taskJson('t', 'COMPLETED')],
  ])('a task that is %s', async (_how, result) => {
    const agent = await connected((request, response) => answerRpc(response, request, result));
    expect(await agent.send({ message: message('x') })).toMatchObject({ task: { id: 't' } });
  });

  test.each<[string, Json]>([
    ['wrapped', { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } }],
    ['by its kind', { kind: 'message', parts: [{ text: 'hi' }] }],
    ['bare', { role: 'ROLE_AGENT', contextId: 'c', parts: [{ text: 'hi' }] }],
  ])('a message that is %s', async (_how, result) => {
    const agent = await connected((request, response) => answerRpc(response, request, result));
    const sent = await agent.send({ message: message('x') });
    expect('message' in sent && sent.message.text).toBe('hi');
  });

  test('numbers keep their value, and members of any name do no harm', async () => {
    const text = '{"id":"t","metadata":{"__proto__":{"x":1},"big":12345678901234567890,"one":1.0}}';
    const agent = await connected(({ id }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`);
    });
    const { metadata } = await agent.get('t');
    expect(metadata!['big']).toEqual(new LosslessNumber('12345678901234567890'));
    expect(Object.hasOwn(metadata!, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

describe('#a2a-client-reading what is not', () => {
  test.each<[string, Json, string]>([
    ['no object', 'hello', 'expected an object'],
    ['a task without an id', { status: {} }, 'id is missing'],
    ['another task', taskJson('other', 'WORKING'), 'another task'],
    ['an id that is a number', { id: 5 }, 'id expected a string'],
    ['a history that is none', { id: 't', history: 'long' }, 'history expected an array'],
    [
      'a part without content',
      { id: 't', artifacts: [{ parts: [{}] }] },
      'parts[0] expected one of',
    ],
    [
      'a part of two kinds',
      { id: 't', artifacts: [{ parts: [{ text: 'a', url: 'b' }] }] },
      'artifacts[0].parts[0].url cannot stand beside text',
    ],
    [
      'bytes that are none',
      { id: 't', artifacts: [{ parts: [{ raw: '%%%' }] }] },
      'raw expected base64',
    ],
    ['an empty address', { id: 't', artifacts: [{ parts: [{ url: '' }] }] }, 'url'],
    ['metadata that is a list', { id: 't', metadata: [] }, 'metadata expected an object'],
  ])('%s', async (_what, result, words) => {
    expect((await failure(got(result))).message).toContain(words);
  });

  test.each<[string, NonNullable<Script['handle']>, string]>([
    [
      'an answer to another request',
      (_request, response) =>
        answerJson(response, { jsonrpc: '2.0', id: 'other', result: taskJson('t', 'WORKING') }),
      'answers another request',
    ],
    [
      'an answer without an id',
      (_request, response) =>
        answerJson(response, { jsonrpc: '2.0', result: taskJson('t', 'WORKING') }),
      'answers another request',
    ],
    [
      'a web page',
      (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<b>'),
      'of the type text/html',
    ],
    [
      'something without a type',
      (_request, response) => response.writeHead(200).end('{}'),
      'does not say its type',
    ],
    [
      'a type with an attack in it',
      (_request, response) => response.writeHead(200, { 'content-type': 'x/<script>' }).end('{}'),
      'does not say its type',
    ],
    [
      'half of an answer',
      (_request, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
      'no JSON',
    ],
    [
      'nothing',
      (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(),
      'no answer of JSON-RPC',
    ],
    [
      'members that stand twice',
      ({ id }, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(
            `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"id":"t"},"result":{"id":"u"}}`,
          ),
      'no JSON',
    ],
  ])('%s', async (_what, handle, words) => {
    expect((await failure((await connected(handle)).get('t'))).message).toContain(words);
  });

  test('more than the limits allow, whole or nested', async () => {
    const large = await connected(
      (request, response) =>
        answerRpc(response, request, taskJson('t', 'WORKING', { x: 'y'.repeat(9_000) })),
      { limits: { maxBytes: 8_000 } },
    );
    expect((await failure(large.get('t'))).message).toContain('larger than 8000 bytes');
    const endless = await connected((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const pour = (): void => {
        if (!response.destroyed && response.write('x'.repeat(65_536))) setImmediate(pour);
        else response.once('drain', pour);
      };
      pour();
    });
    expect((await failure(endless.get('t'))).message).toContain('larger than');
    const deep = await connected(({ id }, response) => {
      const nested = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${nested}}`);
    });
    expect((await failure(deep.get('t'))).message).toContain('no JSON');
  });
});

describe('#a2a-client-errors refusals', () => {
  const rest: NonNullable<Script['card']> = (origin) =>
    cardOf(origin, {
      supportedInterfaces: [{ url: origin, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }],
    });
  const TYPE = 'type.googleapis.com/google.rpc.ErrorInfo';

  test.each<[string, number, Json | string, object]>([
    [
      'as google.rpc.Status',
      404,
      {
        error: {
          code: 404,
          status: 'NOT_FOUND',
          message: 'gone',
          details: [{ '@type': TYPE, reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }],
        },
      },
      { code: 'TASK_UNKNOWN', kind: 'TASK_NOT_FOUND', status: 404 },
    ],
    [
      'as a bare error of 0.3',
      400,
      { code: -32_001, message: 'gone' },
      { kind: 'TASK_NOT_FOUND', rpcCode: -32_001 },
    ],
    [
      'as problem details',
      409,
      { type: 'https://a2a-protocol.org/errors/task-not-cancelable', title: 'x', status: 409 },
      { kind: 'TASK_NOT_CANCELABLE', code: 'TASK_ENDED' },
    ],
    ['with words alone', 404, { message: 'not here' }, { kind: 'TASK_NOT_FOUND' }],
    ['as a page that is not there', 404, '<html>', { kind: 'METHOD_NOT_FOUND' }],
    ['as a gateway', 502, '<html>', { kind: 'UNAVAILABLE', retryable: true }],
    ['as one that asks who it is', 401, '', { code: 'UNAUTHENTICATED' }],
    ['as one that does not allow it', 403, '', { code: 'NOT_AUTHORIZED' }],
    ['as one that is full', 429, '', { code: 'LIMIT_RATE', retryable: true }],
    ['as a teapot', 418, '', { kind: 'INVALID_REQUEST' }],
  ])('over REST %s', async (_how, status, body, wanted) => {
    const agent = await connected(
      (_request, response) => {
        if (typeof body === 'string') response.writeHead(status).end(body);
        else answerJson(response, body, status);
      },
      {},
      rest,
    );
    await expect(agent.get('t')).rejects.toMatchObject(wanted);
  });

  test.each<[Json, object]>([
    [
      { code: -32_001, message: 'Task not found', data: { taskId: 't' } },
      { code: 'TASK_UNKNOWN', rpcCode: -32_001 },
    ],
    [
      { code: -32_602, message: 'no' },
      { kind: 'INVALID_PARAMS', code: 'PAYLOAD_INVALID' },
    ],
    [{ code: -1, message: 'no' }, { kind: 'INTERNAL_ERROR' }],
    [{}, { kind: 'INTERNAL_ERROR' }],
    [
      { code: -32_000, message: 'x', data: [{ '@type': TYPE, reason: 'UNAVAILABLE' }] },
      { kind: 'UNAVAILABLE', retryable: true },
    ],
    [
      { code: -32_603, message: 'x', data: [{ '@type': 'RetryInfo', retryDelay: '1s' }] },
      { retryable: true },
    ],
  ])('over JSON-RPC as %j', async (error, wanted) => {
    const agent = await connected(({ id }, response) =>
      answerJson(response, { jsonrpc: '2.0', id, error }),
    );
    await expect(agent.get('t')).rejects.toMatchObject(wanted);
  });

  test('of who could not read the request, or refuses it before that', async () => {
    const unread = await connected((_request, response) =>
      answerJson(response, { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'x' } }),
    );
    await expect(unread.get('t')).rejects.toMatchObject({ kind: 'PARSE_ERROR' });
    const guarded = await connected(({ id }, response) =>
      answerJson(response, { jsonrpc: '2.0', id, error: { code: -32_000, message: 'who?' } }, 401),
    );
    await expect(guarded.get('t')).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
  });

  test('a refusal in the middle of a stream is one, and its words are cut', async () => {
    const long = 'no'.repeat(5_000);
    const agent = await connected(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${JSON.stringify({ task: taskJson('t', 'WORKING') })}\n\n`);
        response.end(`event: error\ndata: ${JSON.stringify({ code: -32_603, message: long })}\n\n`);
      },
      {},
      rest,
    );
    const stream = agent.stream({ message: message('x') });
    expect((await stream.next()).value).toMatchObject({ event: { type: 'task' } });
    const refused = await stream.next().then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    expect(refused).toMatchObject({ kind: 'INTERNAL_ERROR' });
    expect(refused!.message.length).toBeLessThan(1_100);
  });
});
