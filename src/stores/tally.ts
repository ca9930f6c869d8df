// Owns the arithmetic of tallies.

import type { Tally, TallyOperation } from './store.ts';

export const NO_TALLY: Tally = Object.freeze({ count: 0, sum: 0 });

/** Whether the change is upwards and passes its bound; what goes down never fails. */
export function isRefused({ count, sum }: Tally, change: TallyOperation): boolean {
  const { maxCount = Infinity, maxSum = Infinity } = change;
  return (
    (change.count > 0 && count + change.count > maxCount) ||
    (change.sum > 0 && sum + change.sum > maxSum)
  );
}

export function tallyAfter({ count, sum }: Tally, change: TallyOperation): Tally {
  return Object.freeze({
    count: clamped(count + change.count),
    sum: clamped(sum + change.sum),
  });
}

function clamped(number: number): number {
  return Math.min(Math.max(0, number), Number.MAX_SAFE_INTEGER);
}
