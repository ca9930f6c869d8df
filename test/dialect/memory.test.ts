// Proves that both dialects say the same of tasks, on the store in memory, with a thousand races of cancel against
// completion; the other transports of the SDL wire are shown on SQLite.

import { expect, test } from 'vitest';

import { describeDialect } from '../compliance/dialect/dialect.ts';
import { PLAIN, SDL_FACES, STEERQA } from '../support/dialect/faces.ts';
import { MEMORY } from '../support/dialect/stores.ts';

test('what a wire cannot say is said here', () => {
  for (const { cannot } of SDL_FACES) expect(Object.keys(cannot)).toEqual(['17', '19', '22', '26']);
  expect(PLAIN.cannot).toEqual({});
  const all = Array.from({ length: 50 }, (_, at) => at + 1);
  const said = all.filter((number) => !(number in STEERQA.cannot));
  expect(said).toEqual([1, 13, 23, 24, 25, 26, 45, 46]);
});

describeDialect(SDL_FACES[0]!, MEMORY, { races: 150 });
describeDialect(PLAIN, MEMORY, { races: 850 });
describeDialect(STEERQA, MEMORY);
