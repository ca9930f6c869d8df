// Owns where requests come from: the address behind a connection, or behind a proxy that the operator trusts, and the
// account that is charged for it. SPEC.md section 11 (#net-address, #net-cost).

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Meter } from '../../net/meter.ts';
import { networkOf } from '../../net/network.ts';
import type { Source } from '../../net/peer-facts.ts';
import { plainAddress } from '../../net/peer-facts.ts';
import type { TrustedProxies } from '../../net/trusted-proxies.ts';

export type SourceOf = (request: IncomingMessage) => Source;

/** Of a server of our own: each connection has an account, but for those of proxies, which are many clients. */
export interface Sources {
  readonly of: SourceOf;
  /** The same for who has asked for nothing yet. */
  ofSocket(socket: Socket): Source;
  /** The connection belongs to somebody else from now on. */
  letGo(socket: Socket): void;
}

/** @param isAnswering a request on this connection is being answered. */
export function createSources(
  meter: Meter,
  proxies: TrustedProxies,
  isAnswering: (socket: Socket) => boolean,
): Sources {
  const known = new WeakMap<Socket, Source>();

  function ofSocket(socket: Socket): Source {
    const before = known.get(socket);
    if (before !== undefined) return before;
    const address = networkOf(plainAddress(socket.remoteAddress));
    const account = meter.open(address, {
      // Requests wait, and HTTP has only few of them on their way.
      hold: () => undefined,
      goOn: () => undefined,
      end: () => {
        // Who is being answered gets to know why, and the connection ends behind that.
        if (!isAnswering(socket)) socket.destroy();
      },
    });
    socket.once('close', () => account.close());
    const source = { address, account };
    known.set(socket, source);
    return source;
  }

  const guests = guestSources(meter, proxies);
  return {
    ofSocket,
    of: (request) =>
      proxies.has(plainAddress(request.socket.remoteAddress))
        ? guests(request)
        : ofSocket(request.socket),
    letGo: (socket) => known.get(socket)?.account.close(),
  };
}

/** Of connections that are not ours to end. */
export function guestSources(meter: Meter, proxies: TrustedProxies): SourceOf {
  return ({ socket, headers }) => {
    const forwarded = headers['x-forwarded-for'];
    const text = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
    const address = networkOf(proxies.sourceOf(plainAddress(socket.remoteAddress), text));
    return { address, account: meter.guest(address) };
  };
}
