// Holes that were found in messages that never come to their end: each test is what went wrong, by its number.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, test } from 'vitest';

import { a2a } from '../../profiles/a2a/index.ts';
import { createCallers, hashSecret } from '../../profiles/auth/index.ts';
import type { HttpOptions } from '../../transports/http/index.ts';
import { http } from '../../transports/http/index.ts';
import { ws } from '../../transports/ws/index.ts';
import {
  closeStrangers,
  closed,
  knownPeerMs,
  metric,
  opened,
  serveKnown,
  toClose,
} from '../support/wire/strangers.ts';

afterEach(closeStrangers);

const BODY_BYTES = 4_000;
/** Another address of this machine than that of the known peer. */
const STRANGERS = '127.0.0.2';

/** Nothing makes the known peer wait: by the work of the process, for the clock counts who else uses the machine. */
async function quickly(served: Parameters<typeof knownPeerMs>[0]): Promise<void> {
  const before = process.cpuUsage();
  const ms = await knownPeerMs(served);
  const { user, system } = process.cpuUsage(before);
  expect(Math.min(ms, (user + system) / 1_000)).toBeLessThan(1_000);
  expect(ms).toBeLessThan(10_000);
}

/** A body that stays one byte short. */
async function slowBody(port: number, path = '/a2a'): Promise<Socket> {
  const socket = await opened(port, { localAddress: STRANGERS });
  socket.resume();
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${BODY_BYTES}\r\n\r\n${' '.repeat(BODY_BYTES - 1)}`,
  );
  return socket;
}

describe('A20 messages that never come to their end #net-unread', () => {
  test('A20 bodies have a bounded room, and a known peer is served within 1 s', async () => {
    const served = await serveKnown({
      maxConnectionsPerAddress: 1_000,
      maxUnreadBytes: 400_000,
      minBodyBytesPerSecond: 0,
    });
    const slow: Socket[] = [];
    for (let number = 0; number < 400; number += 1) {
      slow.push(await slowBody(served.port));
      if (number % 100 === 99) await quickly(served);
    }
    // Each holds what has come of it and 4 KiB.
    await expect
      .poll(() => slow.filter(({ destroyed }) => !destroyed).length, { timeout: 10_000 })
      .toBeLessThanOrEqual(49);
    expect(await metric(served, 'kind="slow",verdict="closed"')).toBeGreaterThan(300);
  }, 60_000);

  test('A20 slow bodies that take every connection leave one to a known peer', async () => {
    const served = await serveKnown({
      maxConnections: 40,
      maxConnectionsPerAddress: 1_000,
      minBodyBytesPerSecond: 0,
    });
    for (let number = 0; number < 80; number += 1) await slowBody(served.port);
    await quickly(served);
  }, 60_000);

  test('A20 a body that goes on too slowly ends', async () => {
    const served = await serveKnown({ requestTimeoutMs: 600_000 });
    await closed(await slowBody(served.port));
    await quickly(served);
  }, 30_000);

  test('A20 an unfinished WebSocket message ends with 1008', async () => {
    const { port } = await serveKnown({ minBodyBytesPerSecond: 0 }, [
      ws({ messageTimeoutMs: 200 }),
    ]);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/a2a`);
    toClose(() => socket.terminate());
    await once(socket, 'open');
    const over = once(socket, 'close') as Promise<[number]>;
    socket.send('{"half":', { fin: false });
    expect((await over)[0]).toBe(1008);
  });

  test('A20 unfinished WebSocket messages share the room of bodies', async () => {
    const { port } = await serveKnown({ maxUnreadBytes: 300_000 }, [ws()]);
    const codes: Promise<[number]>[] = [];
    for (let number = 0; number < 8; number += 1) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/a2a`);
      toClose(() => socket.terminate());
      await once(socket, 'open');
      codes.push(once(socket, 'close') as Promise<[number]>);
      socket.send(Buffer.alloc(100_000, 0x20), { fin: false, binary: false });
    }
    const [code] = await Promise.race(codes);
    expect(code).toBe(1008);
  });
});

describe('N1 a body that is never sent holds no place at work #net-unread', () => {
  const post = (port: number, shown: string): string =>
    `POST /rpc HTTP/1.1\r\nHost: localhost:${port}\r\n${shown}Content-Length: 1000\r\n\r\n{`;

  test('N1 refused requests of official A2A let go of their places at once', async () => {
    const token = 'the-token-of-the-user-1';
    const secret = { sha256: hashSecret(token) };
    const callers = createCallers({
      entries: [{ name: 'user', proof: { scheme: 'bearer', secret } }],
    });
    const served = await serveKnown({}, [a2a()], { callers, admission: { maxInFlight: 3 } });
    for (const [status, shown] of [
      ['401', ''],
      ['401', 'Authorization: Bearer wrong-wrong-wrong-wrong\r\n'],
      ['200', `Authorization: Bearer ${token}\r\nContent-Type: text/plain\r\n`],
    ] as const) {
      const sockets = await Promise.all([1, 2, 3].map(() => opened(served.port)));
      const answers = sockets.map((socket) => once(socket, 'data'));
      for (const socket of sockets) socket.write(post(served.port, shown));
      const heads = (await Promise.all(answers)).map(([said]) => String(said).slice(9, 12));
      expect(heads).toEqual([status, status, status]);
      expect(sockets.some(({ destroyed }) => destroyed)).toBe(false);
      await quickly(served);
    }
  });
});

test('addresses behind a proxy are believed only of a proxy that was named #net-address', async () => {
  const asked = async (options: HttpOptions): Promise<string | undefined> => {
    const served = await serveKnown(options);
    const socket = await opened(served.port);
    socket.write(
      `POST /a2a HTTP/1.1\r\nHost: localhost:${served.port}\r\nContent-Type: application/json\r\n` +
        'X-Forwarded-For: 198.51.100.1, 2001:db8:1:2:3::4\r\nContent-Length: 2\r\n\r\n{}',
    );
    await once(socket, 'data');
    return served.bob.outcomes[0]!.address;
  };
  expect(await asked({})).toBe('127.0.0.1');
  expect(await asked({ trustProxy: ['10.0.0.0/8'] })).toBe('127.0.0.1');
  expect(await asked({ trustProxy: ['127.0.0.0/8'] })).toBe('2001:db8:1:2::/64');
  expect(() => http({ trustProxy: ['proxy.example'] })).toThrow('"trustProxy" expected addresses');
});
