// What one agent writes down of another. A program that runs for longer keeps this in a PeerBook of a2a-sdl/keys.

import { bundleKeys } from 'a2a-sdl/security';
import type { KeyBundle, Peer, PeerDirectory } from 'a2a-sdl/security';

/** An entry from an identity or a verified agent document: who it is, and the keys that messages to it are sealed with. */
export function peerFrom(
  { agentId, bundle }: { readonly agentId: string; readonly bundle: KeyBundle },
  more: Partial<Peer> = {},
): Peer {
  const keys = bundleKeys(bundle, 'enc', Date.now());
  return {
    agentId,
    signingKeys: [], // a did:key proves itself, and its signing keys come with its messages
    encryptionKeys: keys.map(({ kid, publicKey: key, notAfterMs: notAfter }) => {
      return { kid, key, notAfter };
    }),
    endpoints: [],
    revoked: false,
    switches: new Set(),
    mayGrant: false,
    ...more,
  };
}

/** Peers in memory, for the option `peers` of a runtime. */
export function peerList(...peers: readonly Peer[]): PeerDirectory {
  return { find: (agentId) => peers.find((peer) => peer.agentId === agentId) };
}
