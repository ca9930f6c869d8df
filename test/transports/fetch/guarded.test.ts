// Proves that a guarded fetch carries any request, reaches only what it may, and says in one form what went wrong.

import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { TransportError } from '../../../src/transport.ts';
import type {
  GuardedFetchOptions,
  GuardedRequest,
  HostAddress,
} from '../../../transports/fetch/index.ts';
import { createGuardedFetch } from '../../../transports/fetch/index.ts';
import type { Listening } from '../../support/wire/loopback-servers.ts';
import { listen, serve, serveText, stopServers } from '../../support/wire/loopback-servers.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (body: Uint8Array): string => new TextDecoder().decode(body);
const LOCAL: HostAddress = { address: '127.0.0.1', family: 4 };

afterEach(stopServers);

function serveOk(): Promise<Listening> {
  return serve((_request, response) => response.end('ok'));
}

/** Every name is on the loopback interface. */
function fetchNames(options: GuardedFetchOptions = {}): ReturnType<typeof createGuardedFetch> {
  return createGuardedFetch({ lookup: async () => [LOCAL], ...options });
}

async function failure(fetched: Promise<unknown>): Promise<TransportError> {
  const thrown: unknown = await fetched.then(
    () => 'an answer',
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(TransportError);
  return thrown as TransportError;
}

describe('#guarded-fetch what it carries', () => {
  test('any method, headers and body, and status, a few headers and the bytes come back', async () => {
    let seen: { method: string; headers: IncomingHttpHeaders; body: string } | undefined;
    const server = await serve((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        seen = { method: request.method!, headers: request.headers, body };
        const told = { 'Content-Type': 'text/plain', 'Retry-After': '7', 'Set-Cookie': 'a=b' };
        response.writeHead(409, told).end('busy');
      });
    });
    const guarded = createGuardedFetch({ allowLoopback: true });
    const answer = await guarded(`http://127.0.0.1:${server.port}/hook?x=1`, {
      method: 'POST',
      headers: { Authorization: 'Bearer t', 'Content-Type': 'application/json' },
      body: bytes('{"größe":1}'),
    });
    expect(seen).toMatchObject({
      method: 'POST',
      body: '{"größe":1}',
      headers: {
        authorization: 'Bearer t',
        'content-type': 'application/json',
        'content-length': '13',
        'accept-encoding': 'identity',
        connection: 'close',
      },
    });
    expect({ ...answer, body: text(answer.body) }).toEqual({
      status: 409,
      headers: { 'content-type': 'text/plain', 'retry-after': '7' },
      body: 'busy',
    });
  });

  test('HEAD and a status whose body nobody wants end without one, however large it is', async () => {
    const server = await serveText('HTTP/1.1 404 N\r\nContent-Length: 999999999\r\n\r\nx');
    const guarded = createGuardedFetch({ allowLoopback: true, maxBytes: 8 });
    const url = `http://127.0.0.1:${server.port}/`;
    const answers = [
      await guarded(url, { method: 'HEAD' }),
      await guarded(url, { wantsBody: (status) => status === 200 }),
    ];
    expect(answers.map(({ status, body }) => [status, body.length])).toEqual([
      [404, 0],
      [404, 0],
    ]);
    await Promise.all(server.closes);
  });

  test.each<[string, GuardedRequest]>([
    ['method', { method: 'get' }],
    ['method', { method: 'CONNECT' }],
    ['method', { method: 'GET / HTTP/1.1\r\nX: ' }],
    ['body', { body: bytes('x') }],
    ['headers', { headers: { host: 'other.example' } }],
    ['headers', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['headers', { headers: { 'Content-Length': '1' } }],
    ['typedUrl', { typedUrl: 'agents.example' }],
  ])('"%s" cannot be as in %j', async (name, request) => {
    const fetched = fetchNames()('https://agents.example/', request);
    await expect(fetched).rejects.toThrow(TypeError);
    await expect(fetched).rejects.toThrow(`"${name}"`);
  });

  test.each<[string, unknown]>([
    ['allowLoopback', 'yes'],
    ['allowPrivate', true],
  ])('"%s" is not taken as %j', (name, value) => {
    expect(() => createGuardedFetch({ [name]: value })).toThrow(TypeError);
  });
});

describe('#guarded-fetch where it may go', () => {
  test('without the switch loopback is forbidden, and nothing is sent', async () => {
    const server = await serveOk();
    const url = `https://127.0.0.1:${server.port}/`;
    const error = await failure(createGuardedFetch({ ports: [server.port] })(url));
    expect(error).toMatchObject({ fault: 'forbidden', code: 'TRANSPORT_FORBIDDEN' });
    expect(error.isRetryable).toBe(false);
    expect(server.closes).toHaveLength(0);
  });

  test('the switch for tests opens loopback, not the private network', async () => {
    const guarded = createGuardedFetch({ allowLoopback: true });
    expect((await failure(guarded('http://10.0.0.1:9/'))).fault).toBe('forbidden');
    expect((await failure(guarded('http://169.254.169.254/'))).fault).toBe('forbidden');
  });

  test('a URL that the operator typed may be on loopback, at any port, without TLS', async () => {
    const server = await serveOk();
    const url = `http://keys.internal:${server.port}/jwks`;
    expect((await failure(fetchNames()(url))).fault).toBe('forbidden');
    expect(text((await fetchNames()(url, { typedUrl: url })).body)).toBe('ok');
  });

  test('a URL found in its document may be private at that same host only', async () => {
    const server = await serveOk();
    const typedUrl = `http://issuer.internal:${server.port}/.well-known/x`;
    const guarded = fetchNames();
    const same = `http://issuer.internal:${server.port}/jwks`;
    expect((await guarded(same, { typedUrl })).status).toBe(200);
    for (const host of ['other.internal', 'issuer.internal.evil.example', '127.0.0.1']) {
      const error = await failure(guarded(`https://${host}/jwks`, { typedUrl }));
      expect([error.fault, error.message]).toEqual([
        'forbidden',
        'the host is not on the public network',
      ]);
    }
    expect(server.closes).toHaveLength(1);
  });

  test('a document that came over TLS does not lead to a place without it', async () => {
    const error = await failure(
      fetchNames()('http://issuer.internal/jwks', { typedUrl: 'https://issuer.internal/' }),
    );
    expect([error.fault, error.message]).toEqual(['forbidden', 'the URI scheme is not allowed']);
  });

  test.each(['169.254.169.254', '0.0.0.0', '224.0.0.1', '::ffff:127.0.0.1', 'fe80::1'])(
    'not even the operator reaches %s',
    async (address) => {
      const lookup = async (): Promise<HostAddress[]> => [{ address, family: 4 }];
      const url = 'https://typed.internal/';
      const error = await failure(createGuardedFetch({ lookup })(url, { typedUrl: url }));
      expect(error.fault).toBe('forbidden');
    },
  );

  test('a name that resolves elsewhere the second time cannot move the connection', async () => {
    const server = await serveOk();
    const lookup = vi
      .fn<NonNullable<GuardedFetchOptions['lookup']>>()
      .mockResolvedValueOnce([LOCAL])
      .mockResolvedValue([{ address: '127.0.0.2', family: 4 }]);
    const guarded = createGuardedFetch({ allowLoopback: true, lookup });
    const url = `http://rebinding.example:${server.port}/`;
    expect((await guarded(url, { method: 'POST', body: bytes('x') })).status).toBe(200);
    expect(lookup).toHaveBeenCalledTimes(1);
  });

  test('a name with one public and one private address is forbidden whole', async () => {
    const lookup = async (): Promise<HostAddress[]> => [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ];
    const error = await failure(createGuardedFetch({ lookup })('https://mixed.example/'));
    expect(error.fault).toBe('forbidden');
  });

  test('a redirect is refused, and where it leads is not asked', async () => {
    const elsewhere = await serveOk();
    const server = await serve((_request, response) => {
      response.writeHead(307, { Location: `http://127.0.0.1:${elsewhere.port}/` });
      response.end();
    });
    const guarded = createGuardedFetch({ allowLoopback: true });
    const posted = guarded(`http://127.0.0.1:${server.port}/`, {
      method: 'POST',
      body: bytes('secret'),
    });
    expect((await failure(posted)).fault).toBe('refused');
    expect(elsewhere.closes).toHaveLength(0);
  });
});

describe('#guarded-fetch how it fails', () => {
  const guarded = createGuardedFetch({ allowLoopback: true, timeoutMs: 60, maxBytes: 8 });

  test('a body that comes too slowly is a timeout, which may be tried again', async () => {
    const server = await serve((_request, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const error = await failure(guarded(`http://127.0.0.1:${server.port}/`));
    expect([error.fault, error.isRetryable]).toEqual(['timeout', true]);
    await Promise.all(server.closes);
  });

  test('an answer that is too large, announced or not, is no answer', async () => {
    for (const head of ['Content-Length: 9\r\n\r\n', '\r\n123456789']) {
      const server = await serveText(`HTTP/1.1 200 OK\r\n${head}`);
      const error = await failure(guarded(`http://127.0.0.1:${server.port}/`));
      expect([error.fault, error.message]).toEqual([
        'protocol',
        'the answer is larger than 8 bytes',
      ]);
      await Promise.all(server.closes);
    }
  });

  test('nobody there is unreachable; a connection that ends after the request is lost', async () => {
    const gone = await serveOk();
    await gone.stop();
    expect((await failure(guarded(`http://127.0.0.1:${gone.port}/`))).fault).toBe('unreachable');
    const server = await listen(
      createServer((socket) => {
        socket.once('data', () => socket.destroy());
      }),
    );
    expect((await failure(guarded(`http://127.0.0.1:${server.port}/`))).fault).toBe('lost');
  });

  test('what is no HTTP is a fault of the protocol, and nothing of it stands in the error', async () => {
    const server = await serveText('secret-of-the-server\r\n\r\n');
    const error = await failure(guarded(`http://127.0.0.1:${server.port}/`));
    expect(error.fault).toBe('protocol');
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('secret');
  });

  test('an abort of the caller says so, with its reason', async () => {
    const reason = new Error('closing');
    const error = await failure(
      guarded('https://agents.example/', { signal: AbortSignal.abort(reason) }),
    );
    expect([error.fault, error.cause]).toEqual(['aborted', reason]);
  });

  test('a name that cannot be looked up is unreachable', async () => {
    const lookup = (): Promise<never> => Promise.reject(new Error('no such name'));
    const error = await failure(createGuardedFetch({ lookup })('https://nowhere.example/'));
    expect([error.fault, error.isRetryable]).toEqual(['unreachable', true]);
  });
});
