// What the tests of one store against another share: tallies to change, and a look at ranks and tallies.

import * as fc from 'fast-check';

import type { Operation, Store, Tally } from '../../../src/stores/store.ts';

const bound = fc.option(fc.nat(4), { nil: undefined });

export const tallyOperation: fc.Arbitrary<Operation> = fc.record({
  type: fc.constant('tally' as const),
  name: fc.constantFrom('x', 'y'),
  count: fc.integer({ min: -2, max: 3 }),
  sum: fc.integer({ min: -5, max: 5 }),
  maxCount: bound,
  maxSum: bound,
});

export function talliesOf(store: Store, names: readonly string[]): Promise<Tally[]> {
  return Promise.all(names.map((name) => store.tally(name)));
}

/** The keys of a space in every list by rank, with and without a field and a lowest rank, and how many they are. */
export async function rankedKeys(store: Store, space: string): Promise<unknown> {
  const looks = [{}, { f: '1' }].flatMap((index) =>
    [undefined, 2].flatMap((since) =>
      (['highest', 'lowest', 'newest'] as const).map((order) => ({ index, since, order })),
    ),
  );
  return Promise.all(
    looks.map(async ({ index, since, order }) => [
      (await store.list(space, { index, since, order })).entries.map(({ key }) => key),
      await store.count(space, { index, since }),
    ]),
  );
}
