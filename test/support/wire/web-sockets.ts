// Owns WebSocket ends for tests: ours beside an HTTP listener, and those of the library alone.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { ClientOptions } from 'ws';
import { WebSocket, WebSocketServer } from 'ws';
import type { Listener, ListenContext, Transport } from '../../../src/transport.ts';
import type { HttpOptions } from '../../../transports/http/index.ts';
import { http } from '../../../transports/http/index.ts';
import type { WsOptions } from '../../../transports/ws/index.ts';
import { ws } from '../../../transports/ws/index.ts';

const closers: (() => unknown)[] = [];

/** For `afterEach`. */
export async function closeWebSockets(): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}

/** HTTP and WebSocket on one port; the closing of one closes both. */
export async function listenBoth(
  transport: Transport,
  context: ListenContext,
  httpOptions: HttpOptions = {},
): Promise<Listener> {
  const host = await http({ ...httpOptions, port: 0 }).listen(context);
  const listener = await transport.listen(context, [host]);
  return {
    name: listener.name,
    urls: listener.urls,
    close: async (graceMs) => {
      await listener.close(graceMs);
      await host.close(graceMs);
    },
  };
}

export async function listenWs(
  context: ListenContext,
  options: WsOptions = {},
  httpOptions: HttpOptions = {},
): Promise<Listener> {
  const listener = await listenBoth(ws(options), context, httpOptions);
  closers.push(() => listener.close(0));
  return listener;
}

/** A client of the library alone. */
export async function rawClient(
  url: string,
  protocols: string[] = [],
  options?: ClientOptions,
): Promise<WebSocket> {
  const socket = new WebSocket(url, protocols, options);
  closers.push(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

export async function closeCode(socket: WebSocket): Promise<number> {
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}

/** A server of the library alone, which is no agent. */
export async function foreignServer(
  onSocket: (socket: WebSocket) => void,
  protocol?: string,
): Promise<string> {
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: () => protocol ?? false,
  });
  server.on('connection', onSocket);
  await once(server, 'listening');
  closers.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
    return once(server, 'close');
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/a2a`;
}
