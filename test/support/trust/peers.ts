// Peers, and messages that look as if they came from them. Signatures are not real: what is tested stands before them.

import type { CompatSwitch } from '../../../src/security/policy/switches.ts';
import type { Envelope, SecurityMode } from '../../../src/envelope/types.ts';
import type { Peer, PeerDirectory } from '../../../src/security/peers/peer.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { ENC, SIG, alice, taskRequest } from '../wire/envelopes.ts';

type PeerParts = Omit<Partial<Peer>, 'switches'> & { readonly switches?: readonly CompatSwitch[] };

export function makePeer(agentId: string, { switches = [], ...parts }: PeerParts = {}): Peer {
  return {
    agentId,
    signingKeys: [],
    encryptionKeys: [],
    endpoints: [],
    revoked: false,
    mayGrant: false,
    ...parts,
    switches: new Set(switches),
  };
}

export function directoryOf(...peers: readonly Peer[]): PeerDirectory {
  return { find: (agentId) => peers.find((peer) => peer.agentId === agentId) };
}

export interface MessageParts {
  readonly from?: string;
  readonly mode?: SecurityMode;
  readonly kid?: string;
  readonly bundle?: JsonObject;
}

export function messageFrom({
  from = alice.agent_id,
  mode = 'sig',
  kid = 'k',
  bundle,
}: MessageParts): Envelope {
  const request = taskRequest();
  const sec = {
    mode,
    ...(mode.endsWith('sig') && { kid, sig: SIG }),
    ...(mode.startsWith('enc') && { enc: ENC }),
  } as unknown as NonNullable<Envelope['sec']>;
  return {
    ...request,
    from: { ...request.from, agent_id: from },
    cap: { a2a_sdl: { v: 1, ...(bundle && { bundle }) } },
    sec,
  };
}
