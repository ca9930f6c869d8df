// The public surface of stores, `a2a-sdl/stores`: the contract, the memory store, rate limits, and the kit for authors of
// further stores.

export type { Backend } from './backend.ts';
export { createStore } from './backend.ts';
export type { EntryBackend, EntryReads, EntryWrite, PurgeBatch } from './entry-backend.ts';
export { createEntryStore } from './entry-backend.ts';
export type { Tail } from './follow.ts';
export { Watchers } from './follow.ts';
export type { Counting, ListPlace, Listing } from './listing.ts';
export { writeCursor } from './listing.ts';
export type { MemoryStoreOptions } from './memory.ts';
export { createMemoryStore } from './memory.ts';
export { checkInteger } from './operation.ts';
export type {
  MemoryRateLimiter,
  MemoryRateLimiterOptions,
  RateLimiter,
  RateLimits,
} from './rate-limiter.ts';
export { checkRateLimits, createMemoryRateLimiter } from './rate-limiter.ts';
export type { StoreSnapshot } from './snapshot.ts';
export { snapshotOf } from './snapshot.ts';
export type {
  AppendOptions,
  AppendResult,
  CountOptions,
  Entry,
  EntryIndex,
  EntryOptions,
  EntryStore,
  InventoryOptions,
  InventoryPart,
  ListOptions,
  ListOrder,
  LogRecord,
  NewEntry,
  Operation,
  Page,
  PutOptions,
  Store,
  StoreFault,
  Tally,
  TallyOperation,
  TransactResult,
  VersionCondition,
  WatchOptions,
  WriteResult,
} from './store.ts';
export { STORE_LIMITS, StoreError } from './store.ts';
