// What callers may do, from the entries of a test: the rights of a real agent.

import { createLiveRights } from '../../../src/door/live-rights.ts';
import type { Rights } from '../../../src/door/rights.ts';
import type { Peer } from '../../../src/security/peers/peer.ts';
import { EPOCH_MS } from '../wire/envelopes.ts';

/** Those of peers with these entries, asked anew each time; everybody else is a stranger, who may do anything. */
export function rightsOf(
  entries: readonly Peer[] | ReadonlyMap<string, Peer> = [],
  admins: readonly string[] = [],
): Rights {
  const find = (agentId: string): Peer | undefined =>
    Array.isArray(entries)
      ? entries.find((entry: Peer) => entry.agentId === agentId)
      : (entries as ReadonlyMap<string, Peer>).get(agentId);
  return createLiveRights({
    peerView: () => ({
      nowMs: EPOCH_MS,
      peers: { find },
      policy: { open: true, strangerContentTypes: ['*'] },
    }),
    admins,
  });
}
