// Owns a store as it was at one moment, for copies of the whole: what is written meanwhile is not in it, and nothing can be
// written through it.

import type { Store } from './store.ts';

export type StoreSnapshot = Pick<
  Store,
  'get' | 'count' | 'list' | 'read' | 'length' | 'tally' | 'close'
> &
  Required<Pick<Store, 'inventory'>>;

/** @param store one whose every read is of the same moment. */
export function snapshotOf(store: Store): StoreSnapshot {
  return Object.freeze({
    get: (...args) => store.get(...args),
    count: (...args) => store.count(...args),
    list: (...args) => store.list(...args),
    read: (...args) => store.read(...args),
    length: (...args) => store.length(...args),
    tally: (...args) => store.tally(...args),
    inventory: (...args) => store.inventory!(...args),
    close: () => store.close(),
  } satisfies StoreSnapshot);
}
