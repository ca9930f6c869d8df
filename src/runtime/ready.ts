// Owns whether a runtime can do what it is asked: its stores must keep what they are given. SPEC.md section 11 (#transport-ready).

import type { EntryStore } from '../stores/store.ts';

/** Anybody may ask, and must not make the stores busy by it. */
const FRESH_MS = 1_000;
const PATIENCE_MS = 2_000;

/** More than the time until somebody asks again: the entry is removed with others that have expired. */
const KEPT_MS = 60_000;
const NO_BYTES = new Uint8Array();

/** Do all of them store something, now or within the last second? Never rejects. */
export function createStoreProbe(
  stores: readonly EntryStore[],
  now: () => number,
  patienceMs: number = PATIENCE_MS,
): () => Promise<boolean> {
  let last: { readonly askedAt: number; readonly answer: Promise<boolean> } | undefined;
  return () => {
    if (last === undefined || Math.abs(now() - last.askedAt) >= FRESH_MS) {
      last = { askedAt: now(), answer: doAllStore(stores, now() + KEPT_MS, patienceMs) };
    }
    return last.answer;
  };
}

function doAllStore(
  stores: readonly EntryStore[],
  expiresAt: number,
  patienceMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), patienceMs);
    Promise.all(stores.map((store) => store.put('ready', 'ready', NO_BYTES, { expiresAt })))
      .then(
        () => resolve(true),
        () => resolve(false),
      )
      .finally(() => clearTimeout(timer));
  });
}
