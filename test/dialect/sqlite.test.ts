// Proves that every face says the same of tasks, on SQLite.

import { test } from 'vitest';

import { describeDialect } from '../compliance/dialect/dialect.ts';
import { FACES, STEERQA } from '../support/dialect/faces.ts';
import { sqlite } from '../support/dialect/stores.ts';
import { driver } from '../support/stores/sqlite.ts';

if (driver === undefined) test.skip('SQLite needs a driver');
else {
  const kind = sqlite();
  for (const face of [...FACES, STEERQA]) describeDialect(face, kind, { races: 10 });
}
