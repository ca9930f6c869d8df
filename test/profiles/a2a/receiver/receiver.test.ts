// Proves that notifications are taken from who may tell them and from nobody else, told once and in order, in every wire,
// through a real server and through requests of the web.

import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { HookDelivery, HookReceiverOptions } from '../../../../profiles/a2a/index.ts';
import { connectA2a, createHookReceiver } from '../../../../profiles/a2a/index.ts';
import { TOKENS, agentFor } from '../../../support/a2a/agent.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import { artifactJson, statusJson, taskJson } from '../../../support/a2a/scripted-agent.ts';

const TOKEN = 'the-token-of-the-hook';

interface Listening {
  readonly url: string;
  readonly told: readonly HookDelivery[];
}

async function listening(options: Partial<HookReceiverOptions> = {}): Promise<Listening> {
  const told: HookDelivery[] = [];
  const onEvent = (delivery: HookDelivery): void => void told.push(delivery);
  const { handler } = createHookReceiver({ token: TOKEN, onEvent, ...options });
  const server = createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, told };
}

function headersOf(
  more: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const all = {
    'content-type': 'application/a2a+json',
    'a2a-version': '1.0',
    'x-a2a-notification-token': TOKEN,
    ...more,
  };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

async function post(
  url: string,
  body: Json | string,
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, { method: 'POST', headers: headersOf(more), body: text });
}

const working = statusJson('t', 'WORKING', 'begun');

describe('#a2a-hook-receiver who may tell something', () => {
  test.each<[string, Partial<HookReceiverOptions>, Record<string, string | undefined>, number]>([
    ['the token', {}, {}, 204],
    ['another token', {}, { 'x-a2a-notification-token': 'wrong' }, 401],
    ['no token', {}, { 'x-a2a-notification-token': undefined }, 401],
    ['one of several', { token: ['a', TOKEN] }, {}, 204],
    ['both', { authorization: 'Bearer s' }, { authorization: 'bearer s' }, 204],
    ['one of both', { authorization: 'Bearer s' }, {}, 401],
    ['another scheme', { authorization: 'Bearer s' }, { authorization: 'Basic s' }, 401],
    ['another secret', { authorization: 'Bearer s' }, { authorization: 'Bearer S' }, 401],
    ['what a judge refuses', { accepts: () => false }, {}, 401],
    ['what a judge fails at', { accepts: () => Promise.reject(new Error('no')) }, {}, 401],
    ['what a judge accepts', { accepts: ({ token }) => token === TOKEN }, {}, 204],
  ])('%s: %o', async (_what, options, headers, status) => {
    const { url, told } = await listening(options);
    const answer = await post(url, working, headers);
    expect([answer.status, told.length]).toEqual([status, status === 204 ? 1 : 0]);
    const text = await answer.text();
    if (status === 401)
      expect(JSON.parse(text)).toEqual({ error: 'this notification is not proven' });
  });

  test('who is refused is not read', async () => {
    const { url } = await listening({ authorization: 'Bearer s' });
    const sending = httpRequest(url, { method: 'POST', headers: { 'content-length': '1000' } });
    sending.flushHeaders();
    const [response] = (await once(sending, 'response')) as [
      { statusCode: number; headers: object },
    ];
    expect(response.statusCode).toBe(401);
    expect(response.headers).toMatchObject({ 'www-authenticate': 'Bearer' });
    sending.destroy();
  });

  test('there is no receiver that asks for nothing', () => {
    const onEvent = (): void => undefined;
    expect(() => createHookReceiver({ onEvent })).toThrow('anybody could tell of any task');
    expect(() => createHookReceiver({ onEvent, token: '' })).toThrow('"token" is empty');
    expect(() => createHookReceiver({ onEvent, token: TOKEN, maxBytes: 0 })).toThrow(RangeError);
  });
});

describe('#a2a-hook-receiver what is told', () => {
  test('once, by the name that the sender gave it', async () => {
    const { url, told } = await listening();
    const first = { 'a2a-sdl-delivery': 'hook.1' };
    for (let at = 0; at < 3; at += 1) expect((await post(url, working, first)).status).toBe(204);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      id: 'hook.1',
      taskId: 't',
      version: '1.0',
      token: TOKEN,
      mayBeRepeat: false,
    });
    await post(url, working, { 'a2a-sdl-delivery': 'hook.2' });
    await post(url, statusJson('u', 'WORKING', 'begun'), first);
    expect(told.map(({ taskId, id }) => [taskId, id])).toEqual([
      ['t', 'hook.1'],
      ['t', 'hook.2'],
      ['u', 'hook.1'],
    ]);
  });

  test('once, by its bytes where it has no name; but no piece of output is lost', async () => {
    const { url, told } = await listening();
    for (let at = 0; at < 2; at += 1) await post(url, working);
    expect(told).toHaveLength(1);
    for (let at = 0; at < 2; at += 1) await post(url, artifactJson('t', 'a', 'ha', true));
    expect(told.slice(1).map(({ mayBeRepeat }) => mayBeRepeat)).toEqual([false, true]);
  });

  test('repeats that come at the same time share one telling', async () => {
    let count = 0;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { url } = await listening({ onEvent: () => ((count += 1), held) });
    const both = [post(url, working), post(url, working)];
    await expect.poll(() => count).toBe(1);
    release();
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([204, 204]);
    expect(count).toBe(1);
  });

  test('one after the other for one task, while another task does not wait', async () => {
    const order: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { url } = await listening({
      onEvent: async ({ taskId, event }) => {
        const word = event.type === 'status' ? event.status.state : event.type;
        order.push(`${taskId} ${word}`);
        if (word === 'working' && taskId === 't') await held;
      },
    });
    const first = post(url, working);
    await expect.poll(() => order).toEqual(['t working']);
    const second = post(url, statusJson('t', 'COMPLETED'));
    await post(url, statusJson('u', 'WORKING'));
    release();
    await Promise.all([first, second]);
    expect(order).toEqual(['t working', 'u working', 't completed']);
  });

  test('again, where it could not be taken in; and no more, where nobody waits', async () => {
    const answers = [new Error('disk full'), undefined, 'gone'];
    const { url } = await listening({
      onEvent: () => {
        const next = answers.shift();
        if (next instanceof Error) throw next;
        return next;
      },
    });
    const failed = await post(url, working);
    expect([failed.status, await failed.text()]).toEqual([
      500,
      expect.not.stringContaining('disk'),
    ]);
    expect((await post(url, working)).status).toBe(204);
    expect((await post(url, statusJson('t', 'COMPLETED'))).status).toBe(410);
  });

  test.each<[string, Json, Record<string, string | undefined>, object]>([
    ['1.0', { task: taskJson('t', 'WORKING') }, {}, { version: '1.0', event: { type: 'task' } }],
    ['1.0, not said', working, { 'a2a-version': undefined }, { version: '1.0', taskId: 't' }],
    [
      '0.3',
      {
        kind: 'status-update',
        taskId: 't',
        contextId: 'c',
        final: true,
        status: { state: 'completed' },
      },
      { 'a2a-version': '0.3', 'content-type': 'application/json' },
      { version: '0.3', event: { type: 'status', isLast: true, status: { state: 'completed' } } },
    ],
    [
      'a task of 0.3, not said',
      { kind: 'task', id: 't', contextId: 'c', status: { state: 'working' } },
      { 'a2a-version': undefined, 'content-type': 'application/json; charset=utf-8' },
      { version: '0.3', taskId: 't', event: { type: 'task' } },
    ],
    ['the draft', working, { 'a2a-version': '0.3' }, { version: 'draft', taskId: 't' }],
    [
      'a message',
      { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hello' }] } },
      {},
      { event: { type: 'message', message: { text: 'hello' } } },
    ],
  ])('in the words of %s', async (_wire, body, headers, expected) => {
    const { url, told } = await listening();
    expect((await post(url, body, headers)).status).toBe(204);
    expect(told).toMatchObject([expected]);
  });

  test.each<[string, string, Record<string, string | undefined>, number]>([
    ['no JSON', '{', {}, 400],
    ['a list', '[]', {}, 400],
    ['no event', '{"secret":"x"}', {}, 400],
    [
      'two events',
      JSON.stringify({ ...(working as object), task: taskJson('t', 'WORKING') }),
      {},
      400,
    ],
    ['an event of no task', '{"statusUpdate":{"status":{"state":"TASK_STATE_WORKING"}}}', {}, 400],
    ['another version', JSON.stringify(working), { 'a2a-version': '2.0' }, 400],
    ['another media type', JSON.stringify(working), { 'content-type': 'text/plain' }, 415],
    ['too many bytes', JSON.stringify({ text: 'x'.repeat(3_000) }), {}, 413],
  ])('not %s', async (_what, body, headers, status) => {
    const { url, told } = await listening({ maxBytes: 2_000 });
    const answer = await post(url, body, headers);
    const text = await answer.text();
    expect([answer.status, told]).toEqual([status, []]);
    expect(JSON.parse(text)).toEqual({ error: expect.any(String) });
    expect(text).not.toContain('secret');
  });

  test('not what has no end, nor another method', async () => {
    const { url } = await listening({ maxBytes: 2_000 });
    const endless = httpRequest(url, { method: 'POST', headers: headersOf() });
    endless.on('error', () => undefined);
    endless.write('x'.repeat(3_000));
    const [large] = (await once(endless, 'response')) as [{ statusCode: number }];
    expect(large.statusCode).toBe(413);
    endless.destroy();
    const got = await fetch(url);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('not what does not arrive, nor more at once than was said', async () => {
    const { url } = await listening({ timeoutMs: 50 });
    const slow = httpRequest(url, { method: 'POST', headers: headersOf() });
    slow.on('error', () => undefined);
    slow.write('{');
    const [late] = (await once(slow, 'response')) as [{ statusCode: number }];
    expect(late.statusCode).toBe(408);
    slow.destroy();
    let release = (): void => undefined;
    let begun = 0;
    const held = new Promise<void>((resolve) => (release = resolve));
    const busy = await listening({ maxAtOnce: 1, onEvent: () => ((begun += 1), held) });
    const first = post(busy.url, working);
    await expect.poll(() => begun).toBe(1);
    const second = await post(busy.url, statusJson('u', 'WORKING'));
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '5']);
    release();
    expect((await first).status).toBe(204);
  });

  test('through a request of the web', async () => {
    const told: HookDelivery[] = [];
    const receiver = createHookReceiver({ token: TOKEN, onEvent: (one) => void told.push(one) });
    const asked = (body: string): Request =>
      new Request('https://here.example/hook', { method: 'POST', headers: headersOf(), body });
    const { status, headers, body } = await receiver.receive(asked(JSON.stringify(working)));
    expect(new Response(body === '' ? null : body, { status, headers }).status).toBe(204);
    expect(told).toHaveLength(1);
    expect((await receiver.receive(asked('{'))).status).toBe(400);
  });
});

describe('#a2a-hook-receiver with an agent of ours', () => {
  test.each(['1.0', '0.3'] as const)(
    '%s: a task is told from its beginning to its end',
    async (version) => {
      const agent = await agentFor({ face: { allowLoopbackHooks: true } });
      const { url, told } = await listening({ authorization: 'Bearer s' });
      const connected = await connectA2a(agent.origin, {
        prefer: { version, binding: 'JSONRPC' },
        credentials: [{ origin: agent.origin, scheme: 'bearer', token: TOKENS['user']! }],
      });
      const sent = await connected.send({ message: message('hold'), isWaiting: false });
      const id = 'task' in sent ? sent.task.id : '';
      const authentication = { scheme: 'Bearer', credentials: 's' };
      await connected.createHook(id, { url, token: TOKEN, authentication });
      await connected.cancel(id);
      const isEnd = ({ event }: HookDelivery): boolean =>
        event.type === 'status' && event.status.state === 'canceled';
      await expect.poll(() => told.some(isEnd), { timeout: 30_000 }).toBe(true);
      expect(told.every((one) => one.taskId === id && one.version === version)).toBe(true);
      expect(new Set(told.map((one) => one.id)).size).toBe(told.length);
    },
  );
});
