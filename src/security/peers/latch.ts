// Owns the latch against downgrades: what a peer has once proven to speak, it may not fall behind. SPEC.md section 14 (W19).

import { decodeUtf8, encodeUtf8 } from '../../codec/utf8.ts';
import type { Envelope, SecurityMode } from '../../envelope/types.ts';
import { SdlError } from '../../errors.ts';
import type { EntryStore } from '../../stores/store.ts';
import { isAtLeast, isSigned, modeOf } from '../message/mode.ts';
import type { ResolvedSender } from './resolve-sender.ts';

export interface ModeLatch {
  /** The strongest mode that this agent has proven; `none` before its first. */
  get(agentId: string): Promise<SecurityMode>;
  /**
   * Records the mode of a message whose signature holds, and only then. A reply proves no more than that its sender
   * signs, because its encryption followed the request. Strangers are not recorded: there is no limit to how many there are.
   */
  raise(sender: Pick<ResolvedSender, 'key' | 'isStranger'>, envelope: Envelope): Promise<void>;
  /** For the operator alone: the peer starts anew. */
  reset(agentId: string): Promise<void>;
}

const SPACE = 'mode-latch';

/** As durable as the store. Nothing in it expires. */
export function createModeLatch(store: Pick<EntryStore, 'get' | 'put' | 'delete'>): ModeLatch {
  const read = async (agentId: string): Promise<{ mode: SecurityMode; version: number }> => {
    const entry = await store.get(SPACE, agentId);
    if (entry === undefined) return { mode: 'none', version: 0 };
    return { mode: storedMode(entry.value), version: entry.version };
  };

  return {
    async get(agentId) {
      return (await read(agentId)).mode;
    },

    async raise({ key, isStranger }, envelope) {
      if (key === undefined || isStranger) return;
      const agentId = envelope.from.agent_id;
      const proven = envelope.type === 'req' ? modeOf(envelope) : 'sig';
      // Conditional, and again when another message came between: the latch never goes down by a race.
      for (;;) {
        const { mode, version } = await read(agentId);
        if (isAtLeast(mode, proven)) return;
        const written = await store.put(SPACE, agentId, encodeUtf8(proven), { ifVersion: version });
        if (written.ok) return;
      }
    },

    async reset(agentId) {
      await store.delete(SPACE, agentId);
    },
  };
}

function storedMode(value: Uint8Array): SecurityMode {
  const mode = decodeUtf8(value) as SecurityMode;
  if (isSigned(mode)) return mode;
  throw new SdlError('INTERNAL', 'the latch of a peer holds no mode');
}
