// The table of what callers share, and that SPEC.md has the same one.

import { expect, test } from 'vitest';

import type { Resource } from '../../src/budget/index.ts';
import { DISK_NEEDED, RESOURCES } from '../../src/budget/index.ts';
import { specTable } from '../support/repository/spec.ts';

const rows = Object.entries<Resource>(RESOURCES);

const number = (value: number): string =>
  Number.isFinite(value) ? value.toLocaleString('en-US') : '–';

test('#budget SPEC.md has the table that the code uses', () => {
  const said = rows.map(([name, { what, counted, bound, perOwner, owner, sharing, full }]) => [
    `\`${name}\``,
    what,
    counted,
    number(bound),
    Number.isFinite(perOwner) ? `${number(perOwner)} (${owner})` : '–',
    sharing,
    full,
  ]);
  expect(specTable('budget')).toEqual(said);
});

test('#budget nobody may have more than there is, and strangers need the most disk', () => {
  for (const [, { bound, perOwner }] of rows) expect(perOwner).toBeLessThanOrEqual(bound);
  const { operator, known, stranger } = DISK_NEEDED;
  expect([operator, known, stranger]).toEqual(
    [operator, known, stranger].toSorted((one, other) => one - other),
  );
});
