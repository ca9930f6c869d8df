// Proves that a stream which is left before it has begun gives its place back.

import { expect, test } from 'vitest';

import { ANN, openDoor } from '../support/door/open-door.ts';

test('who leaves while the door still lets it in keeps no place', async () => {
  const held: (() => void)[] = [];
  let places = 0;
  const { door, callBy, outcomes } = await openDoor(async () => undefined, {
    admit: () =>
      new Promise((resolve) => {
        held.push(() => {
          places += 1;
          resolve(() => {
            places -= 1;
          });
        });
      }),
  });
  const steps = door.follow(callBy(ANN), 'none')[Symbol.asyncIterator]();
  const next = steps.next();
  await new Promise(setImmediate);
  await steps.return?.();
  held[0]!();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(places).toBe(0);
  expect(outcomes).toHaveLength(1);
});
