// Owns what a socket tells of the other end without reading a message. SPEC.md sections 11 and 13 (#net-address, #admit).

import type { IncomingMessage } from 'node:http';
import type { PeerFacts } from '../../src/transport.ts';
import type { Account } from './meter.ts';
import { verifiedCertificate } from './tls.ts';

/** Where a request comes from, and what is charged for it. */
export interface Source {
  /** As it is counted. */
  readonly address: string;
  readonly account: Account;
}

/** An IPv4 address looks the same whether the socket speaks IPv4 or both. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined) return 'gone';
  return address.startsWith(':') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address;
}

export function peerFactsOf(
  request: IncomingMessage,
  transport: string,
  { address, account }: Source,
): PeerFacts {
  const certificate = verifiedCertificate(request.socket);
  const facts = { transport, address, account };
  return certificate === undefined ? facts : { ...facts, certificate };
}
