// Proves what each request to the HTTP listener gets.

import { afterEach, describe, expect, test } from 'vitest';
import type { Inbound, Receive } from '../../../src/transport.ts';
import {
  LIMITS,
  call,
  contextOf,
  echo,
  listenOn,
  reply,
  serveAgent,
  stopAgents,
} from '../../support/agents/http-agent.ts';

afterEach(stopAgents);

/** Keeps what came in and answers with an event and a `res`. */
function streaming(seen: Inbound[] = []): Receive {
  return async function* (inbound) {
    seen.push(inbound);
    yield reply('{"n":1}', { type: 'evt', generation: 4 });
    yield reply('{"n":2}', { type: 'evt' });
    yield reply('{"n":3}', { generation: 5 });
  };
}

describe('#transport-http a message', () => {
  test('gets to the runtime byte by byte, and the answer back', async () => {
    const seen: Inbound[] = [];
    const agent = await serveAgent(async function* (inbound) {
      seen.push(inbound);
      yield* echo(inbound);
    });
    expect(agent.url).toBe(`http://127.0.0.1:${agent.port}/a2a`);
    const answer = await call(agent, { body: ' {"größe":1} ' });
    expect(answer).toMatchObject({ status: 200, body: ' {"größe":1} ' });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(seen[0]).toMatchObject({ encoding: 'json', wantsStream: false });
    expect(seen[0]!.peer).toEqual({ transport: 'http', address: '127.0.0.1' });
    expect(seen[0]).not.toHaveProperty('afterGeneration');
    expect(seen[0]!.signal.aborted).toBe(false);
  });

  test('may be CBOR, and is answered in CBOR when the runtime says so', async () => {
    const seen: Inbound[] = [];
    const agent = await serveAgent(async function* (inbound) {
      seen.push(inbound);
      yield* echo(inbound);
    });
    const headers = { 'content-type': 'application/cbor' };
    const answer = await call(agent, { body: Uint8Array.of(0xa0), headers });
    expect(answer.headers['content-type']).toBe('application/cbor');
    expect(seen[0]).toMatchObject({ encoding: 'cbor' });
    expect([...seen[0]!.bytes]).toEqual([0xa0]);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON;x=y', 'application/cbor ; a=b'])(
    'of the type %s is accepted',
    async (type) => {
      const agent = await serveAgent(echo);
      const { status } = await call(agent, { body: '{}', headers: { 'content-type': type } });
      expect(status).toBe(200);
    },
  );

  test.each([429, 503])('that is not admitted is told so by status %d', async (status) => {
    const agent = await serveAgent(async function* () {
      yield reply('{"ct":"error.v1"}', { status });
    });
    for (const accept of ['*/*', 'text/event-stream', 'application/x-ndjson']) {
      const answer = await call(agent, { headers: { accept } });
      expect(answer).toMatchObject({ status, body: '{"ct":"error.v1"}' });
      expect(answer.headers['content-type']).toBe('application/json');
    }
  });

  test('that nothing answers gets 204', async () => {
    const agent = await serveAgent(async function* () {});
    for (const accept of ['*/*', 'text/event-stream']) {
      expect(await call(agent, { headers: { accept } })).toMatchObject({ status: 204, body: '' });
    }
  });

  test('of exactly the largest size passes', async () => {
    const agent = await serveAgent(echo);
    const body = 'x'.repeat(LIMITS.maxBytes);
    expect(await call(agent, { body })).toMatchObject({ status: 200, body });
  });

  test('is answered with 500 and no word when the runtime breaks its promise not to throw', async () => {
    const agent = await serveAgent(() => {
      throw new Error('secret');
    });
    expect(await call(agent, { body: '{}' })).toMatchObject({ status: 500, body: '' });
  });
});

describe('#transport-http the form of the answer', () => {
  test('is the res alone unless a stream is asked for', async () => {
    const seen: Inbound[] = [];
    const agent = await serveAgent(streaming(seen));
    for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream']) {
      expect(await call(agent, { headers: { accept } })).toMatchObject({ body: '{"n":3}' });
    }
    expect(seen.map(({ wantsStream }) => wantsStream)).toEqual([false, false, false]);
  });

  test('is server-sent events with the generation as their id', async () => {
    const seen: Inbound[] = [];
    const agent = await serveAgent(streaming(seen));
    const headers = { accept: 'text/event-stream, application/json', 'last-event-id': '17' };
    const answer = await call(agent, { headers });
    expect(answer.headers['content-type']).toBe('text/event-stream');
    expect(answer.body).toBe('id: 4\ndata: {"n":1}\n\ndata: {"n":2}\n\nid: 5\ndata: {"n":3}\n\n');
    expect(seen[0]).toMatchObject({ wantsStream: true, afterGeneration: 17 });
  });

  test('is one envelope a line, whatever white space it holds', async () => {
    const agent = await serveAgent(async function* () {
      yield reply('{"n":\r\n1}', { type: 'evt' });
      yield reply('{"n":2}');
    });
    const answer = await call(agent, { headers: { accept: 'application/x-ndjson' } });
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    expect(answer.body).toBe('{"n":  1}\n{"n":2}\n');
  });

  test('holds CBOR as a JSON string of base64url', async () => {
    const agent = await serveAgent(async function* () {
      yield { ...reply(''), bytes: Uint8Array.of(0xa0, 0xff), encoding: 'cbor' };
    });
    const { body } = await call(agent, { headers: { accept: 'text/event-stream' } });
    expect(body).toBe('data: "oP8"\n\n');
  });

  test.each(['-1', '1.5', '', 'x', '9007199254740993', '1'.repeat(40)])(
    'takes no heed of a Last-Event-ID that is no generation: %j',
    async (id) => {
      const seen: Inbound[] = [];
      const agent = await serveAgent(streaming(seen));
      await call(agent, { headers: { 'last-event-id': id } });
      expect(seen[0]).not.toHaveProperty('afterGeneration');
    },
  );
});

describe('#transport-http what is refused before the checks', () => {
  const never: Receive = () => {
    throw new Error('nothing may get to the runtime');
  };

  async function refusal(
    status: number,
    reason: string,
    options: Parameters<typeof call>[1],
  ): Promise<void> {
    const answer = await call(await serveAgent(never), options);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(JSON.parse(answer.body)).toMatchObject({ ct: 'error.v1', payload: { reason } });
  }

  test.each(['text/plain', '', 'application/jsonx', 'multipart/form-data', 'json;', 'a b/c'])(
    'a body of the type %j',
    async (type) => {
      await refusal(415, 'ENCODING_UNSUPPORTED', { body: '{}', headers: { 'content-type': type } });
    },
  );

  test('a compressed body', async () => {
    await refusal(415, 'ENCODING_UNSUPPORTED', { headers: { 'content-encoding': 'gzip' } });
  });

  test('a body whose announced length is beyond the limit', async () => {
    await refusal(413, 'LIMIT_BYTES', { body: 'x'.repeat(LIMITS.maxBytes + 1) });
  });

  test('a chunked body as soon as it is beyond the limit', async () => {
    await refusal(413, 'LIMIT_BYTES', {
      body: 'x'.repeat(LIMITS.maxBytes + 1),
      headers: { 'transfer-encoding': 'chunked' },
    });
  });

  test.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1',
    'localhost:1',
    '127.0.0.1.evil.example',
  ])('W44 a message to the foreign host %s', async (host) =>
    refusal(421, 'ADDRESS_WRONG', { headers: { host } }),
  );

  test.each(['https://evil.example', 'null', 'http://localhost'])(
    'W44 a message from the foreign origin %s',
    async (origin) => refusal(403, 'NOT_AUTHORIZED', { headers: { origin } }),
  );

  test('a preflight of a foreign origin', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    await refusal(403, 'NOT_AUTHORIZED', { method: 'OPTIONS', headers });
  });

  test('W44 the document and the metrics too, for a page that rebinds its name', async () => {
    for (const path of ['/.well-known/a2a-sdl.json', '/metrics', '/elsewhere']) {
      const headers = { host: 'evil.example' };
      await refusal(421, 'ADDRESS_WRONG', { method: 'GET', path, headers });
    }
  });
});

describe('#transport-http names and origins that are allowed', () => {
  test('are those of the machine itself, with the real port', async () => {
    const agent = await serveAgent(echo);
    for (const name of ['localhost', 'LOCALHOST', '127.0.0.1', '[::1]']) {
      const headers = { host: `${name}:${agent.port}` };
      expect((await call(agent, { headers })).status).toBe(200);
    }
  });

  test('can be added', async () => {
    const agent = await serveAgent(echo, {
      allowedHosts: ['agent.example', 'other.example:99'],
      publicUrl: 'https://public.example/a2a',
      allowedOrigins: ['https://console.example'],
    });
    expect(agent.listener.urls).toEqual(['https://public.example/a2a']);
    expect(agent.listener.urlOf('/x')).toBe('https://public.example/x');
    const status = async (host: string): Promise<number> =>
      (await call(agent, { headers: { host } })).status;
    expect(await status('agent.example')).toBe(200);
    expect(await status('agent.example:1234')).toBe(200);
    expect(await status('public.example')).toBe(200);
    expect(await status('other.example:99')).toBe(200);
    expect(await status('other.example:98')).toBe(421);
  });

  test('are told to the browser, which asks before it sends', async () => {
    const origin = 'https://console.example';
    const agent = await serveAgent(echo, { allowedOrigins: [origin] });
    const preflight = await call(agent, { method: 'OPTIONS', headers: { origin } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      vary: 'origin',
    });
    const answer = await call(agent, { body: '{}', headers: { origin } });
    expect(answer).toMatchObject({ status: 200, body: '{}' });
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
    expect((await call(agent)).headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('#transport-http other paths', () => {
  const get = (path: string, headers = {}): Parameters<typeof call>[1] => ({
    method: 'GET',
    path,
    headers,
  });

  test('give the agent document', async () => {
    const answer = await call(await serveAgent(echo), get('/.well-known/a2a-sdl.json'));
    expect(answer).toMatchObject({ status: 200, body: '{"agent_id":"did:key:z6Mk"}' });
    expect(answer.headers['content-type']).toBe('application/json');
  });

  test('tell whether the process lives and whether it takes messages, by whatever name it is asked', async () => {
    let isReady = true;
    const agent = await listenOn(contextOf(echo, { isReady: async () => isReady }));
    const headers = { host: '10.1.2.3:8787' };
    const ask = async (path: string): Promise<[number, string]> => {
      const { status, body } = await call(agent, get(path, headers));
      return [status, body];
    };
    expect(await ask('/readyz')).toEqual([200, '{"ok":true}']);
    isReady = false;
    expect(await ask('/readyz')).toEqual([503, '{"ok":false}']);
    expect(await ask('/healthz')).toEqual([200, '{"ok":true}']);
    const head = await call(agent, { method: 'HEAD', path: '/healthz', headers });
    expect(head).toMatchObject({ status: 200, body: '' });
  });

  test.each(['/', '/a2a/', '/A2A', '/%612a', '/constructor', '//a2a', '/a2a/x?y'])(
    'such as %s are not there',
    async (path) => {
      const agent = await serveAgent(echo);
      expect(await call(agent, { path, body: '{}' })).toMatchObject({ status: 404, body: '' });
    },
  );

  test('take no other method', async () => {
    const agent = await serveAgent(echo);
    const wrong = await call(agent, get('/a2a'));
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'POST']);
    const post = await call(agent, { path: '/healthz', body: '{}' });
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('#transport-admin metrics', () => {
  const adminToken = 'correct horse battery staple';
  const metrics = { method: 'GET', path: '/metrics' };

  test('W46 are for who shows the token', async () => {
    const agent = await serveAgent(echo, { adminToken });
    const headers = { authorization: `Bearer ${adminToken}` };
    const answer = await call(agent, { ...metrics, headers });
    expect(answer).toMatchObject({ status: 200, body: 'a2a_messages 7\n' });
    expect(answer.headers['content-type']).toContain('text/plain');
  });

  test.each(['', 'Bearer', 'Bearer wrong', `Basic ${adminToken}`, `Bearer ${adminToken}x`])(
    'are not for who shows %j',
    async (authorization) => {
      const agent = await serveAgent(echo, { adminToken });
      const answer = await call(agent, { ...metrics, headers: { authorization } });
      expect(answer).toMatchObject({ status: 401, body: '' });
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    },
  );

  test('are not there without a token', async () => {
    const headers = { authorization: 'Bearer undefined' };
    expect((await call(await serveAgent(echo), { ...metrics, headers })).status).toBe(404);
  });
});
