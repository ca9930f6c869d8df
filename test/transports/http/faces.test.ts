// Proves that several dialects share one port: each gets its paths, refuses in its own form, and has caps of its own.

import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { SdlError } from '../../../src/errors.ts';
import { resolveLimits } from '../../../src/limits.ts';
import type { Listener } from '../../../src/transport.ts';
import type { HttpCall, HttpFace } from '../../../transports/http/index.ts';
import { ipc } from '../../../transports/ipc/index.ts';
import { ws } from '../../../transports/ws/index.ts';
import type { Agent, Call } from '../../support/agents/http-agent.ts';
import {
  call,
  contextOf,
  echo,
  listenOn,
  open,
  serveAgent,
  stopAgents,
  textOf,
  untilClosed,
  utf8,
} from '../../support/agents/http-agent.ts';
import { SMALL_TYPE, counts, small } from '../../support/agents/small-face.ts';
import { Gate } from '../../support/agents/tasks.ts';

afterEach(stopAgents);

const context = contextOf(echo);

/** A face beside envelopes. */
async function withFace(
  handle: (call: HttpCall) => Promise<void>,
  more: Partial<HttpFace> = {},
  options: Parameters<typeof serveAgent>[1] = {},
): Promise<{ agent: Agent; face: Listener; errors: unknown[] }> {
  const errors: unknown[] = [];
  const told = contextOf(echo, { onError: (cause) => errors.push(cause) });
  const agent = await listenOn(told, options);
  const face = await small('small', handle, more).listen(told, [agent.listener]);
  return { agent, face, errors };
}

const post = (body: string | Uint8Array, headers = {}): Call => ({ path: '/small', body, headers });

describe('two faces on one port', () => {
  test('get their own paths, the first that owns one gets it, and nobody else is there', async () => {
    const agent = await serveAgent(echo);
    const says = (word: string) => (request: HttpCall) => request.answer(200, {}, word);
    const hosts = [agent.listener];
    const one = await small('one', says('one')).listen(context, hosts);
    await small('two', says('two'), { owns: () => true }).listen(context, hosts);
    expect(one).toMatchObject({ name: 'one', urls: [`http://127.0.0.1:${agent.port}/one`] });
    expect((await call(agent, { path: '/one' })).body).toBe('one');
    expect((await call(agent, { path: '/one/more?x=1' })).body).toBe('one');
    expect((await call(agent, { path: '/elsewhere' })).body).toBe('two');
    expect((await call(agent, { body: '{"n":1}' })).body).toBe('{"n":1}');
    const health = await call(agent, { method: 'GET', path: '/healthz' });
    expect(health.body).toBe('{"ok":true}');
  });

  test('leave a path that nobody owns to the plain 404 of the host', async () => {
    const { agent } = await withFace(counts);
    for (const path of ['/', '/smaller', '/Small', '//small']) {
      expect(await call(agent, { path })).toMatchObject({ status: 404, body: '' });
    }
  });

  test('see what was asked: method, path, query, headers, the other end', async () => {
    const seen: unknown[] = [];
    const { agent } = await withFace(async (request) => {
      const { method, path, query, headers, peer, signal } = request;
      seen.push({ method, path, query: [...query], x: headers['x-small'], peer });
      seen.push(headers['constructor'], Object.getPrototypeOf(headers), signal.aborted);
      await request.answer(202, { 'x-answer': 'yes', 'cache-control': 'max-age=1' });
    });
    const path = '/small/%61/../b?c=d%20e&c=f';
    const answer = await call(agent, { method: 'PUT', path, headers: { 'X-Small': 'y' } });
    expect(answer).toMatchObject({ status: 202, body: '' });
    expect(answer.headers).toMatchObject({ 'x-answer': 'yes', 'cache-control': 'max-age=1' });
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    const query = [
      ['c', 'd e'],
      ['c', 'f'],
    ];
    const peer = { transport: 'small', address: '127.0.0.1' };
    expect(seen).toEqual([
      { method: 'PUT', path: '/small/%61/../b', query, x: 'y', peer },
      undefined,
      null,
      false,
    ]);
  });

  test('have caps of their own', async () => {
    const large = contextOf(echo, { limits: resolveLimits({ maxBytes: 1_000_000 }) });
    const agent = await listenOn(large);
    await small('small', counts).listen(large, [agent.listener]);
    const [kilobyte, more] = ['x'.repeat(1_024), 'x'.repeat(1_025)];
    expect((await call(agent, post(kilobyte))).body).toBe('1024 bytes');
    for (const chunked of [{}, { 'transfer-encoding': 'chunked' }]) {
      const answer = await call(agent, post(more, chunked));
      expect(answer).toMatchObject({ status: 413, body: 'LIMIT_BYTES 413' });
      expect(answer.headers).toMatchObject({ 'content-type': SMALL_TYPE, connection: 'close' });
    }
    const megabyte = 'x'.repeat(1_000_000);
    expect((await call(agent, { body: megabyte })).body.length).toBe(1_000_000);
    const refused = await call(agent, { body: `${megabyte}x` });
    expect(refused.status).toBe(413);
    expect(refused.body).toContain('"ct":"error.v1"');
  });
});

describe('a refusal before the body is in the form of the face', () => {
  const never = (): Promise<void> => Promise.reject(new Error('nothing may get to the face'));
  const methods = (): string[] => ['POST'];
  const origin = 'https://evil.example';

  test.each<[string, string, Call]>([
    ['a foreign Host', 'ADDRESS_WRONG 421', { headers: { host: 'evil.example' } }],
    ['a foreign Origin', 'NOT_AUTHORIZED 403', { headers: { origin } }],
    ['a foreign preflight', 'NOT_AUTHORIZED 403', { method: 'OPTIONS', headers: { origin } }],
    ['another method', 'ADDRESS_WRONG 405', { method: 'DELETE' }],
  ])('%s', async (_what, body, options) => {
    const { agent, errors } = await withFace(never, { methods });
    const answer = await call(agent, { path: '/small', ...options });
    expect(answer).toMatchObject({ status: Number(body.split(' ')[1]), body });
    expect(answer.headers['content-type']).toBe(SMALL_TYPE);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(answer.headers.allow).toBe(body.endsWith('405') ? 'POST' : undefined);
    expect(errors).toEqual([]);
    // At the path of the other face the same is told in its own form.
    const other = await call(agent, options);
    expect(other.status).toBe(answer.status);
    expect(other.body).toMatch(other.status === 405 ? /^$/ : /"ct":"error.v1"/);
  });

  test('a type that the face does not take, which it says itself', async () => {
    const refusing = async (): Promise<void> => {
      throw new SdlError('ENCODING_UNSUPPORTED', 'a secret of the log');
    };
    const { agent, errors } = await withFace(refusing);
    const answer = await call(agent, post('x'.repeat(500_000)));
    expect(answer).toMatchObject({ status: 415, body: 'ENCODING_UNSUPPORTED 415' });
    // What is left of the body would stand before the next request.
    expect(answer.headers.connection).toBe('close');
    expect(errors).toEqual([]);
  });

  test('after the body the connection goes on', async () => {
    const { agent } = await withFace(async (request) => {
      await request.body();
      throw new SdlError('UNAUTHENTICATED', 'nobody');
    });
    const headers = { connection: 'keep-alive' };
    const answer = await call(agent, post('x', headers));
    expect(answer).toMatchObject({ status: 401, body: 'UNAUTHENTICATED 401' });
    expect(answer.headers.connection).toBe('keep-alive');
  });

  test('DRAINING, while a face closes and its calls in flight end', async () => {
    const [started, gate] = [new Gate(), new Gate()];
    const { agent, face } = await withFace(async (request) => {
      started.open();
      await gate.opened;
      await request.answer(200, {}, 'done');
    });
    const first = call(agent, post('x'));
    await started.opened;
    const closed = face.close(60_000);
    const refused = await call(agent, post('y'));
    expect(refused).toMatchObject({ status: 503, body: 'DRAINING 503' });
    expect(refused.headers).toMatchObject({ 'content-type': SMALL_TYPE, connection: 'close' });
    expect((await call(agent, { body: '{}' })).status).toBe(200);
    gate.open();
    expect((await first).body).toBe('done');
    await closed;
    expect((await call(agent, post('z'))).status).toBe(404);
  });

  test('a face that closes gives its paths to the next one at once', async () => {
    const started = new Gate();
    const { agent, face } = await withFace(() => {
      started.open();
      return new Promise(() => {});
    });
    const stuck = call(agent, post('x')).catch((error: Error) => error.message);
    await started.opened;
    await small('small', counts).listen(context, [agent.listener]);
    const closed = face.close(50);
    expect((await call(agent, post('abc'))).body).toBe('3 bytes');
    await closed;
    expect(await stuck).toContain('hang up');
  });

  test('what comes on an open connection while the host closes is for the face to say', async () => {
    const [started, gate] = [new Gate(), new Gate()];
    const { agent, face } = await withFace(async (request) => {
      started.open();
      await gate.opened;
      await request.answer(200, {}, 'done');
    });
    const words = `GET /small HTTP/1.1\r\nHost: localhost:${agent.port}\r\n\r\n`;
    const socket = await open(agent);
    socket.write(words);
    await started.opened;
    const said = untilClosed(socket);
    const closed = Promise.all([face.close(60_000), agent.listener.close(60_000)]);
    socket.write(words);
    gate.open();
    expect(await said).toMatch(/200 OK[^]*done/);
    await closed;
  });
});

describe('CORS is of the face', () => {
  const origin = 'https://console.example';

  test('each tells its own headers and methods', async () => {
    const methods = (path: string): string[] => (path === '/small' ? ['GET', 'PUT'] : ['POST']);
    const { agent } = await withFace(counts, { methods }, { allowedOrigins: [origin] });
    const preflight = (path: string): ReturnType<typeof call> =>
      call(agent, { method: 'OPTIONS', path, headers: { origin } });
    const allowed = (headers: string, verbs: string): object => ({
      status: 204,
      headers: {
        'access-control-allow-origin': origin,
        'access-control-allow-headers': headers,
        'access-control-allow-methods': verbs,
        vary: 'origin',
      },
    });
    expect(await preflight('/small')).toMatchObject(allowed('authorization, x-small', 'GET, PUT'));
    expect(await preflight('/small/x')).toMatchObject(allowed('authorization, x-small', 'POST'));
    expect(await preflight('/a2a')).toMatchObject(
      allowed('accept, content-type, last-event-id', 'POST'),
    );
    const answer = await call(agent, { path: '/small/x', body: 'x', headers: { origin } });
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
  });

  test('a face that names no methods gets all of them', async () => {
    const { agent } = await withFace(counts, {}, { allowedOrigins: [origin] });
    const { headers } = await call(agent, {
      method: 'OPTIONS',
      path: '/small',
      headers: { origin },
    });
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
    expect((await call(agent, { method: 'DELETE', path: '/small' })).body).toBe('0 bytes');
  });
});

describe('a face answers', () => {
  test('with pieces, the status open until the first one', async () => {
    const { agent } = await withFace(async (request) => {
      const stream = request.stream(203, { 'content-type': SMALL_TYPE });
      if (request.path === '/small/no') return request.answer(418);
      expect(stream.hasBegun).toBe(false);
      await stream.write('one ');
      expect(stream.hasBegun).toBe(true);
      await stream.write(utf8('two'));
      return stream.end();
    });
    expect(await call(agent, post(''))).toMatchObject({ status: 203, body: 'one two' });
    expect(await call(agent, { path: '/small/no' })).toMatchObject({ status: 418, body: '' });
  });

  test('with events that have ids and names, and heartbeats in between', async () => {
    const gate = new Gate();
    const { agent } = await withFace(
      async (request) => {
        const events = request.events({ 'x-kind': 'small' });
        events.begin();
        await gate.opened;
        await events.send({ data: 'a\nb', id: 'x1', event: 'step' });
        await expect(events.send({ data: '', id: 'x\n' })).rejects.toThrow('expected one line');
        await events.send({ data: utf8('{}'), id: 2 });
        await events.end();
      },
      {},
      { heartbeatIntervalMs: 5 },
    );
    const socket = await open(agent);
    socket.write(`GET /small HTTP/1.0\r\nHost: localhost:${agent.port}\r\n\r\n`);
    let seen = '';
    socket.on('data', (chunk: Uint8Array) => (seen += textOf(chunk)));
    await expect.poll(() => seen).toContain(':\n\n:\n\n');
    gate.open();
    await once(socket, 'close');
    const text = seen;
    expect(text).toContain('x-kind: small');
    expect(text).toContain('content-type: text/event-stream');
    expect(text).toContain(':\n\n');
    expect(text.replaceAll(':\n\n', '')).toMatch(
      /event: step\nid: x1\ndata: a\ndata: b\n\nid: 2\ndata: {}\n\n$/,
    );
  });

  test('no faster than the client reads, and stops when it has gone', async () => {
    let written = 0;
    const gone = new Gate();
    const { agent, errors } = await withFace(async (request) => {
      const stream = request.stream(200);
      const piece = new Uint8Array(64_000);
      while (!request.signal.aborted) {
        await stream.write(piece);
        written += 1;
        // Otherwise nobody else gets to do anything while the buffers of the system have room.
        await new Promise(setImmediate);
      }
      gone.open();
    });
    const socket = await open(agent);
    socket.write(`GET /small HTTP/1.1\r\nHost: localhost:${agent.port}\r\n\r\n`);
    socket.pause();
    // The buffers of the system fill up, and then nothing more is written.
    let last = 0;
    const grew = (): boolean => last < (last = written);
    await expect.poll(grew).toBe(true);
    await expect.poll(grew, { interval: 200 }).toBe(false);
    socket.destroy();
    await gone.opened;
    expect(errors).toEqual([]);
  });
});

describe('a face that breaks', () => {
  test('tells the embedder why, and its caller in its form that it did', async () => {
    const broken = new Error('a secret');
    const { agent, errors } = await withFace(() => Promise.reject(broken));
    const answer = await call(agent, post('x'));
    expect(answer).toMatchObject({ status: 500, body: 'INTERNAL 500' });
    expect(errors).toEqual([broken]);
  });

  test.each<[string, (call: HttpCall) => Promise<void>, Partial<HttpFace>]>([
    ['answers nothing', async () => {}, {}],
    [
      'cannot refuse',
      () => Promise.reject(new Error('first')),
      { refuse: () => Promise.reject(new Error('second')) },
    ],
    [
      'writes a header that is none',
      (request) => request.answer(200, { 'x-y': 'a\r\nb' }),
      { refuse: async () => {} },
    ],
  ])('and %s gets 500 without a word', async (_what, handle, more) => {
    const { agent, errors } = await withFace(handle, more);
    expect(await call(agent, post('x'))).toMatchObject({ status: 500, body: '' });
    expect(errors.length).toBeGreaterThan(0);
    expect((await call(agent, { body: '{}' })).status).toBe(200);
  });

  test('in the middle of its answer cuts the connection', async () => {
    const { agent, errors } = await withFace(async (request) => {
      await request.stream(200).write('half');
      throw new Error('broken');
    });
    const failed = await call(agent, post('x')).catch((error: Error) => error.message);
    expect(failed).toBe('aborted');
    expect(errors).toHaveLength(1);
  });
});

describe('where a face listens', () => {
  test('behind ws() on the same port too', async () => {
    const agent = await serveAgent(echo);
    const sockets = await ws().listen(context, [agent.listener]);
    const face = await small('small', counts).listen(context, [sockets, agent.listener]);
    expect(sockets).toMatchObject({ name: 'ws', urls: [`ws://127.0.0.1:${agent.port}/a2a`] });
    expect(face.urls).toEqual([`http://127.0.0.1:${agent.port}/small`]);
    expect((await call(agent, post('abc'))).body).toBe('3 bytes');
    await sockets.close(0);
  });

  test('nowhere without a host, and it says what to do', async () => {
    const frames = await ipc({ port: 0 }).listen(context, []);
    expect(frames.name).toBe('ipc-tcp');
    const listening = small('small', counts).listen(context, [frames]);
    await expect(listening).rejects.toThrow(
      'small() shares the port of http(): listen with http() first',
    );
    await frames.close(0);
  });

  test('at the address that others use, below its prefix', async () => {
    const publicUrl = 'https://public.example/agents/bob/a2a';
    const { face } = await withFace(counts, {}, { publicUrl });
    expect(face.urls).toEqual(['https://public.example/agents/bob/small']);
  });
});
