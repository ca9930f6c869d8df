// Owns where a client keeps what it knows of agents that it seals to: a store, or memory where it has none. SPEC.md section
// 20.1 (#a2a-client-sealed-kept).

import type { JsonObject } from '../../../../src/door/index.ts';
import type { MessageKitOptions } from '../../../../src/message/index.ts';
import { isJsonObject, writeJson } from '../../../../src/transport.ts';
import { readJson } from '../../../../src/codec/index.ts';

type Store = NonNullable<MessageKitOptions['store']>;

/** JSON objects by a space and a name. */
export interface Places {
  read(space: string, name: string): Promise<JsonObject | undefined>;
  /** `undefined` removes it. Nothing that somebody else writes at the same time is lost. */
  change(
    space: string,
    name: string,
    change: (before: JsonObject | undefined) => JsonObject | undefined,
    expiresAt?: number,
  ): Promise<void>;
}

/** Of those who have no store, by who seals. */
const MEMORIES = new Map<string, Places>();

export function placesFor(
  store: Pick<Store, 'get' | 'put' | 'delete'> | undefined,
  agentId: string,
): Places {
  if (store !== undefined) return placesIn(store);
  const known = MEMORIES.get(agentId) ?? memory();
  MEMORIES.set(agentId, known);
  return known;
}

export function placesIn(store: Pick<Store, 'get' | 'put' | 'delete'>): Places {
  return {
    async read(space, name) {
      const entry = await store.get(space, name);
      return entry && objectIn(entry.value);
    },
    async change(space, name, change, expiresAt) {
      for (;;) {
        const entry = await store.get(space, name);
        const after = change(entry && objectIn(entry.value));
        const ifVersion = entry?.version ?? 0;
        const { ok } =
          after === undefined
            ? await store.delete(space, name, { ifVersion })
            : await store.put(space, name, writeJson(after), {
                ifVersion,
                ...(expiresAt !== undefined && { expiresAt }),
              });
        if (ok) return;
      }
    },
  };
}

/** Throws for what is none of ours. */
function objectIn(value: Uint8Array): JsonObject {
  const found = readJson(value);
  if (isJsonObject(found)) return found;
  throw new TypeError('what is kept of an agent is no object');
}

function memory(): Places {
  const kept = new Map<string, JsonObject>();
  return {
    read: async (space, name) => kept.get(keyOf(space, name)),
    async change(space, name, change) {
      const key = keyOf(space, name);
      const after = change(kept.get(key));
      if (after === undefined) kept.delete(key);
      else kept.set(key, after);
    },
  };
}

function keyOf(space: string, name: string): string {
  return `${space} ${name}`;
}
