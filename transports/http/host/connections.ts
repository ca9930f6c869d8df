// Owns the connections of an HTTP server: how many one address may have, which are idle, and how they end.
// SPEC.md section 11 (#transport-timeouts).

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LiveSet } from '../../net/live-set.ts';
import { plainAddress } from '../../net/peer-facts.ts';

/** Requests that one connection may send ahead of their answers. */
const MAX_AHEAD = 4;

interface Connection {
  /** Requests that are not answered yet. */
  open: number;
  isUpgraded: boolean;
}

export interface HttpConnections {
  /** Another transport has it now: it is nobody's idle connection. */
  markUpgraded(request: IncomingMessage): void;
  /** A request on this connection is being answered. */
  isAnswering(socket: Socket): boolean;
  /** Ends idle connections, each other one after its answer, and whatever is left after `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

export function watchConnections(server: Server, maxPerAddress: number): HttpConnections {
  const sockets = new LiveSet<Socket>();
  const perAddress = new Map<string, number>();
  // The key is the address of both ends: with TLS, a request and its connection have different socket objects.
  const connections = new Map<string, Connection>();
  const bySocket = new WeakMap<Socket, Connection>();
  let isDraining = false;

  /** The key is looked up once for each socket: it is made of text. */
  function connectionOf(socket: Socket): Connection | undefined {
    const known = bySocket.get(socket);
    if (known !== undefined) return known;
    const found = connections.get(keyOf(socket));
    if (found !== undefined) bySocket.set(socket, found);
    return found;
  }

  server.prependListener('connection', (socket) => {
    const address = plainAddress(socket.remoteAddress);
    const count = (perAddress.get(address) ?? 0) + 1;
    const key = keyOf(socket);
    if (count > maxPerAddress || isDraining) return socket.destroy();
    perAddress.set(address, count);
    connections.set(key, { open: 0, isUpgraded: false });
    sockets.add(socket);
    return socket.once('close', () => {
      sockets.delete(socket);
      connections.delete(key);
      const left = perAddress.get(address)! - 1;
      if (left === 0) perAddress.delete(address);
      else perAddress.set(address, left);
    });
  });

  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connectionOf(socket);
    if (connection === undefined) return;
    connection.open++;
    if (connection.open > MAX_AHEAD) socket.destroy();
    response.on('close', () => {
      connection.open--;
      if (isDraining && connection.open === 0) socket.destroySoon();
    });
  });

  return {
    markUpgraded: ({ socket }) => {
      const connection = connectionOf(socket);
      if (connection !== undefined) connection.isUpgraded = true;
    },
    isAnswering: (socket) => (connectionOf(socket)?.open ?? 0) > 0,
    drain: (graceMs) => {
      isDraining = true;
      for (const socket of sockets) {
        const connection = connectionOf(socket);
        if (connection?.open === 0 && !connection.isUpgraded) socket.destroy();
      }
      return sockets.drain(graceMs);
    },
  };
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
