// What the suites of a store share: a store of its own for every test, with a clock that stands still.

import { expect, onTestFinished } from 'vitest';

import type { EntryStore, LogRecord, Store } from '../../../src/stores/store.ts';

/** A store that may carry entries alone. */
export interface EntryStoreUnderTest<S extends EntryStore = EntryStore> {
  /** Opens a store; the same place means the same data, if the store can be shared at all. */
  readonly open: (place: string, now: () => number) => Promise<S>;
  readonly isShared: boolean;
}

export interface StoreUnderTest extends EntryStoreUnderTest<Store> {
  /** Makes the driver fail in the middle of every append to the log `broken`, where there is a driver. */
  readonly sabotage?: (place: string) => Promise<void>;
}

interface Clock {
  now: number;
}

interface Opened<S extends EntryStore> {
  readonly store: S;
  readonly clock: Clock;
  readonly place: string;
  /** One more connection to the same data. */
  readonly again: () => Promise<S>;
}

const START = Date.UTC(2026, 0, 1);
let places = 0;

export async function openStore<S extends EntryStore>(
  subject: EntryStoreUnderTest<S>,
): Promise<Opened<S>> {
  places += 1;
  const place = `place-${places}`;
  const clock: Clock = { now: START };
  const again = async (): Promise<S> => {
    const store = await subject.open(place, () => clock.now);
    onTestFinished(() => store.close());
    return store;
  };
  return { store: await again(), clock, place, again };
}

export const later = (clock: Clock, milliseconds: number): number => clock.now + milliseconds;

export function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}

/** A number as a value, to tell many apart. */
export function numbered(number: number): Uint8Array {
  return new TextEncoder().encode(String(number));
}

export function numberOf(value: Uint8Array): number {
  return Number(new TextDecoder().decode(value));
}

export function range(length: number): number[] {
  return Array.from({ length }, (_, at) => at);
}

/** Names that a store might confuse with each other. */
export const CONFUSABLE_NAMES: readonly (readonly [string, string, string])[] = [
  ['with NUL', 'a\0b', 'a'],
  ['with another NUL', 'a\0', 'a\0\0'],
  ['that differ only in normalisation', '\u00e9', 'e\u0301'],
  ['beyond the basic plane', '😀', '😁'],
  ['that differ only in case', 'Key', 'key'],
  ['that look like patterns', '%', '_'],
  ['that differ at the 2048th byte', 'k'.repeat(2_047) + 'a', 'k'.repeat(2_047) + 'b'],
  ['with the names of object members', '__proto__', 'constructor'],
  ['of which one has a byte order mark', '\ufeffa', 'a'],
];

/** Values of an index field that a store might confuse with each other. */
export const CONFUSABLE_VALUES: readonly string[] = [
  '',
  'a',
  'A',
  'a\0',
  '\u00e9',
  'e\u0301',
  '__proto__',
  '=',
  'b=a',
];

/** That each call fails because the store is closed. */
export async function expectClosed(calls: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(calls)) {
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { code: 'INTERNAL', fault: 'closed', message: 'INTERNAL: the store is closed' },
    });
  }
}

/** The first records that a watch yields. */
export async function take(records: AsyncIterable<LogRecord>, count: number): Promise<LogRecord[]> {
  const taken: LogRecord[] = [];
  if (count === 0) return taken;
  for await (const record of records) {
    taken.push(record);
    if (taken.length === count) break;
  }
  return taken;
}

/** Every key of a space, page by page; `between` runs after each page. */
export async function keysByPage(
  store: Store,
  space: string,
  options: Parameters<Store['list']>[1],
  between: (page: number) => Promise<void> = async () => undefined,
): Promise<string[]> {
  const keys: string[] = [];
  let after: string | undefined;
  for (let page = 0; ; page += 1) {
    const { entries, next } = await store.list(space, { ...options, after });
    keys.push(...entries.map(({ key }) => key));
    if (next === undefined) return keys;
    after = next;
    await between(page);
  }
}
