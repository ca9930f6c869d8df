// Measures alternatives side by side: interleaved rounds, medians, so that a noisy machine disturbs all alike.

export interface Subject {
  readonly name: string;
  /** A promise that it gives is waited for before the next call. */
  readonly run: () => unknown;
}

export interface Measured {
  readonly name: string;
  /** Median microseconds of one call. */
  readonly micros: number;
}

export interface Effort {
  /** How long each subject runs before it counts: the compiler needs thousands of calls. @default 700 */
  readonly warmUpMs?: number;
  /** @default 21 */
  readonly rounds?: number;
  /** How long a subject repeats its call in one round. @default 20 */
  readonly roundMs?: number;
}

/** Calls every subject in turn, round after round. */
export async function measure(
  subjects: readonly Subject[],
  effort: Effort = {},
): Promise<Measured[]> {
  const { warmUpMs = 700, rounds = 21, roundMs = 20 } = effort;
  const repeats: number[] = [];
  for (const { run } of subjects) {
    await warmUp(run, warmUpMs);
    repeats.push(await repeatsFor(run, roundMs));
  }
  const samples = subjects.map(() => [] as number[]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { run }] of subjects.entries()) {
      samples[index]!.push(await timeOf(run, repeats[index]!));
    }
  }
  return subjects.map(({ name }, index) => ({ name, micros: median(samples[index]!) }));
}

async function warmUp(run: () => unknown, forMs: number): Promise<void> {
  const end = Date.now() + forMs;
  do await timeOf(run, 1);
  while (Date.now() < end);
}

async function repeatsFor(run: () => unknown, roundMs: number): Promise<number> {
  let repeats = 1;
  for (;;) {
    const micros = await timeOf(run, repeats);
    if (micros * repeats >= 2_000 || repeats >= 100_000) {
      return Math.max(1, Math.round((roundMs * 1_000) / micros));
    }
    repeats *= 2;
  }
}

async function timeOf(run: () => unknown, repeats: number): Promise<number> {
  const start = process.hrtime.bigint();
  for (let count = 0; count < repeats; count += 1) {
    const result = run();
    // Not in any case: an await costs as much as the fastest subjects do.
    if (result instanceof Promise) await result;
  }
  return Number(process.hrtime.bigint() - start) / 1_000 / repeats;
}

function median(samples: number[]): number {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1]!;
}
