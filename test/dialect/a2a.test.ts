// Proves that official A2A says the same of tasks as every other dialect, over each of its bindings.

import { expect, test } from 'vitest';

import { describeDialect } from '../compliance/dialect/dialect.ts';
import { describeRights } from '../compliance/dialect/rights.ts';
import { A2A_FACES, A2A_GRPC } from '../support/dialect/faces.ts';
import { MEMORY } from '../support/dialect/stores.ts';

test('what the wire cannot say is said here', () => {
  for (const { cannot } of A2A_FACES) {
    expect(Object.keys(cannot)).toEqual(['13', '23', '24', '25', '26', '39']);
  }
  expect(Object.keys(A2A_GRPC.cannot)).toEqual(['13', '23', '24', '25', '26', '29', '32', '39']);
});

for (const face of [...A2A_FACES, A2A_GRPC]) describeDialect(face, MEMORY, { races: 40 });
describeRights(A2A_FACES[1]!, MEMORY);
