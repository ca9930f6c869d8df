// Owns who must seal what it says in other dialects: by its entry, or because it has sealed before. SPEC.md section 22
// (#sealed-required).

import type { EntryStore } from '../../stores/store.ts';
import type { Peer } from './peer.ts';

/** `none`: plain. `prefer`: plain until it has sealed once. `require`: never plain. */
export type SealedPolicy = 'none' | 'prefer' | 'require';

export const SEALED_POLICIES: readonly SealedPolicy[] = ['none', 'prefer', 'require'];

type PeerEntry = Pick<Peer, 'agentId' | 'sealed'>;

export interface SealedLatch {
  /** May nothing plain come from it any more? */
  mustSeal(peer: PeerEntry): Promise<boolean>;
  /** It has sealed a message. Only for those with an entry: there is no limit to how many others there are. */
  raise(peer: PeerEntry): Promise<void>;
  /** For the operator alone: the peer starts anew. */
  reset(agentId: string): Promise<void>;
}

const SPACE = 'sealed-latch';
const SET = new Uint8Array([1]);

/** As durable as the store. Nothing in it expires. */
export function createSealedLatch(store: Pick<EntryStore, 'get' | 'put' | 'delete'>): SealedLatch {
  const isSet = async (agentId: string): Promise<boolean> =>
    (await store.get(SPACE, agentId)) !== undefined;
  return {
    async mustSeal({ agentId, sealed = 'prefer' }) {
      if (sealed !== 'prefer') return sealed === 'require';
      return isSet(agentId);
    },
    async raise({ agentId, sealed = 'prefer' }) {
      if (sealed === 'none' || (await isSet(agentId))) return;
      await store.put(SPACE, agentId, SET);
    },
    async reset(agentId) {
      await store.delete(SPACE, agentId);
    },
  };
}
