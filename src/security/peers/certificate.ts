// Owns what a client certificate means: for whom its connection may speak. SPEC.md section 6 (#client-certificates).

import { SdlError } from '../../errors.ts';
import type { Peer, PeerDirectory } from './peer.ts';

/**
 * Throws SENDER_REFUSED unless this connection may speak for the sender (W54). A certificate that the book gives to
 * one agent speaks for no other. For messages that a client sent us: an answer comes over a connection of our own.
 */
export function checkCertificate(
  peer: Peer,
  presented: string | undefined,
  peers: PeerDirectory,
): void {
  const fault = certificateFault(peer, presented, peers);
  if (fault !== undefined) throw new SdlError('SENDER_REFUSED', fault);
}

/** Why the connection may not speak for the peer, if it may not. */
export function certificateFault(
  { agentId, certificates }: Peer,
  presented: string | undefined,
  peers: PeerDirectory,
): string | undefined {
  if (
    certificates !== undefined &&
    (presented === undefined || !certificates.includes(presented))
  ) {
    return 'the sender speaks only over its own client certificates, and showed none of them';
  }
  const owner = presented === undefined ? undefined : peers.findByCertificate?.(presented);
  if (owner === undefined || owner.agentId === agentId) return undefined;
  return 'the client certificate is bound to another agent';
}
