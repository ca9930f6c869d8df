// Proves that no bad input stops the daemon or the service of others: each case gets its documented error or close.

import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ReadyHome } from '../../../cli/home/init.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { decodeMessage } from '../../../src/envelope/decode.ts';
import type { Incoming } from '../../../src/transport.ts';
import { textOf, utf8 } from '../../support/wire/bytes.ts';
import {
  PING,
  closeClients,
  openHome,
  operatorClient,
  operatorMessage,
} from '../../support/agents/daemon-peers.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { call, open, say, stopAgents, untilClosed } from '../../support/agents/http-agent.ts';
import type { RawLine } from '../../support/wire/raw-lines.ts';
import { frameLine, httpLine, wsLine } from '../../support/wire/raw-lines.ts';
import { rawWebSocket } from '../../support/wire/raw-web-socket.ts';

const MAX_BYTES = 1_048_576;
const DEEP = utf8(`{"a":${'['.repeat(100_000)}`);
/** More than the burst of one address would be refused for its number, whatever it is. */
const CONFIG = { admission: { rate_per_second: 100_000, burst: 100_000 } };

let daemon: RunningDaemon;
let home: ReadyHome;
let bystander: { readonly served: () => number; readonly stop: () => Promise<unknown> };
/** Connections that say something and then nothing: what each is told before it is closed. */
const slow = new Map<string, Promise<string>>();

beforeAll(async () => {
  const path = daemonFolder();
  home = await openHome(path);
  daemon = await startDaemon(path, ['--config', daemonFile('config.json', JSON.stringify(CONFIG))]);
  bystander = startBystander();
  const { port, urls } = daemon;
  slow.set('half the headers of a request', half(port, 'POST /a2a HTTP/1.1\r\nHost: loc'));
  slow.set(
    'half a WebSocket handshake',
    half(port, 'GET /a2a HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n'),
  );
  slow.set('half a frame on TCP', half(Number(new URL(urls.tcp).port), '\0\0\x01\0{"v":1'));
  slow.set('half a frame on a Unix socket', half(new URL(urls.ipc).pathname, '\0\0\x01\0{"v":1'));
});

afterAll(async () => {
  await stopAgents();
  await closeClients();
  await stopDaemons();
});

/** Somebody who is served all the time; it fails with the first request that is not. */
function startBystander(): typeof bystander {
  const peer = operatorClient(home).connect(daemon.urls.ipc, { agentId: daemon.agentId });
  const stopped = new AbortController();
  let served = 0;
  const serving = (async () => {
    while (!stopped.signal.aborted) {
      expect(await peer.call('sys.ping', {}, { mode: 'sig', retries: 0 })).toMatchObject({
        pong: true,
      });
      served += 1;
    }
  })();
  serving.catch(() => undefined);
  return {
    served: () => served,
    stop: () => {
      stopped.abort();
      return serving;
    },
  };
}

function half(where: number | string, words: string): Promise<string> {
  const socket =
    typeof where === 'number' ? createConnection(where, '127.0.0.1') : createConnection(where);
  socket.on('error', () => {});
  socket.write(words, 'latin1');
  return untilClosed(socket);
}

const LINES: Record<string, () => RawLine | Promise<RawLine>> = {
  HTTP: () => httpLine(daemon.urls.http),
  WebSocket: () => wsLine(daemon.urls.ws),
  'a Unix socket': () => frameLine(daemon.urls.ipc),
  TCP: () => frameLine(daemon.urls.tcp),
};

async function ask(line: RawLine, message: Incoming): Promise<JsonObject> {
  line.send(message);
  const { bytes, encoding } = (await line.next())!;
  return decodeMessage(bytes, encoding) as JsonObject;
}

function reasonIn({ payload }: JsonObject): unknown {
  return ((payload as JsonObject)['details'] as JsonObject)['reason'];
}

/** What the error in an HTTP answer says. */
function reasonOf(body: string): unknown {
  return reasonIn(decodeMessage(utf8(body), 'json') as JsonObject);
}

describe.each(Object.keys(LINES))('the daemon on %s #checks #errors #transport-same', (name) => {
  const newLine = async (): Promise<RawLine> => {
    const line = await LINES[name]!();
    onTestFinished(() => line.close());
    return line;
  };

  test.each([
    ['garbage', utf8('{garbage'), 'ENCODING_INVALID'],
    ['deep JSON', DEEP, 'LIMIT_DEPTH'],
    ['an empty object', utf8('{}'), 'ENVELOPE_INVALID'],
  ])('%s is refused', async (_what, bytes, reason) => {
    const line = await newLine();
    expect(reasonIn(await ask(line, { bytes, encoding: 'json' }))).toBe(reason);
    expect(await ask(line, await operatorMessage(home))).toMatchObject({ ct: 'toolresult.v1' });
  });

  test('an expired envelope is refused #replay-window', async () => {
    const old = await operatorMessage(home, { nowMs: Date.now() - 3_600_000 });
    expect(reasonIn(await ask(await newLine(), old))).toBe('TIME_INVALID');
  });

  test('an envelope that is played again gets the stored bytes, its nonce nothing else #replay-retry', async () => {
    const line = await newLine();
    const nonce = `played again over ${name}`;
    const message = await operatorMessage(home, { nonce });
    const first = await ask(line, message);
    expect(first).toMatchObject({ ct: 'toolresult.v1' });
    expect(await ask(line, message)).toEqual(first);
    const other = await operatorMessage(home, { nonce, content: { ...PING } });
    expect(reasonIn(await ask(line, other))).toBe('REPLAYED');
  });
});

describe('the daemon on HTTP #transport-http', () => {
  const host = (): string => `Host: localhost:${daemon.port}\r\n`;
  const json = 'Content-Type: application/json\r\n';

  test('what is no HTTP is told so', async () => {
    expect(await say(daemon, '\x16\x03\x01 this is no request\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 /,
    );
  });

  test('headers without end are refused', async () => {
    const words = `POST /a2a HTTP/1.1\r\n${host()}X: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await say(daemon, words)).toMatch(/^HTTP\/1\.1 431 /);
  });

  test('a body of 4 GiB is refused by its announcement', async () => {
    const words = `POST /a2a HTTP/1.1\r\n${host()}${json}Content-Length: 4294967296\r\n\r\n`;
    const socket = await open(daemon);
    socket.write(words);
    const [first] = (await new Promise((resolve) => {
      socket.once('data', (chunk) => resolve([chunk]));
    })) as [Uint8Array];
    expect(textOf(first)).toMatch(/^HTTP\/1\.1 413 /);
    expect(textOf(first)).toContain('LIMIT_BYTES');
    socket.destroy();
  });

  test('a body that grows too large without an announcement is refused', async () => {
    const { status, body } = await call(daemon, {
      body: new Uint8Array(MAX_BYTES + 1).fill(0x20),
      headers: { 'transfer-encoding': 'chunked' },
    });
    expect([status, reasonOf(body)]).toEqual([413, 'LIMIT_BYTES']);
  });

  test('a body that breaks off is answered with nothing of ours', async () => {
    const socket = await open(daemon);
    socket.end(`POST /a2a HTTP/1.1\r\n${host()}${json}Content-Length: 100\r\n\r\n{"v":1`);
    expect(await untilClosed(socket)).not.toContain('error.v1');
  });

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('a body of %s with %o is refused', async (type, more) => {
    const headers = { 'content-type': type, ...more };
    const { status, body } = await call(daemon, { body: '{}', headers });
    expect([status, reasonOf(body)]).toEqual([415, 'ENCODING_UNSUPPORTED']);
  });

  test('a foreign Host is refused', async () => {
    const { status, body } = await call(daemon, { body: '{}', headers: { host: 'evil.example' } });
    expect([status, reasonOf(body)]).toEqual([421, 'ADDRESS_WRONG']);
  });

  test('a foreign Origin is refused, and its page gets no leave to read', async () => {
    const headers = { origin: 'https://evil.example' };
    const { status, body, headers: got } = await call(daemon, { body: '{}', headers });
    expect(status).toBe(403);
    expect(body).toContain('SECURITY_UNSUPPORTED');
    expect(got['access-control-allow-origin']).toBeUndefined();
  });

  test.each([
    ['GET', '/a2a', 405],
    ['POST', '/elsewhere', 404],
    ['GET', '/metrics', 404],
  ])('%s %s is answered with %i', async (method, path, status) => {
    expect((await call(daemon, { method, path })).status).toBe(status);
  });
});

describe.each(['a Unix socket', 'TCP'])('the daemon on %s, frames #transport-ipc', (name) => {
  const url = (): string => (name === 'TCP' ? daemon.urls.tcp : daemon.urls.ipc);

  test.each([
    ['a frame of 4 GiB', Uint8Array.of(0xff, 0xff, 0xff, 0xff)],
    ['a frame of one byte too many', Uint8Array.of(0x00, 0x10, 0x00, 0x01)],
    ['another protocol', utf8('GET / HTTP/1.1\r\n\r\n')],
  ])('%s is refused by its header, and the connection closed', async (_what, bytes) => {
    const line = await frameLine(url());
    line.write(bytes);
    const refusal = (await line.next())!;
    expect(decodeMessage(refusal.bytes, refusal.encoding)).toMatchObject({
      payload: { details: { reason: 'LIMIT_BYTES', limit: MAX_BYTES } },
    });
    expect(await line.next()).toBeUndefined();
  });

  test('a frame that breaks off is dropped, and the connection closed', async () => {
    const line = await frameLine(url());
    line.write(utf8('\0\0\x01\0{"v":1'));
    line.end();
    expect(await line.next()).toBeUndefined();
  });
});

describe('the daemon on WebSocket #transport-ws', () => {
  const upgrade = (headers: string, path = '/a2a'): string =>
    `GET ${path} HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    `Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n${headers}\r\n`;

  test.each([
    ['a foreign Host', 'Host: evil.example\r\n', '/a2a', 421],
    ['a foreign Origin', 'Host: localhost:PORT\r\nOrigin: https://evil.example\r\n', '/a2a', 403],
    ['another path', 'Host: localhost:PORT\r\n', '/other', 404],
  ])('%s gets no WebSocket', async (_what, headers, path, status) => {
    const words = upgrade(headers.replace('PORT', String(daemon.port)), path);
    expect(await say(daemon, words)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test.each([
    ['a message of 4 GiB', [0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4], 1009],
    ['a message of one byte too many', [0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 1, 1, 2, 3, 4], 1009],
    ['text that is not UTF-8', [0x81, 0x82, 0, 0, 0, 0, 0xc0, 0xaf], 1007],
    ['frames with reserved bits', [0xf1, 0x80, 0, 0, 0, 0], 1002],
    ['frames without a mask', [0x81, 0x01, 0x7b], 1002],
  ])('%s closes it with the code for it', async (_what, bytes, code) => {
    const socket = await rawWebSocket(daemon.port);
    socket.write(Uint8Array.from(bytes));
    expect(await socket.closeCode()).toBe(code);
  });
});

describe('the daemon under all of this #transport-timeouts', () => {
  test.each([
    ['half the headers of a request', /^HTTP\/1\.1 408 /],
    ['half a WebSocket handshake', /^HTTP\/1\.1 408 /],
    ['half a frame on TCP', /^$/],
    ['half a frame on a Unix socket', /^$/],
  ])('%s does not hold a connection for ever', async (name, words) => {
    expect(await slow.get(name)).toMatch(words);
  });

  test('it stays up, and somebody else was served all the time', async () => {
    const before = bystander.served();
    expect(before).toBeGreaterThan(0);
    await bystander.stop();
    expect(daemon.isRunning()).toBe(true);
    expect((await call(daemon, { method: 'GET', path: '/healthz' })).status).toBe(200);
    daemon.signal('SIGTERM');
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
  });
});
