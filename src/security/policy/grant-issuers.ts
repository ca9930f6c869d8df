// Owns whether a grant that was accepted still counts: everybody in its chain, and the key that each signed with, is asked
// again at each use. SPEC.md sections 10 and 13 (#grant-use, #rights-at-use).

import { publicKeyFromDidKey } from '../identity/did-key.ts';
import { isInForce, isKeyLeft } from '../peers/in-force.ts';
import type { Peer, PeerDirectory } from '../peers/peer.ts';
import { strangerIn } from '../peers/resolve-sender.ts';
import type { GrantIssuer } from './grant-shape.ts';

interface IssuersView {
  readonly peers: PeerDirectory;
  readonly nowMs: number;
  /** Our own grants need nobody's leave. */
  readonly ownId: string;
}

/** @param issuers from the root on. */
export function doStillGrant(
  issuers: readonly GrantIssuer[],
  { peers, nowMs, ownId }: IssuersView,
): boolean {
  return issuers.every(({ agentId, kid }, index) => {
    if (agentId === ownId) return true;
    if (index === 0 && !isRootIssuer(peers, agentId, nowMs)) return false;
    const issuer = issuerIn(peers, agentId, nowMs);
    return issuer !== undefined && isKeyLeft(issuer, kid, nowMs);
  });
}

/** Is this peer trusted to issue root grants now? */
export function isRootIssuer(peers: PeerDirectory, agentId: string, nowMs: number): boolean {
  const entry = peers.find(agentId);
  return entry?.mayGrant === true && isInForce(entry, nowMs);
}

/** Who may sign a link; `undefined` for a peer whose time is over, and for who is not known and has no key for its id. */
export function issuerIn(peers: PeerDirectory, agentId: string, nowMs: number): Peer | undefined {
  const entry = peers.find(agentId);
  if (entry !== undefined) return isInForce(entry, nowMs) ? entry : undefined;
  return publicKeyFromDidKey(agentId) === undefined ? undefined : strangerIn(peers, agentId);
}
