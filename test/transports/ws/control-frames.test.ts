// Proves that pings and pongs of the other end cost no memory, at both ends, and that only a pong that was asked for is life.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { TransportError } from '../../../src/transport.ts';
import { ws } from '../../../transports/ws/index.ts';
import { contextFor, echo, holdRequests, outbound, until } from '../../support/agents/exchanges.ts';
import { closeCode, closeWebSockets, listenWs, rawClient } from '../../support/wire/web-sockets.ts';

const limits = DEFAULT_LIMITS;
const FLOOD_BYTES = 200 * 1_048_576;
const GROWTH_BYTES = 50 * 1_048_576;
/** As RFC 6455 has it. */
const HANDSHAKE_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

afterEach(closeWebSockets);

/** A ping of 125 octets, again and again; what a client sends is masked, here with zeros. */
function pings(isClient: boolean): Buffer {
  const head = isClient ? [0x89, 0x80 | 125, 0, 0, 0, 0] : [0x89, 125];
  const frame = Buffer.concat([Buffer.from(head), Buffer.alloc(125, 0x70)]);
  return Buffer.concat(Array.from({ length: 512 }, () => frame));
}

/** Sends without reading until it has sent all, or the other end is gone. */
async function flood(socket: Socket, isClient: boolean): Promise<void> {
  const piece = pings(isClient);
  for (let sent = 0; sent < FLOOD_BYTES && socket.writable; sent += piece.length) {
    if (socket.write(piece)) continue;
    if (socket.destroyed) return;
    const done = new AbortController();
    const { signal } = done;
    await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })])
      .catch(() => undefined)
      .finally(() => done.abort());
  }
}

/** A connection after its handshake, which reads nothing by itself. */
async function upgraded(url: string): Promise<Socket> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `GET /a2a HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await once(socket, 'readable');
  return socket;
}

describe('control frames #transport-ws #transport-timeouts', () => {
  test('A1 a client that sends 200 MB of pings and reads nothing is cut, and fills no memory', async () => {
    const { urls } = await listenWs(contextFor(echo));
    const socket = await upgraded(urls[0]!);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const before = process.memoryUsage().rss;
    await flood(socket, true);
    expect(process.memoryUsage().rss - before).toBeLessThan(GROWTH_BYTES);
    // Who neither reads nor writes any more does not learn that it was cut.
    socket.resume();
    await closed;
  });

  test('A1 it is told why, with 1008', async () => {
    const { urls } = await listenWs(contextFor(echo));
    const socket = await upgraded(urls[0]!);
    const came: Buffer[] = [];
    socket.write(pings(true));
    socket.on('data', (data: Buffer) => came.push(data));
    await until(() => Buffer.concat(came).includes(Buffer.from([0x88, 2, 0x03, 0xf0])));
    socket.destroy();
  });

  test('A1 a server that does the same to a client is left', async () => {
    let flooding: Promise<void> | undefined;
    let accepted: Socket | undefined;
    const server = createServer((socket) => {
      accepted = socket;
      socket.on('error', () => undefined);
      socket.once('data', (request) => {
        const [, key] = /sec-websocket-key: (\S+)/i.exec(request.toString('latin1'))!;
        const accept = createHash('sha1').update(`${key}${HANDSHAKE_GUID}`).digest('base64');
        socket.pause();
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
            `Sec-WebSocket-Protocol: a2a-sdl.v1\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
        );
        flooding = flood(socket, false);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const before = process.memoryUsage().rss;
    const connection = await ws().dial(`ws://127.0.0.1:${port}/a2a`, { limits });
    const answers = connection.exchange(outbound('a'))[Symbol.asyncIterator]();
    await expect(answers.next()).rejects.toThrow(TransportError);
    await flooding;
    expect(process.memoryUsage().rss - before).toBeLessThan(GROWTH_BYTES);
    expect(connection.isOpen).toBe(false);
    accepted!.destroy();
    server.close();
    await once(server, 'close');
  });

  test('pings are answered, the last of many by its own words', async () => {
    const { urls } = await listenWs(contextFor(echo));
    const client = await rawClient(urls[0]!);
    const pongs: string[] = [];
    client.on('pong', (data) => pongs.push(String(data)));
    for (let number = 1; number <= 20; number += 1) client.ping(`p${number}`);
    await until(() => pongs.at(-1) === 'p20');
    expect(pongs.length).toBeLessThanOrEqual(20);
    expect(client.readyState).toBe(client.OPEN);
  });

  test('too many control frames in a second end the connection, pongs like pings', async () => {
    const { urls } = await listenWs(contextFor(echo));
    const client = await rawClient(urls[0]!);
    for (let number = 0; number < 40; number += 1) client.pong('nobody asked');
    expect(await closeCode(client)).toBe(1008);
  });

  test('A1 pongs that nobody asked for are no life', async () => {
    const { urls } = await listenWs(contextFor(holdRequests().receive), { pingIntervalMs: 25 });
    const dead = await rawClient(urls[0]!, [], { autoPong: false });
    let asked = 0;
    dead.on('ping', () => {
      asked += 1;
      dead.pong('of another ping');
    });
    expect(await closeCode(dead)).toBe(1006);
    expect(asked).toBe(1);
  });
});
