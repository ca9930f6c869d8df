import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FrameReader, writeFrame } from '../../../src/codec/frame.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import type { Listener, ListenContext } from '../../../src/transport.ts';
import type { IpcOptions } from '../../../transports/ipc/index.ts';
import { ipc } from '../../../transports/ipc/index.ts';
import { describeChannelTransport } from '../../compliance/transport/channel.ts';
import { utf8 } from '../../support/wire/bytes.ts';
import {
  all,
  contextFor,
  echo,
  encode,
  faultOf,
  holdRequests,
  outbound,
  read,
  reply,
} from '../../support/agents/exchanges.ts';

const limits = DEFAULT_LIMITS;
const listeners: Listener[] = [];
let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ipc-'));
  path = join(folder, 'agent.sock');
});
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
  await rm(folder, { recursive: true });
});

async function listen(context: ListenContext, options: IpcOptions = {}): Promise<Listener> {
  const listener = await ipc({ path, ...options }).listen(context, []);
  listeners.push(listener);
  return listener;
}

/** A client that speaks bytes. */
async function rawClient(): Promise<Socket> {
  const socket = connect(path);
  await once(socket, 'connect');
  return socket;
}

/** Resolves at the close, whatever error it came with. */
function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.resume().once('close', () => resolve());
  });
}

/** What came until the other end closed. */
async function framesUntilClose(socket: Socket): Promise<JsonObject[]> {
  const reader = new FrameReader(limits.maxBytes);
  const messages: JsonObject[] = [];
  for await (const chunk of socket as AsyncIterable<Uint8Array>) {
    for (const bytes of reader.read(chunk)) messages.push(read({ bytes, encoding: 'json' }));
  }
  return messages;
}

describeChannelTransport('ipc', {
  transport: (options) => ipc({ ...options, path }),
  listen: (transport, context) => transport.listen(context, []),
});

describe('frames on a socket #transport-ipc', () => {
  test('the first byte tells JSON from CBOR', async () => {
    const seen: string[] = [];
    await listen(
      contextFor(async function* (inbound) {
        seen.push(inbound.encoding);
        yield* echo({ ...inbound });
      }),
    );
    const connection = await ipc().dial(`ipc:${path}`, { limits });
    for (const encoding of ['json', 'cbor'] as const) {
      await all(connection.exchange(outbound(encoding, {}, { encoding })));
    }
    expect(seen).toEqual(['json', 'cbor']);
    await connection.close();
  });

  test.each([
    ['4 GiB', [0xff, 0xff, 0xff, 0xff], 'LIMIT_BYTES'],
    ['one byte more than the limit', [0, 0x10, 0, 1], 'LIMIT_BYTES'],
    ['an HTTP request', [...utf8('POST / HTTP/1.1\r\n\r\n')], 'LIMIT_BYTES'],
    ['nothing', [0, 0, 0, 0], 'ENCODING_INVALID'],
  ])(
    'W41 a header that promises %s is answered with an error, and closed',
    async (_, bytes, code) => {
      await listen(contextFor(echo));
      const socket = await rawClient();
      socket.write(Uint8Array.from(bytes));
      expect(await framesUntilClose(socket)).toMatchObject([{ code }]);
    },
  );

  test('requests before a bad header are answered, or aborted when they still run', async () => {
    const held = holdRequests();
    await listen(contextFor(held.receive));
    const socket = await rawClient();
    socket.write(writeFrame(encode({ id: 'a', type: 'req' })));
    const { inbound } = await held.arrival('a');
    socket.write(new Uint8Array(4));
    expect(await framesUntilClose(socket)).toMatchObject([{ code: 'ENCODING_INVALID' }]);
    expect(inbound.signal.aborted).toBe(true);
  });

  test('bytes that are no message reach the checks like any other', async () => {
    await listen(
      contextFor(async function* ({ bytes, encoding }) {
        yield reply({ length: bytes.length, encoding });
      }),
    );
    const socket = await rawClient();
    socket.write(writeFrame(Uint8Array.of(0xff, 0xfe)));
    const [chunk] = (await once(socket, 'data')) as [Uint8Array];
    const [bytes] = new FrameReader(limits.maxBytes).read(chunk);
    expect(read({ bytes: bytes!, encoding: 'json' })).toMatchObject({
      length: 2,
      encoding: 'json',
    });
    socket.destroy();
  });

  test('a frame that stays incomplete ends its connection, also when bytes dribble in', async () => {
    await listen(contextFor(echo), { frameTimeoutMs: 30 });
    const [quiet, dribbling] = [await rawClient(), await rawClient()];
    quiet.write(Uint8Array.of(0, 0));
    dribbling.write(Uint8Array.of(0, 1, 0, 0));
    const dribble = setInterval(() => dribbling.write('x'), 5);
    await Promise.all([closeOf(quiet), closeOf(dribbling)]);
    clearInterval(dribble);
  });

  test('a connection that says nothing is closed without a word', async () => {
    await listen(contextFor(echo), { idleTimeoutMs: 20 });
    expect(await framesUntilClose(await rawClient())).toEqual([]);
  });

  test('thousands of tiny messages at once are no envelopes: the connection ends', async () => {
    const held = holdRequests();
    await listen(contextFor(held.receive), { maxInFlight: 1 });
    const socket = await rawClient();
    const tiny = writeFrame(utf8('{}'));
    const burst = new Uint8Array(tiny.length * 5_000);
    for (let at = 0; at < burst.length; at += tiny.length) burst.set(tiny, at);
    socket.write(burst);
    await closeOf(socket);
    expect(held.count).toBe(1);
  });

  test('the same works over loopback TCP', async () => {
    const seen: string[] = [];
    const listener = await ipc({ port: 0 }).listen(
      contextFor(async function* (inbound) {
        seen.push(inbound.peer.address);
        yield* echo(inbound);
      }),
      [],
    );
    listeners.push(listener);
    expect(listener.urls[0]).toMatch(/^ipc:\/\/127\.0\.0\.1:\d+$/);
    const connection = await ipc().dial(listener.urls[0]!, { limits });
    expect(await all(connection.exchange(outbound('a')))).toHaveLength(1);
    expect(seen).toEqual(['127.0.0.1']);
    await connection.close();
  });

  test('where nobody listens is unreachable', async () => {
    expect(await faultOf(ipc().dial(`ipc:${path}`, { limits }))).toBe('unreachable');
    const listener = await listen(contextFor(echo));
    await listener.close(0);
    expect(existsSync(path)).toBe(false);
    expect(await faultOf(ipc().dial(`ipc:${path}`, { limits }))).toBe('unreachable');
  });
});
