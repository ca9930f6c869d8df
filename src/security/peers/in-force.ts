// Owns whether a peer may speak now: its entry is in force, and the trust registry leaves it a key to prove itself by.
// SPEC.md sections 6 and 13 (#sec-kid-bound, #rights-at-use).

import { publicKeyFromDidKey } from '../identity/did-key.ts';
import { isValidAt, signingKeysOf, usableKeys } from './keys.ts';
import type { Peer, PeerKey } from './peer.ts';
import { isTrustedRoot, withOwnKeys } from './resolve-sender.ts';

export function isInForce(entry: Peer, nowMs: number): boolean {
  return !entry.revoked && isValidAt(entry, nowMs);
}

/**
 * Is there a key that could sign a message of it now? It needs no bundle: whose root key is trusted may bring one that
 * has any key which the registry does not forbid.
 */
export function canSign(peer: Peer, nowMs: number): boolean {
  if (usableKeys(signingKeysOf(peer), nowMs).length > 0) return true;
  const { agentId, signingKeys, signingKeyRule, registryKids } = peer;
  // Nobody says anything of its keys.
  if (signingKeyRule === undefined && signingKeys.length === 0) return isDidKey(agentId);
  const rootKey = publicKeyFromDidKey(agentId);
  if (rootKey === undefined) return false;
  const own = signingKeysOf(withOwnKeys(peer, undefined, nowMs));
  if (usableKeys(own, nowMs).length > 0) return true;
  if (registryKids === undefined || !isTrustedRoot(peer, rootKey, nowMs)) return false;
  return registryKids.some((kid) => isLeft(peer, { kid, key: UNKNOWN }, nowMs));
}

/** May this key of it, which has signed something before, still speak for it? */
export function isKeyLeft(peer: Peer, kid: string, nowMs: number): boolean {
  const own = withOwnKeys(peer, undefined, nowMs).signingKeys.find((key) => key.kid === kid);
  if (own !== undefined) return isLeft(peer, own, nowMs);
  // It was in a bundle: those count as long as the root does.
  const rootKey = publicKeyFromDidKey(peer.agentId);
  const mayBring = rootKey !== undefined && isTrustedRoot(peer, rootKey, nowMs);
  return mayBring && isLeft(peer, { kid, key: UNKNOWN }, nowMs);
}

function isDidKey(agentId: string): boolean {
  return agentId.startsWith('did:key:');
}

/** The registry judges keys by their kids. */
const UNKNOWN = new Uint8Array(0);

function isLeft({ signingKeyRule }: Peer, key: PeerKey, nowMs: number): boolean {
  const left = signingKeyRule === undefined ? key : signingKeyRule(key);
  return left !== undefined && isValidAt(left, nowMs);
}
