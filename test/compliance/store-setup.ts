// What the suites of a store share: a store of its own for every test, with a clock that stands still.

import { onTestFinished } from 'vitest';

import type { LogRecord, Store } from '../../src/stores/store.ts';

export interface StoreUnderTest {
  /** Opens a store; the same place means the same data, if the store can be shared at all. */
  readonly open: (place: string, now: () => number) => Promise<Store>;
  readonly isShared: boolean;
  /** Makes the driver fail in the middle of every append to the log `broken`, where there is a driver. */
  readonly sabotage?: (place: string) => Promise<void>;
}

interface Clock {
  now: number;
}

interface Opened {
  readonly store: Store;
  readonly clock: Clock;
  readonly place: string;
  /** One more connection to the same data. */
  readonly again: () => Promise<Store>;
}

const START = Date.UTC(2026, 0, 1);
let places = 0;

export async function openStore(subject: StoreUnderTest): Promise<Opened> {
  places += 1;
  const place = `place-${places}`;
  const clock: Clock = { now: START };
  const again = async (): Promise<Store> => {
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
