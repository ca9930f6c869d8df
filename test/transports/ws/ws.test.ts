import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { RawData } from 'ws';
import { WebSocket } from 'ws';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { http } from '../../../transports/http/index.ts';
import { ws } from '../../../transports/ws/index.ts';
import { describeChannelTransport } from '../../compliance/transport/channel.ts';
import { utf8 } from '../../support/wire/bytes.ts';
import {
  aborting,
  all,
  contextFor,
  echo,
  encode,
  faultOf,
  holdRequests,
  outbound,
  read,
  reply,
  turn,
} from '../../support/agents/exchanges.ts';
import {
  closeCode,
  closeWebSockets,
  foreignServer,
  listenBoth,
  listenWs,
  rawClient,
} from '../../support/wire/web-sockets.ts';

const limits = DEFAULT_LIMITS;
afterEach(closeWebSockets);

describeChannelTransport('ws', {
  transport: ws,
  listen: (transport, context) => listenBoth(transport, context),
});

describe('messages on a WebSocket #transport-ws', () => {
  test('text is JSON, binary is CBOR if it opens a map, else JSON; answers likewise', async () => {
    const seen: string[] = [];
    const { urls } = await listenWs(
      contextFor(async function* (inbound) {
        seen.push(inbound.encoding);
        yield* echo(inbound);
      }),
    );
    const socket = await rawClient(urls[0]!);
    const kinds: boolean[] = [];
    const send = async (data: Uint8Array, binary: boolean): Promise<void> => {
      socket.send(data, { binary });
      const [, isBinary] = (await once(socket, 'message')) as [RawData, boolean];
      kinds.push(isBinary);
    };
    await send(encode({ id: 'a', type: 'req' }), false);
    await send(encode({ id: 'b', type: 'req' }), true);
    await send(encode({ id: 'c', type: 'req' }, 'cbor'), true);
    expect(seen).toEqual(['json', 'json', 'cbor']);
    expect(kinds).toEqual([false, false, true]);
  });

  test('the sub-protocol is chosen when it is offered, and not demanded', async () => {
    const { urls } = await listenWs(contextFor(echo));
    expect((await rawClient(urls[0]!, ['x', 'a2a-sdl.v1'])).protocol).toBe('a2a-sdl.v1');
    expect((await rawClient(urls[0]!)).protocol).toBe('');
  });

  test('nothing is compressed, also when a client offers it', async () => {
    const { urls } = await listenWs(contextFor(echo));
    const socket = await rawClient(urls[0]!, [], { perMessageDeflate: true });
    expect(socket.extensions).toBe('');
  });

  test('it shares the port of the HTTP listener, and says so when there is none', async () => {
    await expect(ws().listen(contextFor(echo), [])).rejects.toThrow(/listen with http\(\) first/);
    const { urls } = await listenWs(contextFor(echo));
    expect(urls[0]).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/a2a$/);
    const response = await fetch(urls[0]!.replace('ws:', 'http:'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: '{"id":"h","type":"req"}',
    });
    expect(await response.json()).toMatchObject({ re: 'h' });
  });

  test('a page of another origin gets no connection', async () => {
    const { urls } = await listenWs(contextFor(echo));
    await expect(rawClient(urls[0]!, [], { origin: 'https://evil.example' })).rejects.toThrow(
      /403/,
    );
  });

  test('bytes that are no message reach the checks like any other', async () => {
    const { urls } = await listenWs(
      contextFor(async function* ({ bytes, encoding }) {
        yield reply({ length: bytes.length, encoding });
      }),
    );
    const socket = await rawClient(urls[0]!);
    socket.send(new Uint8Array(0));
    const [data] = (await once(socket, 'message')) as [Buffer];
    expect(read({ bytes: data, encoding: 'json' })).toMatchObject({ length: 0, encoding: 'json' });
  });
});

describe('how a WebSocket ends #transport-ws #transport-timeouts', () => {
  test('a message beyond the limit closes with 1009, also one in fragments', async () => {
    const { urls } = await listenWs(contextFor(echo, { maxBytes: 1_000 }));
    const whole = await rawClient(urls[0]!);
    whole.send(new Uint8Array(1_001));
    expect(await closeCode(whole)).toBe(1009);
    const fragments = await rawClient(urls[0]!);
    fragments.send(new Uint8Array(600), { fin: false });
    fragments.send(new Uint8Array(600), { fin: false });
    expect(await closeCode(fragments)).toBe(1009);
  });

  test('a header that promises far too much closes with 1009 before anything follows', async () => {
    const { urls } = await listenWs(contextFor(echo));
    const { hostname, port } = new URL(urls[0]!);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /a2a HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    await once(socket, 'data');
    // A masked binary frame of 4 GiB.
    socket.write(Uint8Array.of(0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0));
    const [frame] = (await once(socket, 'data')) as [Uint8Array];
    expect([...frame.subarray(0, 4)]).toEqual([0x88, 2, 1009 >> 8, 1009 & 0xff]);
    await once(socket.resume(), 'close');
  });

  test('a request that the other end finds too large fails for good', async () => {
    const { urls } = await listenWs(contextFor(echo, { maxBytes: 1_000 }));
    const connection = await ws().dial(urls[0]!, { limits });
    const exchange = all(connection.exchange(outbound('a', { text: 'x'.repeat(1_000) })));
    expect(await faultOf(exchange)).toBe('protocol');
    expect(connection.isOpen).toBe(false);
  });

  test('text that is not UTF-8 closes with 1007', async () => {
    const { urls } = await listenWs(contextFor(echo));
    const socket = await rawClient(urls[0]!);
    socket.send(Uint8Array.of(0x7b, 0xff), { binary: false });
    expect(await closeCode(socket)).toBe(1007);
  });

  test('a client that does not answer pings is cut, one that does is not', async () => {
    const held = holdRequests();
    const { urls } = await listenWs(contextFor(held.receive), { pingIntervalMs: 25 });
    const dead = await rawClient(urls[0]!, [], { autoPong: false });
    const alive = await rawClient(urls[0]!);
    dead.send(encode({ id: 'a', type: 'req' }), { binary: false });
    const { inbound } = await held.arrival('a');
    await Promise.all([aborting(inbound.signal), closeCode(dead)]);
    for (let pings = 0; pings < 3; pings += 1) await once(alive, 'ping');
    expect(alive.readyState).toBe(WebSocket.OPEN);
  });

  test('a connection that is not read because it has asked for too much is not taken for dead', async () => {
    const held = holdRequests();
    const { urls } = await listenWs(contextFor(held.receive), {
      pingIntervalMs: 20,
      maxInFlight: 1,
    });
    const busy = await rawClient(urls[0]!);
    const other = await rawClient(urls[0]!);
    busy.send(encode({ id: 'a', type: 'req' }), { binary: false });
    const request = await held.arrival('a');
    for (let pings = 0; pings < 5; pings += 1) await once(other, 'ping');
    request.answer(reply({ re: 'a' }));
    const [data] = (await once(busy, 'message')) as [Buffer];
    expect(read({ bytes: data, encoding: 'json' })).toMatchObject({ re: 'a' });
  });

  test('a server that does not answer pings is lost', async () => {
    const url = await foreignServer((socket) => socket.pause());
    const connection = await ws({ pingIntervalMs: 20 }).dial(url, { limits });
    expect(await faultOf(all(connection.exchange(outbound('a'))))).toBe('lost');
  });

  test('too many connections close with 1013, an idle one with 1001', async () => {
    const { urls } = await listenWs(contextFor(echo), { maxConnections: 1, idleTimeoutMs: 200 });
    const first = await rawClient(urls[0]!);
    const idle = closeCode(first);
    expect(await closeCode(await rawClient(urls[0]!))).toBe(1013);
    expect(await idle).toBe(1001);
  });

  test('thousands of tiny messages at once close with 1008', async () => {
    const held = holdRequests();
    const { urls } = await listenWs(contextFor(held.receive), { maxInFlight: 1 });
    const socket = await rawClient(urls[0]!);
    socket.on('error', () => {});
    const closed = closeCode(socket);
    for (let count = 0; count < 8_000; count += 1) socket.send(utf8('{}'), { binary: true });
    expect([1006, 1008]).toContain(await closed);
    expect(held.count).toBe(1);
  });

  test('a drain closes with 1001 and answers new upgrades with 503 meanwhile', async () => {
    const held = holdRequests();
    const context = contextFor(held.receive);
    const host = await http({ port: 0 }).listen(context);
    const listener = await ws().listen(context, [host]);
    const socket = await rawClient(listener.urls[0]!);
    socket.send(encode({ id: 'a', type: 'req' }), { binary: false });
    const request = await held.arrival('a');
    const closing = listener.close(60_000);
    await expect(rawClient(listener.urls[0]!)).rejects.toThrow(/503/);
    expect(await faultOf(ws().dial(listener.urls[0]!, { limits }))).toBe('unreachable');
    request.answer(reply({ re: 'a' }));
    const [[data], code] = await Promise.all([once(socket, 'message'), closeCode(socket)]);
    expect(read({ bytes: data as Buffer, encoding: 'json' })).toMatchObject({ re: 'a' });
    expect(code).toBe(1001);
    await closing;
    await expect(rawClient(listener.urls[0]!)).rejects.toThrow(/404/);
    await host.close(0);
  });

  test('a client that does not take part in the close is cut', async () => {
    const { urls } = await listenWs(contextFor(echo), { idleTimeoutMs: 10, maxConnections: 1 });
    (await rawClient(urls[0]!)).pause();
    // The room that it had is free for another.
    const served = async (): Promise<boolean> => {
      const connection = await ws().dial(urls[0]!, { limits });
      const answers = await all(connection.exchange(outbound('a'))).catch(() => []);
      await connection.close();
      return answers.length === 1;
    };
    while (!(await served())) await turn();
  }, 10_000);
});
