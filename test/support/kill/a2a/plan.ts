// Owns what happens in one seed of official A2A: the streams and web hooks, which nodes are killed, and when. All of it
// follows from the seed.

import * as fc from 'fast-check';

import { WAYS } from './ways.ts';

/** When a node is killed, counted from when it was opened. */
export type Moment =
  /** By itself: at so many writes to its store, so many turns of its event loop after it asked for the last of them. */
  | { readonly kind: 'write'; readonly count: number; readonly turns: number }
  /** When clients have so many frames of it. */
  | { readonly kind: 'frame'; readonly count: number }
  /** When web hooks were told so often, by whichever node, before this is answered. */
  | { readonly kind: 'delivery'; readonly count: number }
  | { readonly kind: 'time'; readonly ms: number };

export type Place = 0 | 1;

export interface PlannedStream {
  /** Which of {@link WAYS}. */
  readonly way: number;
  /** Where it begins, and where it goes on whenever it was cut off. */
  readonly nodes: readonly Place[];
  /** It brings a web hook. */
  readonly hasHook: boolean;
  /** Somebody else subscribes to its task when it has told so many frames. @default nobody does */
  readonly watcher:
    { readonly way: number; readonly after: number; readonly nodes: readonly Place[] } | undefined;
  /** Whether its work keeps checkpoints, has none, or fails at first and asks for another attempt. */
  readonly work: 'kept' | 'plain' | 'again';
  readonly steps: number;
  /** Between steps. */
  readonly pauseMs: number;
}

export interface A2aPlan {
  readonly streams: readonly PlannedStream[];
  /** Streams under way at once. */
  readonly atOnce: number;
  /** The moments of each place: a node that was killed is followed by another, until there are no more. */
  readonly kills: readonly [readonly Moment[], readonly Moment[]];
  /** Deliveries, counted over all web hooks, that are refused. */
  readonly refused: readonly number[];
}

const moment = fc.oneof<fc.WeightedArbitrary<Moment>[]>(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('write'),
      count: fc.integer({ min: 1, max: 60 }),
      turns: fc.integer({ min: 0, max: 6 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('frame'), count: fc.integer({ min: 1, max: 30 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('delivery'),
      count: fc.integer({ min: 1, max: 30 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('time'), ms: fc.integer({ min: 0, max: 200 }) }),
  },
);

const nodes = fc.array(fc.constantFrom<Place[]>(0, 1), { minLength: 3, maxLength: 3 });
const way = fc.integer({ min: 0, max: WAYS.length - 1 });

const stream: fc.Arbitrary<PlannedStream> = fc.record({
  way,
  nodes,
  hasHook: fc.constantFrom(true, true, false),
  watcher: fc.option(fc.record({ way, after: fc.integer({ min: 1, max: 6 }), nodes }), {
    nil: undefined,
    freq: 2,
  }),
  work: fc.constantFrom('kept', 'plain', 'again'),
  steps: fc.integer({ min: 2, max: 8 }),
  pauseMs: fc.integer({ min: 0, max: 8 }),
});

const moments = fc.array(moment, { minLength: 1, maxLength: 2, size: 'max' });

const plan: fc.Arbitrary<A2aPlan> = fc.record({
  streams: fc.array(stream, { minLength: 4, maxLength: 10, size: 'max' }),
  atOnce: fc.integer({ min: 2, max: 5 }),
  kills: fc.tuple(moments, moments),
  refused: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 2 }),
});

export function a2aPlanOf(seed: number): A2aPlan {
  // Without the bias for small values that finds bugs of one value, and would leave most moments out.
  const [planned] = fc.sample(fc.noBias(plan), { seed, numRuns: 1 });
  return planned!;
}
