// Owns an agent that strangers attack over its real transports while somebody who is known asks it too.

import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';

import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import type { Transport } from '../../../src/transport.ts';
import type { HttpOptions } from '../../../transports/http/index.ts';
import { http } from '../../../transports/http/index.ts';
import type { Receiver, Scene } from './forge.ts';
import { forge, newScene } from './forge.ts';

const closers: (() => unknown)[] = [];

/** For `afterEach`. */
export async function closeStrangers(): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}

/** What is to be ended after the test. */
export function toClose(close: () => unknown): void {
  closers.push(close);
}

export interface Served extends Scene {
  readonly port: number;
}

/** An agent that is reached over HTTP, and over what else is given. */
export async function serveKnown(
  options: HttpOptions = {},
  others: readonly Transport[] = [],
  runtime: Partial<RuntimeOptions> = {},
): Promise<Served> {
  const scene = await newScene(runtime);
  const [listener] = await scene.bob.runtime.listen(http({ port: 0, ...options }));
  for (const other of others) await scene.bob.runtime.listen(other);
  return { ...scene, port: Number(new URL(listener!.urls[0]!).port) };
}

/** How long somebody who is known waits for the answer to one message, on a connection of its own. */
export async function knownPeerMs({ bob, alice, port }: Served): Promise<number> {
  const payload = { call_id: 'c', tool: 'sys.ping', expect: {}, args: {} };
  const { bytes } = await forge(alice, bob, { ct: 'toolcall.v1', payload });
  const beganAt = performance.now();
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
  const asked = request({ host: '127.0.0.1', port, path: '/a2a', method: 'POST', headers });
  asked.end(bytes);
  const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
  let said = '';
  for await (const chunk of response) said += String(chunk);
  if (!said.includes('toolresult.v1')) throw new Error(`a known peer is refused: ${said}`);
  return performance.now() - beganAt;
}

export async function opened(
  to: number | string,
  more: { readonly localAddress?: string } = {},
): Promise<Socket> {
  const socket =
    typeof to === 'number' ? connect({ host: '127.0.0.1', port: to, ...more }) : connect(to);
  socket.on('error', () => undefined);
  closers.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** A connection after the handshake of a WebSocket. */
export async function upgraded(port: number): Promise<Socket> {
  const socket = await opened(port);
  socket.write(
    `GET /a2a HTTP/1.1\r\nHost: localhost:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  );
  await once(socket, 'data');
  return socket;
}

/** The last four that come. */
export async function lastBytes(socket: Socket): Promise<Buffer> {
  let last = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    last = Buffer.concat([last, chunk]).subarray(-4);
  });
  await closed(socket);
  return Buffer.from(last);
}

export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });
}

export async function metric({ bob }: { readonly bob: Receiver }, labels: string): Promise<number> {
  const text = (await bob.runtime.listenContext()).metrics();
  const line = text.split('\n').find((each) => each.startsWith(`${COSTS}{${labels}}`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

const COSTS = 'a2a_sdl_connection_costs_total';
export const JUNK: string = JSON.stringify({
  v: 1,
  id: 'x',
  type: 'req',
  padding: 'no envelope at all',
});

/** A text message as a client sends it, masked with zeros. */
export function maskedFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}
