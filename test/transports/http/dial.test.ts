// Proves the way out over HTTP against our own listener and against servers that answer what they like.

import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Connection, Inbound, Outbound, Receive, Reply } from '../../../src/transport.ts';
import { TransportError } from '../../../src/transport.ts';
import { fetchAgentDocument, http } from '../../../transports/http/index.ts';
import {
  LIMITS,
  contextOf,
  echo,
  listenOn,
  reply,
  serveAgent,
  stopAgents,
  textOf,
  utf8,
} from '../../support/agents/http-agent.ts';
import { listen, serve, serveText, stopServers } from '../../support/wire/loopback-servers.ts';

const connections: Connection[] = [];

afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await Promise.all([stopAgents(), stopServers()]);
});

async function dial(url: string, connectTimeoutMs = 5_000): Promise<Connection> {
  const connection = await http().dial(url, { limits: LIMITS, connectTimeoutMs });
  connections.push(connection);
  return connection;
}

function outbound(more: Partial<Outbound> = {}): Outbound {
  const { signal } = new AbortController();
  return {
    bytes: utf8('{"ask":1}'),
    encoding: 'json',
    id: '1',
    spanId: '2',
    wantsStream: false,
    signal,
    ...more,
  };
}

async function answersOf(connection: Connection, more?: Partial<Outbound>): Promise<string[]> {
  const answers: string[] = [];
  for await (const { bytes, encoding } of connection.exchange(outbound(more))) {
    answers.push(`${encoding} ${textOf(bytes)}`);
  }
  return answers;
}

async function failure(asked: Promise<unknown>): Promise<TransportError> {
  const thrown: unknown = await asked.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(TransportError);
  return thrown as TransportError;
}

async function dialServer(onRequest: RequestListener): Promise<Connection> {
  return dial(`http://127.0.0.1:${(await serve(onRequest)).port}/a2a`);
}

/** What a server that answers like this makes of an exchange. */
async function failureWith(onRequest: RequestListener, more?: Partial<Outbound>): Promise<string> {
  const { fault, message } = await failure(answersOf(await dialServer(onRequest), more));
  return `${fault}: ${message}`;
}

async function* nothing(): AsyncGenerator<Reply> {}

function answer(status: number, type: string | undefined, body: string): RequestListener {
  return (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);
  };
}

describe('#transport-http the way out', () => {
  test('sends the bytes and yields the res', async () => {
    const { url } = await serveAgent(echo);
    const connection = await dial(url);
    expect(await answersOf(connection)).toEqual(['json {"ask":1}']);
    expect(await answersOf(connection, { encoding: 'cbor' })).toEqual(['cbor {"ask":1}']);
    expect(connection.isOpen).toBe(true);
  });

  test('asks for a stream, tells what it has seen and yields all of it', async () => {
    const seen: Inbound[] = [];
    const { url } = await serveAgent(async function* (inbound) {
      seen.push(inbound);
      yield reply('{"n":1}', { type: 'evt', generation: 8 });
      yield { ...reply('cbor'), encoding: 'cbor' };
    });
    const more = { wantsStream: true, afterGeneration: 7 };
    expect(await answersOf(await dial(url), more)).toEqual(['json {"n":1}', 'cbor cbor']);
    expect(seen[0]).toMatchObject(more);
  });

  test('takes the res alone from a server that does not stream', async () => {
    const connection = await dialServer(answer(200, 'application/json; charset=utf-8', '{"n":1}'));
    expect(await answersOf(connection, { wantsStream: true })).toEqual(['json {"n":1}']);
  });

  test('takes lines', async () => {
    const connection = await dialServer(answer(200, 'application/x-ndjson', '{"n":1}\n{"n":2}\n'));
    expect(await answersOf(connection)).toEqual(['json {"n":1}', 'json {"n":2}']);
  });

  test.each([413, 429, 503])('yields the envelope of an answer with status %d', async (status) => {
    const body = '{"v":1,"ct":"error.v1"}';
    const connection = await dialServer(answer(status, 'application/json', body));
    expect(await answersOf(connection)).toEqual([`json ${body}`]);
  });

  test('gets our own refusal of what is too large', async () => {
    const { url } = await serveAgent(echo);
    const bytes = new Uint8Array(LIMITS.maxBytes + 1);
    expect(String(await answersOf(await dial(url), { bytes }))).toContain('LIMIT_BYTES');
  });

  test('uses one connection again and again, also after streams', async () => {
    const ports = new Set<number | undefined>();
    const connection = await dialServer((request, response) => {
      ports.add(request.socket.remotePort);
      const isStream = request.headers.accept?.startsWith('text/event-stream') === true;
      response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
      response.end(isStream ? 'data: {}\n\n' : '{}');
    });
    for (const wantsStream of [true, false, true]) await answersOf(connection, { wantsStream });
    await connection.notify(outbound()).catch(() => {});
    await answersOf(connection);
    expect(ports.size).toBe(1);
  });

  test('sends events, which nothing answers', async () => {
    const seen: Inbound[] = [];
    const { url } = await serveAgent((inbound) => {
      seen.push(inbound);
      return nothing();
    });
    const connection = await dial(url);
    await connection.notify(outbound());
    expect(textOf(seen[0]!.bytes)).toBe('{"ask":1}');
    const { fault } = await failure(answersOf(connection));
    expect(fault).toBe('protocol');
  });

  test.each([
    [200, undefined],
    [429, 'unreachable'],
    [503, 'unreachable'],
    [502, 'lost'],
    [504, 'lost'],
    [413, 'refused'],
    [302, 'refused'],
  ])('of an event counts status %d', async (status, expected) => {
    const connection = await dialServer(answer(status, 'application/json', '{"ct":"error.v1"}'));
    const sent = connection.notify(outbound());
    if (expected === undefined) expect(await sent).toBeUndefined();
    else expect((await failure(sent)).fault).toBe(expected);
  });

  test.each(['ftp://127.0.0.1/', 'nonsense', 'http://user:pass@127.0.0.1/a2a'])(
    'does not go to %s',
    async (url) => {
      await expect(dial(url)).rejects.toThrow('"url" expected');
    },
  );
});

describe('#transport-http answers that are none', () => {
  const HTML = '<h1>hello</h1>';

  test.each([
    ['a page', answer(200, 'text/html', HTML), 'refused: the other end answered with status 200'],
    ['no type', answer(200, undefined, '{}'), 'refused: '],
    [
      'not found',
      answer(404, 'application/json', '{"error":1}'),
      'refused: the other end answered with status 404',
    ],
    [
      'broken JSON',
      answer(500, 'application/json', '{'),
      'refused: the other end answered with status 500',
    ],
    ['an empty answer', answer(204, undefined, ''), 'protocol: '],
    [
      'large',
      answer(200, 'application/json', 'x'.repeat(5_000)),
      'protocol: the answer is larger than 4096',
    ],
    ['no event', answer(200, 'text/event-stream', 'data: hello\n\n'), 'protocol: '],
    [
      'a large event',
      answer(200, 'text/event-stream', `data: {${'x'.repeat(5_000)}\n\n`),
      'protocol: ',
    ],
    ['a large line', answer(200, 'application/x-ndjson', `{${'x'.repeat(5_000)}\n`), 'protocol: '],
  ])('%s', async (_name, onRequest, expected) => {
    const words = await failureWith(onRequest);
    expect(words).toContain(expected);
    expect(words).not.toContain('hello');
  });

  test('a redirect, which is not followed', async () => {
    let count = 0;
    const words = await failureWith((_request, response) => {
      count++;
      response
        .writeHead(307, { location: '/elsewhere', 'content-type': 'application/json' })
        .end('{}');
    });
    expect(words).toContain('refused: the other end answered with status 307');
    expect(count).toBe(1);
  });

  test('a chunked answer beyond the limit', async () => {
    const words = await failureWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const pump = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1_000)));
      };
      response.on('drain', pump);
      pump();
    });
    expect(words).toContain('protocol: the answer is larger than 4096 bytes');
  });

  test('a compressed answer', async () => {
    const words = await failureWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end('{}');
    });
    expect(words).toContain('protocol: the other end compressed');
  });

  test('no HTTP at all', async () => {
    const { port } = await serveText('hello world\r\n\r\n');
    const { fault, message } = await failure(answersOf(await dial(`http://127.0.0.1:${port}/`)));
    expect([fault, message]).toEqual(['protocol', 'the connection failed (HPE_INVALID_CONSTANT)']);
  });

  test('a switch of protocols that nobody asked for', async () => {
    const { port } = await serveText(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    );
    expect((await failure(answersOf(await dial(`http://127.0.0.1:${port}/`)))).fault).toBe('lost');
  });
});

describe('#transport-http a way that fails', () => {
  test('nobody listens', async () => {
    const server = await serve(() => {});
    await server.stop();
    const error = await failure(answersOf(await dial(`http://127.0.0.1:${server.port}/a2a`)));
    expect(error).toMatchObject({ fault: 'unreachable', isRetryable: true });
    expect(error.message).toContain('ECONNREFUSED');
  });

  test('the connection breaks before the answer', async () => {
    expect(await failureWith((request) => request.socket.destroy())).toContain('lost: ');
  });

  test.each(['text/event-stream', 'application/json'])(
    'the connection breaks in the middle of %s',
    async (type) => {
      const words = await failureWith((_request, response) => {
        response.writeHead(200, { 'content-type': type, 'content-length': 50 });
        response.write('data: {}\n\n', () => response.destroy());
      });
      expect(words).toContain('lost: ');
    },
  );

  test('the caller gives up before and during an exchange, and the server learns it', async () => {
    const seen: Inbound[] = [];
    const silent: Receive = async function* (inbound) {
      seen.push(inbound);
      yield reply('{"n":1}', { type: 'evt' });
      await once(inbound.signal, 'abort');
    };
    const { url } = await serveAgent(silent);
    const connection = await dial(url);
    expect((await failure(answersOf(connection, { signal: AbortSignal.abort() }))).fault).toBe(
      'aborted',
    );
    const controller = new AbortController();
    const more = { wantsStream: true, signal: controller.signal };
    const { fault } = await failure(
      (async () => {
        for await (const _ of connection.exchange(outbound(more))) controller.abort();
      })(),
    );
    expect(fault).toBe('aborted');
    if (!seen[0]!.signal.aborted) await once(seen[0]!.signal, 'abort');
  });

  test('the caller stops reading, and the server learns it', async () => {
    const seen: Inbound[] = [];
    const { url } = await serveAgent(async function* (inbound) {
      seen.push(inbound);
      yield reply('{"n":1}', { type: 'evt' });
      await once(inbound.signal, 'abort');
    });
    for await (const _ of (await dial(url)).exchange(outbound({ wantsStream: true }))) break;
    if (!seen[0]!.signal.aborted) await once(seen[0]!.signal, 'abort');
    expect(seen[0]!.signal.aborted).toBe(true);
  });

  test('no connection comes about in time', async () => {
    const { port } = await listen(createTcpServer((socket) => void socket.resume()));
    const connection = await dial(`https://127.0.0.1:${port}/a2a`, 40);
    const { fault, message } = await failure(answersOf(connection));
    expect([fault, message]).toEqual(['unreachable', 'no connection came about in 40 ms']);
  });

  test('it was closed', async () => {
    const { url } = await serveAgent(echo);
    const connection = await dial(url);
    await connection.close();
    expect(connection.isOpen).toBe(false);
    expect((await failure(answersOf(connection))).fault).toBe('unreachable');
    expect((await failure(connection.notify(outbound()))).fault).toBe('unreachable');
  });

  test('closing it ends what is in flight', async () => {
    const connection = await dialServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {}\n\n');
    });
    const { fault } = await failure(
      (async () => {
        for await (const _ of connection.exchange(outbound())) await connection.close();
      })(),
    );
    expect(fault).toBe('lost');
  });
});

describe('#agent-document from its place', () => {
  test('whatever the path of the address', async () => {
    const { url } = await serveAgent(echo);
    for (const address of [url, new URL('/', url).href, `${url}/x?y#z`]) {
      expect(textOf(await fetchAgentDocument(address))).toBe('{"agent_id":"did:key:z6Mk"}');
    }
  });

  test('with a limit on its size', async () => {
    const agentDocument = async (): Promise<Uint8Array> => new Uint8Array(101);
    const { url } = await listenOn(contextOf(echo, { agentDocument }));
    expect(await fetchAgentDocument(url, { limits: { maxBytes: 101 } })).toHaveLength(101);
    const { fault } = await failure(fetchAgentDocument(url, { limits: { maxBytes: 100 } }));
    expect(fault).toBe('protocol');
  });

  test('not from a server that has none, or takes too long', async () => {
    const page = await serve(answer(200, 'text/html', ''));
    const mute = await serve(() => {});
    const at = ({ port }: { port: number }): string => `http://127.0.0.1:${port}`;
    expect((await failure(fetchAgentDocument(at(page)))).fault).toBe('refused');
    expect((await failure(fetchAgentDocument(at(mute), { timeoutMs: 40 }))).fault).toBe('timeout');
    const signal = AbortSignal.abort();
    expect((await failure(fetchAgentDocument(at(mute), { signal }))).fault).toBe('aborted');
  });
});
