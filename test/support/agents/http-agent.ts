// Owns an agent behind the HTTP transport whose answers a test decides, and raw clients that say what they like to it.

import { once } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { Limits } from '../../../src/limits.ts';
import { resolveLimits } from '../../../src/limits.ts';
import type { Inbound, ListenContext, Receive, Reply } from '../../../src/transport.ts';
import { http } from '../../../transports/http/index.ts';
import { FACE_CONTEXT } from './face-context.ts';
import type { HttpOptions } from '../../../transports/http/options.ts';
import type { OwnHost } from '../../../transports/http/host/listener.ts';

export const utf8 = (value: string): Uint8Array => new TextEncoder().encode(value);
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export const LIMITS: Limits = resolveLimits({ maxBytes: 4_096 });

export function reply(value: string, more: Partial<Reply> = {}): Reply {
  return { bytes: utf8(value), encoding: 'json', type: 'res', status: 200, ...more };
}

/** Answers with what it got. */
export const echo: Receive = async function* ({ bytes, encoding }: Inbound) {
  yield { bytes, encoding, type: 'res', status: 200 };
};

export function contextOf(receive: Receive, more: Partial<ListenContext> = {}): ListenContext {
  return {
    receive,
    limits: LIMITS,
    refuse: async ({ code, row }) =>
      reply(`{"v":1,"ct":"error.v1","payload":{"reason":"${code}"}}`, { status: row.http }),
    isReady: async () => true,
    agentDocument: async () => utf8('{"agent_id":"did:key:z6Mk"}'),
    metrics: () => 'a2a_messages 7\n',
    ...FACE_CONTEXT,
    ...more,
  };
}

const running: OwnHost[] = [];
const sockets: Socket[] = [];

/** For `afterEach`: everything that was started is gone afterwards. */
export async function stopAgents(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((listener) => listener.close(0)));
}

export interface Agent {
  readonly listener: OwnHost;
  readonly url: string;
  readonly port: number;
}

export async function listenOn(context: ListenContext, options: HttpOptions = {}): Promise<Agent> {
  // Its declarations hide what only transports of ours use.
  const listener = (await http({ port: 0, ...options }).listen(context)) as OwnHost;
  running.push(listener);
  const url = listener.urls[0]!;
  return { listener, url, port: Number(new URL(listener.boundUrl).port) };
}

export function serveAgent(receive: Receive, options?: HttpOptions): Promise<Agent> {
  return listenOn(contextOf(receive), options);
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

/** One request on a connection of its own, with nothing added but what HTTP needs. */
export async function call({ port }: { port: number }, options: Call = {}): Promise<Answer> {
  const { method = 'POST', path = '/a2a', body = '', headers = {} } = options;
  const type = method === 'POST' ? { 'content-type': 'application/json' } : {};
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent: false,
    headers: { ...type, ...headers },
  });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** A bare connection; it is destroyed after the test. */
export async function open({ port }: { port: number }): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** What the server says until it ends the connection. */
export async function untilClosed(socket: Socket): Promise<string> {
  let said = '';
  socket.on('data', (chunk: Uint8Array) => (said += textOf(chunk)));
  // Not `once` of node:events: an error on the way is how some connections end.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return said;
}

/** Writes these bytes on a new connection and waits for the server to end it. */
export async function say(agent: { port: number }, words: string): Promise<string> {
  const socket = await open(agent);
  socket.write(words);
  return untilClosed(socket);
}

/** A message as it goes over a bare connection. */
export function rawPost({ port }: { port: number }, body: string, headers = ''): string {
  return `POST /a2a HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
}
