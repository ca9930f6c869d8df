// Owns whom a program says that it knows: entries, key bundles and identities become one source of peers.
// SPEC.md sections 6 and 10 (#sec-kid-bound, #key-bundle).

import { RESERVED_ID, isReservedId } from '../envelope/agent-id.ts';
import type { KeyBundle } from '../security/identity/key-bundle-shape.ts';
import { peerFromBundle } from '../security/peers/new-peer.ts';
import type { Peer, PeerDirectory } from '../security/peers/peer.ts';

/** Where peers are looked up. A peer book is one. */
export interface PeerSource {
  /** Stays as it is while a message is judged. */
  snapshot(): PeerDirectory;
  /** By id, or by what people call it. */
  get?(idOrName: string): Peer | undefined;
  list?(): readonly Peer[];
}

/** An agent by its bundle; an identity is one, and nothing but its bundle is read. */
interface PeerBundle {
  readonly bundle: KeyBundle;
  /** Where it can be reached. @default nowhere: connect by URL */
  readonly endpoints?: readonly string[];
  /** What it is called here, for `connect`. @default by its id alone */
  readonly name?: string;
}

/** One agent that is known: its entry, its bundle, or its whole identity where one program has both ends. */
export type KnownPeer = Peer | KeyBundle | PeerBundle;

/** Whom an agent knows: a peer book, a list, or anything that finds peers. */
export type KnownPeers = PeerSource | PeerDirectory | readonly KnownPeer[];

const NOBODY: PeerDirectory = Object.freeze({ find: () => undefined });

export function peerSource(peers: KnownPeers = NOBODY, nowMs: number = Date.now()): PeerSource {
  if (isList(peers)) return listSource(peers, nowMs);
  return 'snapshot' in peers ? peers : { snapshot: () => peers };
}

function isList(peers: object): peers is readonly KnownPeer[] {
  return Array.isArray(peers);
}

/** The bundles among them, which were verified by whoever made them. */
export function knownBundles(peers: KnownPeers): readonly KeyBundle[] {
  if (!isList(peers)) return [];
  return peers.flatMap((known) => {
    if ('rootKey' in known) return [known];
    return 'bundle' in known ? [known.bundle] : [];
  });
}

function listSource(known: readonly KnownPeer[], nowMs: number): PeerSource {
  const byId = new Map<string, Peer>();
  const byName = new Map<string, Peer>();
  for (const one of known) {
    const peer = entryOf(one, nowMs);
    if (isReservedId(peer.agentId)) throw new TypeError(`an id of "peers" ${RESERVED_ID}`);
    byId.set(peer.agentId, peer);
    if ('bundle' in one && one.name !== undefined) byName.set(one.name, peer);
  }
  const find = (agentId: string): Peer | undefined => byId.get(agentId);
  return {
    snapshot: () => ({ find }),
    get: (idOrName) => byId.get(idOrName) ?? byName.get(idOrName),
    list: () => [...byId.values()],
  };
}

function entryOf(known: KnownPeer, nowMs: number): Peer {
  if ('signingKeys' in known) return known;
  if ('rootKey' in known) return peerFromBundle(known, {}, nowMs);
  if (known.bundle?.rootKey !== undefined) {
    const { bundle, endpoints = [] } = known;
    return peerFromBundle(bundle, { endpoints: [...endpoints] }, nowMs);
  }
  throw new TypeError('"peers" expected entries, key bundles or identities');
}
