// Owns whom a name or an address stands for: an entry of the peer book, and where it can be reached.
// SPEC.md section 6 (#sec-kid-bound).

import type { PeerSource } from '../message/peers.ts';
import type { Peer } from '../security/peers/peer.ts';

export interface Target {
  readonly agentId: string;
  /** Where to try, in order. */
  readonly endpoints: readonly string[];
}

/** No entry stands for this name, or has an address there. */
export class UnknownPeerError extends Error {
  override readonly name = 'UnknownPeerError';
}

const URL_FORM = /^(https?|wss?|ipc|memory):/;

/** Throws an Error that says what is missing. `agentId` says who is at an address that the book does not know. */
export function resolveTarget(target: string, peers: PeerSource, agentId?: string): Target {
  if (URL_FORM.test(target)) {
    const known = peers.list?.() ?? [];
    const id = agentId ?? agentAt(target, known);
    return {
      agentId: id,
      endpoints: [
        withPath(
          target,
          known.find((peer) => peer.agentId === id),
        ),
      ],
    };
  }
  const peer = peers.get?.(target) ?? peers.snapshot().find(target);
  if (peer === undefined) {
    throw new UnknownPeerError(`no peer "${target}" is known: add it to the peer book`);
  }
  if (peer.endpoints.length === 0) {
    throw new Error(`the entry of "${target}" has no endpoint: give it one, or connect by URL`);
  }
  return { agentId: peer.agentId, endpoints: peer.endpoints };
}

/**
 * What two addresses of one agent have in common, the surest first: everything; all but HTTP or WebSocket, since an
 * agent has one port for both; the host, which counts only where it is the host of one agent alone.
 */
const LIKENESSES: readonly ((url: string) => string | undefined)[] = [
  (url) => url,
  asHttp,
  (url) => /^https?:\/\/[^/?#]+/.exec(asHttp(url))?.[0],
];

/** An agent has one port for HTTP and WebSocket. */
function asHttp(url: string): string {
  return url.replace(/^ws/, 'http');
}

/** An address without a path names the host alone: the path is the one of the peer's own address there. */
function withPath(url: string, peer: Peer | undefined): string {
  const origin = /^(https?|wss?):\/\/[^/?#]+$/.exec(url)?.[0];
  const own = peer?.endpoints.find(
    (address) => origin !== undefined && asHttp(address).startsWith(`${asHttp(origin)}/`),
  );
  return own === undefined ? url : origin! + asHttp(own).slice(asHttp(origin!).length);
}

function agentAt(url: string, peers: readonly Peer[]): string {
  for (const likeness of LIKENESSES) {
    const wanted = likeness(url);
    const found = peers.filter(
      ({ revoked, endpoints }) =>
        !revoked && wanted !== undefined && endpoints.some((own) => likeness(own) === wanted),
    );
    if (found.length === 1) return found[0]!.agentId;
    if (found.length > 1) throw ambiguous(url, found);
  }
  throw new UnknownPeerError(
    `no peer is known at ${url}: add it to the peer book, or say who it is with "agentId"`,
  );
}

function ambiguous(url: string, found: readonly Peer[]): Error {
  const ids = found.map(({ agentId }) => agentId).join(', ');
  return new Error(
    `${url} may be the address of more than one peer: connect by id, or say who it is with "agentId": ${ids}`,
  );
}
