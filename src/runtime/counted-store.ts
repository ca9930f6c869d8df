// Owns the look at a store from outside: how often each of its operations is called, how long it takes, how often it fails.

import type { EntryStore, Store } from '../stores/store.ts';
import { StoreError } from '../stores/store.ts';
import type { ResolvedRuntimeOptions } from './options.ts';
import type { CounterFamily, Histogram, HistogramFamily } from './prometheus.ts';

export interface StoreCounts {
  readonly calls: HistogramFamily;
  readonly errors: CounterFamily;
}

type Timed = <T>(operation: string, call: () => Promise<T>) => Promise<T>;

/** The same options, with stores that count what is done with them. One store for both stays one. */
export function countStores(
  options: ResolvedRuntimeOptions,
  counts: StoreCounts,
): ResolvedRuntimeOptions {
  const { store: own, shared } = options;
  const store = countedStore(own, timer('main', counts));
  const replayStore =
    shared.replayStore === own ? store : entriesOf(shared.replayStore, timer('replay', counts));
  return { ...options, store, shared: { ...shared, replayStore } };
}

function countedStore(store: Store, timed: Timed): Store {
  return {
    ...entriesOf(store, timed),
    list: (space, options) => timed('list', () => store.list(space, options)),
    append: (log, values, options) => timed('append', () => store.append(log, values, options)),
    read: (log, from, limit) => timed('read', () => store.read(log, from, limit)),
    length: (log) => timed('length', () => store.length(log)),
    tally: (name) => timed('tally', () => store.tally(name)),
    // It lasts as long as somebody watches, which says nothing of the store.
    watch: (log, from, options) => store.watch(log, from, options),
    transact: (operations, options) => timed('transact', () => store.transact(operations, options)),
    ...(store.inventory !== undefined && {
      inventory: (of, options) => timed('inventory', () => store.inventory!(of, options)),
    }),
  } satisfies Store;
}

function entriesOf(store: EntryStore, timed: Timed): EntryStore {
  return {
    add: (space, key, entry) => timed('add', () => store.add(space, key, entry)),
    get: (space, key) => timed('get', () => store.get(space, key)),
    put: (space, key, value, options) => timed('put', () => store.put(space, key, value, options)),
    delete: (space, key, options) => timed('delete', () => store.delete(space, key, options)),
    count: (space, options) => timed('count', () => store.count(space, options)),
    purge: (before) => timed('purge', () => store.purge(before)),
    close: () => store.close(),
  };
}

/** Not by the clock of the runtime: that one may be set. */
function timer(store: string, { calls, errors }: StoreCounts): Timed {
  const series = new Map<string, Histogram>();
  const seriesOf = (operation: string): Histogram => {
    const made = calls.at({ store, operation });
    series.set(operation, made);
    return made;
  };
  return async (operation, call) => {
    const startedMs = performance.now();
    try {
      return await call();
    } catch (thrown) {
      const fault = thrown instanceof StoreError ? thrown.fault : 'unexpected';
      errors.add({ store, operation, fault });
      throw thrown;
    } finally {
      const duration = (performance.now() - startedMs) / 1_000;
      (series.get(operation) ?? seriesOf(operation)).observe(duration);
    }
  };
}
