// Owns the words that no relay may ever hold. Each is long enough to be nowhere by chance, and its own for every run.

import { randomUUID } from 'node:crypto';

const run = randomUUID().replaceAll('-', '');

export const SECRETS = {
  goal: `goal of ${run}`,
  question: `which one of ${run}`,
  words: `counting ${run}`,
  last: `all done ${run}`,
  name: `inventory ${run}`,
  tool: `warehouse.count_${run}`,
  file: `list-${run}.bin`,
} as const;

/** What is said in clear, to see that it would be found. */
export const IN_CLEAR = `in clear ${randomUUID()}`;
