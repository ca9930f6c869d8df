// What a suite has started, ended in the opposite order, also when it did not get to start all of it.

import { afterAll } from 'vitest';

/** For the body of a `describe`: what is handed to the answer runs when its tests are over. */
export function afterSuite(): (end: () => Promise<void>) => void {
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return (end) => void ends.push(end);
}
