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
  const { agentId, certificates } = peer;
  if (
    certificates !== undefined &&
    (presented === undefined || !certificates.includes(presented))
  ) {
    throw refusal(
      'the sender speaks only over its own client certificates, and showed none of them',
    );
  }
  const owner = presented === undefined ? undefined : peers.findByCertificate?.(presented);
  if (owner !== undefined && owner.agentId !== agentId) {
    throw refusal('the client certificate is bound to another agent');
  }
}

function refusal(reason: string): SdlError {
  return new SdlError('SENDER_REFUSED', reason);
}
