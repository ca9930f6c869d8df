// Owns getting to know a peer over HTTP: its document, fetched and verified, as an entry for a runtime or a peer book.
// SPEC.md section 10 (#agent-document).

import { readJson } from '../../src/transport.ts';
import type { CryptoProvider, Peer, PeerParts } from '../../src/security/index.ts';
import { chooseProvider, peerFromBundle, verifyAgentDocument } from '../../src/security/index.ts';
import type { FetchDocumentOptions } from './document.ts';
import { fetchAgentDocument } from './document.ts';

export interface FetchPeerOptions extends FetchDocumentOptions {
  /** Who it has to be, known from elsewhere. Without it the agent that answers at that address is believed. */
  readonly agentId?: string;
  /** What its entry says besides. @default nothing */
  readonly parts?: PeerParts;
  /** @default chooseProvider() */
  readonly crypto?: CryptoProvider;
  /** Milliseconds since the epoch. @default Date.now() */
  readonly nowMs?: number;
}

export async function fetchPeer(address: string, options: FetchPeerOptions = {}): Promise<Peer> {
  const { agentId, parts, crypto = chooseProvider(), nowMs = Date.now(), ...fetching } = options;
  const bytes = await fetchAgentDocument(address, fetching);
  const { bundle, endpoints } = await verifyAgentDocument(readJson(bytes), {
    crypto,
    nowMs,
    ...(agentId !== undefined && { agentId }),
  });
  const reachable = endpoints.filter((url) => !url.startsWith('ipc:'));
  return peerFromBundle(bundle, { endpoints: reachable, ...parts }, nowMs);
}
