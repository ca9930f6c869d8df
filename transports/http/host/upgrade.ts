// Owns how a transport that upgrades connections, such as WebSocket, shares the port of an HTTP listener.
// The HTTP listener has looked at Host and Origin before a handler sees a connection. SPEC.md section 11 (#transport-ws).

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Listener, PeerFacts } from '../../../src/transport.ts';
import type { HttpHost } from '../face.ts';

/** Takes the connection over. `head` are bytes that came right behind the request. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Uint8Array) => void;

/** An HTTP listener that hands over connections. */
export interface UpgradeHost extends HttpHost {
  /**
   * Upgrades to this exact path go to the handler, those to a path that nobody takes are answered with 404. A foreign
   * Host or Origin was refused before. A path can be taken once. Returns what gives the path back.
   */
  onUpgrade(path: string, handler: UpgradeHandler): () => void;
  /** What is known of the other end of an upgraded connection. */
  peerFactsOf(request: IncomingMessage, transport: string): PeerFacts;
}

export function isUpgradeHost(listener: Listener): listener is UpgradeHost {
  return (
    'onUpgrade' in listener && 'peerFactsOf' in listener && typeof listener.onUpgrade === 'function'
  );
}

/** Answers an upgrade with an empty HTTP answer and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: number, reason: string): void {
  socket.on('error', () => {
    // The other end has gone already; there is nobody left to tell.
  });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    () => {
      socket.destroy();
    },
  );
}
