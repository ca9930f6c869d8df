// Owns the dialect suite: one set of cases for every face. A face says which cases its wire cannot say; every other case
// is run, and none goes missing.

import { describe, expect, test } from 'vitest';

import type { Face } from '../../support/dialect/faces.ts';
import type { StoreKind } from '../../support/dialect/stores.ts';
import { benchFor } from './bench.ts';
import type { Case } from './case.ts';
import { CONTENT } from './content.ts';
import { ERROR_CASES } from './errors.ts';
import { IDEMPOTENCY } from './idempotency.ts';
import { IDENTITY } from './identity.ts';
import { LIFECYCLE } from './lifecycle.ts';
import { LIMITS } from './limits.ts';
import { LISTS } from './lists.ts';
import { NODES } from './nodes.ts';
import { PAIRS } from './pairs.ts';
import { STREAMS } from './streams.ts';

const CASES: readonly Case[] = [
  ...LIFECYCLE,
  ...IDENTITY,
  ...IDEMPOTENCY,
  ...CONTENT,
  ...STREAMS,
  ...NODES,
  ...LISTS,
  ...LIMITS,
  ...ERROR_CASES,
  ...PAIRS,
].toSorted((one, other) => one.number - other.number);

const NUMBERS = Array.from({ length: 50 }, (_, at) => at + 1);

export interface DialectOptions {
  /** How often what may go either way is tried. @default 25 */
  readonly races?: number;
  /** Only these cases. @default all that the wire can say */
  readonly only?: readonly number[];
}

export function describeDialect(face: Face, kind: StoreKind, options: DialectOptions = {}): void {
  const { races = 25, only = NUMBERS } = options;
  describe(`${face.name} on ${kind.name}`, () => {
    const bench = benchFor(face, kind, races);
    const ran: number[] = [];
    const chosen = CASES.filter(({ number }) => only.includes(number) && !(number in face.cannot));

    test.each(chosen)('$number: $title', async (one) => {
      ran.push(one.number);
      await one.run(bench);
    });

    test('every case was run, but for those that the wire cannot say', () => {
      expect(CASES.map(({ number }) => number)).toEqual(NUMBERS);
      const unsaid = only.filter((number) => !ran.includes(number));
      expect(unsaid).toEqual(
        Object.keys(face.cannot)
          .map(Number)
          .filter((number) => only.includes(number)),
      );
    });
  });
}
