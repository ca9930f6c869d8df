// Owns whether a runtime can do what it is asked: its stores must answer. SPEC.md section 11 (#transport-ready).

import type { EntryStore } from '../stores/store.ts';

/** Anybody may ask, and must not make the stores busy by it. */
const FRESH_MS = 1_000;
const PATIENCE_MS = 2_000;

/** Do all of them answer, now or within the last second? Never rejects. */
export function createStoreProbe(
  stores: readonly EntryStore[],
  now: () => number,
  patienceMs: number = PATIENCE_MS,
): () => Promise<boolean> {
  let last: { readonly askedAt: number; readonly answer: Promise<boolean> } | undefined;
  return () => {
    if (last === undefined || Math.abs(now() - last.askedAt) >= FRESH_MS) {
      last = { askedAt: now(), answer: doAllAnswer(stores, patienceMs) };
    }
    return last.answer;
  };
}

function doAllAnswer(stores: readonly EntryStore[], patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), patienceMs);
    Promise.all(stores.map((store) => store.get('ready', 'ready')))
      .then(
        () => resolve(true),
        () => resolve(false),
      )
      .finally(() => clearTimeout(timer));
  });
}
