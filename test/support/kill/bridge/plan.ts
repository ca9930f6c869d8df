// Owns what happens in one seed of a bridge: the tasks, who of client, bridge and upstream is killed, and when. All of it
// follows from the seed.

import * as fc from 'fast-check';

export type Who = 'bridge' | 'upstream' | 'client';

/** At so many writes to its store (a client: to its notes), so many turns later; or so long after it was opened. */
export type KillMoment =
  | { readonly kind: 'write'; readonly count: number; readonly turns: number }
  | { readonly kind: 'time'; readonly ms: number };

interface PlannedTask {
  readonly work: 'kept' | 'plain' | 'ask';
  readonly steps: number;
  readonly pauseMs: number;
}

export interface BridgePlan {
  readonly tasks: readonly PlannedTask[];
  /** How often each is killed: once for each moment, and then it lives. */
  readonly kills: Readonly<Record<Who, readonly KillMoment[]>>;
}

const moment = fc.oneof<fc.WeightedArbitrary<KillMoment>[]>(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write'),
      count: fc.integer({ min: 1, max: 40 }),
      turns: fc.integer({ min: 0, max: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('time'), ms: fc.integer({ min: 0, max: 400 }) }),
  },
);

const moments = (most: number): fc.Arbitrary<readonly KillMoment[]> =>
  fc.array(moment, { maxLength: most, size: 'max' });

const plan: fc.Arbitrary<BridgePlan> = fc
  .record({
    tasks: fc.array(
      fc.record({
        work: fc.constantFrom<PlannedTask['work'][]>('kept', 'plain', 'ask'),
        steps: fc.integer({ min: 1, max: 8 }),
        pauseMs: fc.integer({ min: 0, max: 25 }),
      }),
      { minLength: 1, maxLength: 4, size: 'max' },
    ),
    kills: fc.record({ bridge: moments(3), upstream: moments(2), client: moments(2) }),
    first: moment,
  })
  // Every seed kills the bridge at least once.
  .map(({ tasks, kills, first }) => ({
    tasks,
    kills: { ...kills, bridge: [first, ...kills.bridge.slice(0, 2)] },
  }));

export function bridgePlanOf(seed: number): BridgePlan {
  const [planned] = fc.sample(fc.noBias(plan), { seed, numRuns: 1 });
  return planned!;
}
