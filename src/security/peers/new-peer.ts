// Owns how an entry for a peer is made by a program: from its id alone, or from the keys that it lists itself.
// SPEC.md sections 6 and 10 (#sec-kid-bound, #key-bundle).

import type { KeyBundle } from '../identity/key-bundle-shape.ts';
import { bundleKeys } from '../identity/key-bundle.ts';
import type { Peer } from './peer.ts';

/** What an entry says beside the agent's id. */
export type PeerParts = Partial<Omit<Peer, 'agentId'>>;

/** An agent of whom nothing but these parts is known. */
export function newPeer(agentId: string, parts: PeerParts = {}): Peer {
  return {
    agentId,
    signingKeys: [],
    encryptionKeys: [],
    endpoints: [],
    revoked: false,
    switches: new Set(),
    mayGrant: false,
    ...parts,
  };
}

/**
 * An agent by a bundle that was verified: messages to it are sealed with the keys in it. Its signing keys come with its
 * messages, so that a rotation ends them at once.
 */
export function peerFromBundle(
  bundle: KeyBundle,
  parts: PeerParts = {},
  nowMs: number = Date.now(),
): Peer {
  const encryptionKeys = bundleKeys(bundle, 'enc', nowMs).map(({ kid, publicKey, notAfterMs }) => ({
    kid,
    key: publicKey,
    notAfter: Math.min(notAfterMs, bundle.notAfterMs),
  }));
  return newPeer(bundle.agentId, { encryptionKeys, ...parts });
}
