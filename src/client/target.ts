// Owns whom a name or an address stands for: an entry of the peer book, and where it can be reached.
// SPEC.md section 6 (#sec-kid-bound).

import type { Peer, PeerDirectory } from '../security/peer.ts';

/** Where the runtime looks peers up. A peer book is one. */
export interface PeerSource {
  /** Stays as it is while a message is judged. */
  snapshot(): PeerDirectory;
  /** By id, or by what people call it. */
  get?(idOrName: string): Peer | undefined;
  list?(): readonly Peer[];
}

export interface Target {
  readonly agentId: string;
  /** Where to try, in order. */
  readonly endpoints: readonly string[];
}

const URL_FORM = /^(https?|wss?|ipc|memory):/;

/** Throws an Error that says what is missing. `agentId` says who is at an address that the book does not know. */
export function resolveTarget(target: string, peers: PeerSource, agentId?: string): Target {
  if (URL_FORM.test(target)) {
    const id = agentId ?? peers.list?.().find((peer) => isAt(peer, target))?.agentId;
    if (id === undefined) {
      throw new Error(
        `no peer is known at ${target}: add it to the peer book, or say who it is with "agentId"`,
      );
    }
    return { agentId: id, endpoints: [target] };
  }
  const peer = peers.get?.(target) ?? peers.snapshot().find(target);
  if (peer === undefined) throw new Error(`no peer "${target}" is known: add it to the peer book`);
  if (peer.endpoints.length === 0) {
    throw new Error(`the entry of "${target}" has no endpoint: give it one, or connect by URL`);
  }
  return { agentId: peer.agentId, endpoints: peer.endpoints };
}

function isAt(peer: Peer, url: string): boolean {
  return !peer.revoked && peer.endpoints.some((endpoint) => sameAddress(endpoint, url));
}

/** One agent has one port for HTTP and WebSocket, so the scheme does not matter; for sockets the whole address does. */
function sameAddress(endpoint: string, url: string): boolean {
  if (endpoint === url) return true;
  const [a, b] = [hostOf(endpoint), hostOf(url)];
  return a !== undefined && a === b;
}

function hostOf(url: string): string | undefined {
  const match = /^(?:http|ws)(s?):\/\/([^/?#]+)/.exec(url);
  return match === null ? undefined : `${match[1]}:${match[2]}`;
}
