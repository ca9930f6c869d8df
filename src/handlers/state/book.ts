// Owns the state documents that peers change here, each of one agent, kept in the store. SPEC.md section 9 (#state, #state-base).

import { encodeBase64url } from '../../codec/base64url.ts';
import { writeJcs } from '../../codec/canonical-jcs.ts';
import { readJson } from '../../codec/json/read.ts';
import { writeJson } from '../../codec/json/write.ts';
import { sha256 } from '../../crypto/sha256.ts';
import { SdlError } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import { contentHash } from '../../schema/content-hash.ts';
import { AgentQuota } from '../../security/replay/agent-quota.ts';
import type { StateDocument, StatePayload } from '../../state/document.ts';
import { INITIAL_STATE, applyState } from '../../state/document.ts';
import { checkInteger } from '../../stores/operation.ts';
import type { EntryStore } from '../../stores/store.ts';
import { STORE_LIMITS } from '../../stores/store.ts';

export interface StateBookOptions {
  readonly store: EntryStore;
  /** Documents of one agent. @default 100 */
  readonly maxPerAgent?: number;
  /** How long a document stays after its last change. @default 2592000000 (30 days) */
  readonly retentionMs?: number;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

export interface StateBook {
  /** The agent's document of this name; `{}` before its first patch. */
  readonly get: (agentId: string, name: string) => Promise<StateDocument>;
  /**
   * Applies a `state.v1` payload for good. Throws STATE_BASE, STATE_PATCH, and LIMIT_RATE when the agent has as many
   * documents as it may.
   */
  readonly apply: (agentId: string, name: string, payload: StatePayload) => Promise<StateDocument>;
}

const SPACE = 'state';

/** Wide: what is read was checked when it was written, and documents have bounds of their own. */
const STORED: Partial<Limits> = {
  maxBytes: STORE_LIMITS.valueBytes,
  maxStringBytes: STORE_LIMITS.valueBytes,
  maxArrayLength: 1_048_576,
  maxMembers: 1_000_000,
  maxValues: 1_048_576,
  maxNumberLength: 4_096,
};

export function createStateBook(options: StateBookOptions): StateBook {
  const { store, maxPerAgent = 100, retentionMs = 2_592_000_000, now = Date.now } = options;
  checkInteger('maxPerAgent', maxPerAgent, 1);
  checkInteger('retentionMs', retentionMs, 1);
  const quota = new AgentQuota(store, SPACE, maxPerAgent);

  return {
    async get(agentId, name) {
      const entry = await store.get(SPACE, keyOf(agentId, name));
      return entry === undefined ? INITIAL_STATE : readDocument(entry.value);
    },

    async apply(agentId, name, payload) {
      const key = keyOf(agentId, name);
      for (;;) {
        const entry = await store.get(SPACE, key);
        const next = applyState(
          entry === undefined ? INITIAL_STATE : readDocument(entry.value),
          payload,
        );
        const value = writeJson(next.value);
        const expiresAt = now() + retentionMs;
        const written =
          entry === undefined
            ? await quota.write(agentId, (index) =>
                store.put(SPACE, key, value, { ifVersion: 0, expiresAt, index }),
              )
            : await store.put(SPACE, key, value, {
                ifVersion: entry.version,
                expiresAt,
                index: entry.index,
              });
        if (written === undefined) {
          throw new SdlError('LIMIT_RATE', 'the agent has too many state documents');
        }
        if (written.ok) return next;
        // Another message changed the document first, so this one is checked again against the new state.
      }
    },
  };
}

function readDocument(bytes: Uint8Array): StateDocument {
  const value = readJson(bytes, STORED);
  return { value, hash: contentHash(value) };
}

/** Agent ids and names may be longer than a key. */
function keyOf(agentId: string, name: string): string {
  return encodeBase64url(sha256(writeJcs([agentId, name])));
}
