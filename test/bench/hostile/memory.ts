// Prints the bytes that each case allocates, as a JSON list. Needs --expose-gc and a large young generation.

import { allCases, outcomeOf } from './cases.ts';

function heapBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The median of five calls after a first one that fills caches. */
function allocatedBy(run: () => unknown): number {
  run();
  const samples = Array.from({ length: 5 }, () => {
    globalThis.gc!();
    const before = heapBytes();
    run();
    return heapBytes() - before;
  });
  return samples.toSorted((a, b) => a - b)[2]!;
}

console.log(JSON.stringify(allCases().map((one) => allocatedBy(() => outcomeOf(one)))));
