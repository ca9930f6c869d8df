// Owns what a socket tells of the other end without reading a message. SPEC.md section 13 (#admit).

import type { IncomingMessage } from 'node:http';
import type { PeerFacts } from '../../src/transport.ts';
import { verifiedCertificate } from './tls.ts';

/** An IPv4 address looks the same whether the socket speaks IPv4 or both. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return 'gone';
  return address.startsWith(':') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address;
}

/** Headers such as `X-Forwarded-For` do not count: anybody can write them. */
export function peerFactsOf(request: IncomingMessage, transport: string): PeerFacts {
  const { socket } = request;
  const certificate = verifiedCertificate(socket);
  const facts = { transport, address: plainAddress(socket.remoteAddress) };
  return certificate === undefined ? facts : { ...facts, certificate };
}
