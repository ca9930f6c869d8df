// Proves that clients which are slow, silent, broken or gone cost the HTTP listener and its other clients nothing.

import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import type { Inbound, Receive } from '../../../src/transport.ts';
import {
  LIMITS,
  call,
  contextOf,
  echo,
  listenOn,
  open,
  rawPost,
  reply,
  say,
  serveAgent,
  stopAgents,
  textOf,
  untilClosed,
} from '../../support/agents/http-agent.ts';

afterEach(stopAgents);

const HASTY = { headersTimeoutMs: 40, requestTimeoutMs: 80, keepAliveTimeoutMs: 40 };

/** Keeps what came in and answers never. */
function silent(seen: Inbound[]): Receive {
  return async function* (inbound) {
    seen.push(inbound);
    if (!inbound.signal.aborted) await once(inbound.signal, 'abort');
    yield reply('{"too":"late"}');
  };
}

describe('#transport-timeouts a client that takes its time', () => {
  test('W40 with the first byte is sent away, while others are served', async () => {
    const agent = await serveAgent(echo, HASTY);
    const mute = await open(agent);
    const ended = untilClosed(mute);
    expect(await call(agent, { body: '{}' })).toMatchObject({ status: 200 });
    expect(await ended).toContain('408');
  });

  test('with its headers is sent away', async () => {
    const agent = await serveAgent(echo, HASTY);
    expect(await say(agent, 'POST /a2a HTTP/1.1\r\nHost: loc')).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('with its body is sent away, and nothing of it gets to the runtime', async () => {
    const seen: Inbound[] = [];
    const agent = await serveAgent(silent(seen), HASTY);
    const whole = rawPost(agent, '{"whole":true}');
    await say(agent, whole.slice(0, -1));
    expect(seen).toEqual([]);
  });

  test('with its next request loses the connection', async () => {
    const agent = await serveAgent(echo, HASTY);
    const said = await say(agent, rawPost(agent, '{"n":1}'));
    expect(said).toMatch(/^HTTP\/1\.1 200 /);
    expect(said).toMatch(/\{"n":1\}$/);
  });

  test('with reading its answer is cut off', async () => {
    const seen: Inbound[] = [];
    const agent = await serveAgent(
      async function* (inbound) {
        seen.push(inbound);
        for (;;) yield reply('x'.repeat(1_000_000), { type: 'evt' });
      },
      { stalledWriteTimeoutMs: 40 },
    );
    const socket = await open(agent);
    socket.pause();
    socket.write(rawPost(agent, '{}', 'Accept: application/x-ndjson\r\n'));
    await expect.poll(() => seen.length).toBe(1);
    if (!seen[0]!.signal.aborted) await once(seen[0]!.signal, 'abort');
    expect(seen[0]!.signal.aborted).toBe(true);
  });
});

describe('#transport-timeouts connections are counted', () => {
  test('per address, and one that is too many is closed at once', async () => {
    const agent = await serveAgent(echo, { maxConnectionsPerAddress: 2 });
    const first = await open(agent);
    await open(agent);
    const third = await open(agent);
    expect(await untilClosed(third)).toBe('');
    first.destroy();
    await once(first, 'close');
    await expect
      .poll(async () => (await call(agent).catch(() => ({ status: 0 }))).status)
      .toBe(200);
  });

  test('altogether', async () => {
    const agent = await serveAgent(echo, { maxConnections: 1 });
    await open(agent);
    expect(await untilClosed(await open(agent))).toBe('');
  });

  test('and so are the requests that one connection sends ahead of their answers', async () => {
    const seen: Inbound[] = [];
    const agent = await serveAgent(silent(seen));
    await say(agent, rawPost(agent, '{}').repeat(40));
    expect(seen.length).toBeLessThanOrEqual(4);
    expect(await say(agent, rawPost(agent, '{}').repeat(3) + 'garbage\r\n\r\n')).toBe('');
    expect(seen.every(({ signal }) => signal.aborted)).toBe(true);
  });
});

describe('#transport-http what is no HTTP', () => {
  test.each([
    ['garbage', '\u0000\u0001\u0002 nonsense\r\n\r\n', '400'],
    ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001', '400'],
    ['a request without a host', 'POST /a2a HTTP/1.1\r\n\r\n', '400'],
    ['a bad length', 'POST /a2a HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', '400'],
    [
      'two lengths',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      '400',
    ],
    [
      'a length and chunks',
      'POST /a2a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      '400',
    ],
    ['endless headers', `GET / HTTP/1.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, '431'],
  ])('%s is answered and closed', async (_name, words, status) => {
    const agent = await serveAgent(echo);
    expect(await say(agent, words)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect((await call(agent)).status).toBe(200);
  });

  test('a target with a host of its own gets nothing by it', async () => {
    const agent = await serveAgent(echo);
    const words = `POST http://localhost:${agent.port}/a2a HTTP/1.1\r\nHost: localhost:${agent.port}\r\nConnection: close\r\n\r\n`;
    expect(await say(agent, words)).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('garbage behind a request does not become part of its answer', async () => {
    const agent = await serveAgent(silent([]));
    expect(await say(agent, `${rawPost(agent, '{}')}\u0000garbage\r\n\r\n`)).toBe('');
  });
});

describe('#limits on the way in', () => {
  test('a chunked body without an end is refused at the limit', async () => {
    const agent = await serveAgent(echo);
    const socket = await open(agent);
    const ended = untilClosed(socket);
    socket.write(
      `POST /a2a HTTP/1.1\r\nHost: localhost:${agent.port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `400\r\n${'x'.repeat(0x400)}\r\n`;
    const send = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    expect(await ended).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a length that lies is refused before a byte of the body came', async () => {
    const agent = await serveAgent(echo);
    const socket = await open(agent);
    const length = LIMITS.maxBytes + 1;
    socket.write(rawPost(agent, '').replace('Length: 0', `Length: ${length}`));
    const [answer] = (await once(socket, 'data')) as [Uint8Array];
    expect(textOf(answer)).toMatch(/^HTTP\/1\.1 413 [^]*LIMIT_BYTES/);
  });
});

describe('#exchange over HTTP', () => {
  test('ends when the client has gone', async () => {
    const seen: Inbound[] = [];
    const agent = await serveAgent(silent(seen));
    const socket = await open(agent);
    socket.write(rawPost(agent, '{}'));
    await expect.poll(() => seen.length).toBe(1);
    expect(seen[0]!.signal.aborted).toBe(false);
    socket.destroy();
    await once(seen[0]!.signal, 'abort');
    expect((seen[0]!.signal.reason as Error).message).toBe('the client has gone');
  });

  test('does not abort when it ended well', async () => {
    const seen: Inbound[] = [];
    const agent = await serveAgent(async function* (inbound) {
      seen.push(inbound);
      yield* echo(inbound);
    });
    await call(agent, { body: '{}' });
    await agent.listener.close(1_000);
    expect(seen[0]!.signal.aborted).toBe(false);
  });

  test('goes no faster than the client reads', async () => {
    const total = 400;
    let pulled = 0;
    let isDone = false;
    const agent = await listenOn(
      contextOf(async function* () {
        try {
          while (pulled < total) {
            pulled++;
            yield reply(`{"pad":"${'x'.repeat(100_000)}"}`, { type: 'evt' });
          }
          yield reply('{}');
        } finally {
          isDone = true;
        }
      }),
    );
    const socket = await open(agent);
    let length = 0;
    socket.write(rawPost(agent, '{}', 'Accept: text/event-stream\r\nConnection: close\r\n'));
    const [first] = (await once(socket, 'data')) as [Uint8Array];
    length += first.length;
    socket.pause();
    let before = -1;
    // What the kernel takes is not for us to say, but it ends: then no more is pulled.
    await expect
      .poll(() => {
        const isStill = before === pulled;
        before = pulled;
        return isStill;
      })
      .toBe(true);
    expect(pulled).toBeLessThan(total);
    socket.on('data', (chunk: Uint8Array) => (length += chunk.length));
    socket.resume();
    await once(socket, 'close');
    expect(pulled).toBe(total);
    expect(isDone).toBe(true);
    expect(length).toBeGreaterThan(total * 100_000);
  });
});
