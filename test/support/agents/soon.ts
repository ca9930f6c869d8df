// How soon what was taken away has to end.

import { expect } from 'vitest';

export const SOON_MS = 2_000;

/** What it ended with; fails where that took longer. */
export async function within<T>(ms: number, ended: Promise<T>): Promise<T> {
  const began = performance.now();
  const value = await ended;
  expect(performance.now() - began).toBeLessThan(ms);
  return value;
}
