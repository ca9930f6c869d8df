// Measures alternatives side by side: interleaved rounds, medians, so that a noisy machine disturbs all alike.

export interface Subject {
  readonly name: string;
  readonly run: () => unknown;
}

export interface Measured {
  readonly name: string;
  /** Median microseconds of one call. */
  readonly micros: number;
}

/** Calls every subject in turn, `rounds` times; a round repeats the call for about `roundMs`. */
export function measure(subjects: readonly Subject[], rounds = 15, roundMs = 20): Measured[] {
  const repeats = subjects.map(({ run }) => repeatsFor(run, roundMs));
  const samples = subjects.map(() => [] as number[]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { run }] of subjects.entries()) {
      samples[index]!.push(timeOf(run, repeats[index]!));
    }
  }
  return subjects.map(({ name }, index) => ({ name, micros: median(samples[index]!) }));
}

/** Bytes that one call allocates; true while the young generation is larger than that (see the bench script). */
export function allocatedBytes(run: () => unknown): number {
  const samples = Array.from({ length: 5 }, () => {
    globalThis.gc!();
    const before = heapBytes();
    run();
    return heapBytes() - before;
  });
  return median(samples);
}

function heapBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function repeatsFor(run: () => unknown, roundMs: number): number {
  let repeats = 1;
  for (;;) {
    const micros = timeOf(run, repeats);
    if (micros * repeats >= 2_000 || repeats >= 100_000) {
      return Math.max(1, Math.round((roundMs * 1_000) / micros));
    }
    repeats *= 2;
  }
}

function timeOf(run: () => unknown, repeats: number): number {
  const start = process.hrtime.bigint();
  for (let count = 0; count < repeats; count += 1) run();
  return Number(process.hrtime.bigint() - start) / 1_000 / repeats;
}

function median(samples: number[]): number {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1]!;
}
