// Owns what a program remembers that gave no store: one memory for each agent and clock, whoever asks for it, so that a
// nonce counts once in a process. SPEC.md section 7 (#replay).

import { createMemoryStore } from '../stores/memory.ts';
import type { Store } from '../stores/store.ts';

const PURGE_EVERY_MS = 60_000;

interface Memory {
  readonly store: Store;
  purgedAtMs: number;
}

/** By clock, since what one calls expired may not be so for another; only tests have more than one. */
const MEMORIES = new WeakMap<() => number, Map<string, Memory>>();

export function sharedMemory(agentId: string, now: () => number): Store {
  const ofClock = MEMORIES.get(now) ?? new Map<string, Memory>();
  MEMORIES.set(now, ofClock);
  const known = ofClock.get(agentId);
  if (known !== undefined) return known.store;
  const store = createMemoryStore({ now });
  ofClock.set(agentId, { store, purgedAtMs: now() });
  return store;
}

/** Nobody else looks after it. */
export async function purgeMemory(agentId: string, now: () => number): Promise<void> {
  const memory = MEMORIES.get(now)?.get(agentId);
  if (memory === undefined || now() - memory.purgedAtMs < PURGE_EVERY_MS) return;
  memory.purgedAtMs = now();
  await memory.store.purge();
}
