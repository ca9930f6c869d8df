import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { ws } from '../../../transports/ws/index.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';
import {
  all,
  contextFor,
  echo,
  encode,
  faultOf,
  outbound,
} from '../../support/agents/exchanges.ts';
import { closeWebSockets, foreignServer, listenWs } from '../../support/wire/web-sockets.ts';

const limits = DEFAULT_LIMITS;
afterEach(closeWebSockets);

describe('dialing a WebSocket #transport-ws #transport-timeouts', () => {
  test('a server that does not know the sub-protocol is dialed without it', async () => {
    const offers: (string | undefined)[] = [];
    const url = await foreignServer((socket) => {
      socket.on('message', () => socket.send(encode({ type: 'res', re: 'a' }), { binary: false }));
    });
    const known = await foreignServer((socket) => offers.push(socket.protocol), 'a2a-sdl.v1');
    const connection = await ws().dial(url, { limits });
    expect(await all(connection.exchange(outbound('a')))).toHaveLength(1);
    await connection.close();
    await (await ws().dial(known, { limits })).close();
    expect(offers).toEqual(['a2a-sdl.v1']);
  });

  test('where nobody listens is unreachable, where nobody upgrades is refused', async () => {
    const listener = await listenWs(contextFor(echo));
    const url = listener.urls[0]!;
    expect(await faultOf(ws().dial(url.replace('/a2a', '/other'), { limits }))).toBe('refused');
    await listener.close(0);
    expect(await faultOf(ws().dial(url, { limits }))).toBe('unreachable');
  });

  test('a server that never answers is given up', async () => {
    const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const dial = ws().dial(`ws://127.0.0.1:${port}/a2a`, { limits, connectTimeoutMs: 20 });
    expect(await faultOf(dial)).toBe('unreachable');
    // The connection has ended too, else the server would not close.
    server.close();
    await once(server, 'close');
  });

  test.each(['http://127.0.0.1/', 'ws://127.0.0.1/#a', 'nothing'])('%s is refused', async (url) => {
    await expect(ws().dial(url, { limits })).rejects.toThrow(/"url"/);
  });

  test('settings are checked', () => {
    expect(() => ws({ pingIntervalMs: 0 })).toThrow(/"pingIntervalMs"/);
    expect(() => ws({ tls: { ca: 'x' } })).toThrow(/"tls.ca"/);
  });
});

const server = makeCertificate('agent.example');
const client = makeCertificate('client.example');

describe.skipIf(server === undefined || client === undefined)('wss #transport-ws', () => {
  test('certificates are checked, and that of the client is a fact of its connection', async () => {
    const facts: (string | undefined)[] = [];
    const context = contextFor(async function* (inbound) {
      facts.push(inbound.peer.certificate);
      yield* echo(inbound);
    });
    const tls = { cert: server!.cert, key: server!.key, ca: client!.cert };
    const { urls } = await listenWs(context, {}, { tls });
    expect(urls[0]).toMatch(/^wss:/);
    expect(await faultOf(ws().dial(urls[0]!, { limits }))).toBe('refused');
    for (const own of [{}, { cert: client!.cert, key: client!.key }]) {
      const connection = await ws({ tls: { ca: server!.cert, ...own } }).dial(urls[0]!, { limits });
      expect(await all(connection.exchange(outbound('a')))).toHaveLength(1);
      await connection.close();
    }
    const { raw } = new X509Certificate(client!.cert);
    expect(facts).toEqual([undefined, createHash('sha256').update(raw).digest('hex')]);
  });
});
