// Owns the loopback servers that the schema fetch is tested against, and the fetches that may reach them.

import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { expect } from 'vitest';
import { SdlError } from '../../../src/errors.ts';
import type { SchemaFetchOptions } from '../../../transports/fetch/index.ts';
import { createSchemaFetch } from '../../../transports/fetch/index.ts';

export const SCHEMA: Uint8Array = new TextEncoder().encode('{"type":"object","title":"größe"}');

export interface Listening {
  readonly port: number;
  /** One a connection, in order; resolves when the server sees the connection close. */
  readonly closes: readonly Promise<unknown>[];
  readonly stop: () => Promise<void>;
}

const running: Listening[] = [];

/** For `afterEach`. A server only stops once each of its connections is gone, so a leak of the client fails the test. */
export async function stopServers(): Promise<void> {
  await Promise.all(running.splice(0).map((server) => server.stop()));
}

export async function listen(server: Server, host = '127.0.0.1'): Promise<Listening> {
  const closes: Promise<unknown>[] = [];
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => {});
    closes.push(new Promise((resolve) => socket.once('close', resolve)));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  const listening = { port: (server.address() as AddressInfo).port, closes, stop };
  running.push(listening);
  return listening;
}

export function serve(onRequest: RequestListener, host?: string): Promise<Listening> {
  return listen(createHttpServer(onRequest), host);
}

export function serveSchema(host?: string): Promise<Listening> {
  return serve((_request, response) => response.end(SCHEMA), host);
}

/** Answers each connection with these bytes and leaves it open. */
export function serveText(text: string): Promise<Listening> {
  return listen(
    createTcpServer((socket) => {
      // Without reading, the end of the connection would go unseen.
      socket.resume();
      socket.write(text);
    }),
  );
}

/** A fetch that may use http on the loopback interface, at this server's port. */
export function localFetch(
  { port }: Listening,
  options: SchemaFetchOptions = {},
): ReturnType<typeof createSchemaFetch> {
  return createSchemaFetch({
    allowHttp: true,
    allowRanges: ['127.0.0.0/8'],
    ports: [port],
    ...options,
  });
}

/** The `SCHEMA_URI` error of a fetch that must fail. */
export async function refusal(fetched: Promise<Uint8Array>): Promise<SdlError> {
  const outcome: unknown = await fetched.then(
    () => 'a body',
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(SdlError);
  expect((outcome as SdlError).code).toBe('SCHEMA_URI');
  expect((outcome as SdlError).details).toEqual({});
  return outcome as SdlError;
}
