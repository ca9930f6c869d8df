// Owns the other end of our client: a server that does what a test tells it, one connection after the other.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

import { onTestFinished } from 'vitest';

import { RawConnection } from './raw-connection.ts';

export interface ScriptedPeer {
  readonly address: string;
  /** The next connection that comes. */
  readonly accept: () => Promise<RawConnection>;
}

export async function scriptedPeer(): Promise<ScriptedPeer> {
  const waiting: ((connection: RawConnection) => void)[] = [];
  const come: RawConnection[] = [];
  const server = createServer((socket) => {
    const connection = new RawConnection(socket);
    onTestEnd.push(() => socket.destroy());
    const wanted = waiting.shift();
    if (wanted === undefined) come.push(connection);
    else wanted(connection);
  });
  const onTestEnd: (() => void)[] = [() => server.close()];
  onTestFinished(() => {
    for (const end of onTestEnd) end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    accept: async () => come.shift() ?? new Promise((resolve) => waiting.push(resolve)),
  };
}
