// Who may have more of a resource that is counted in memory.

import { expect, test } from 'vitest';

import type { ShareClass } from '../../src/budget/index.ts';
import { Pool, RESOURCES } from '../../src/budget/index.ts';
import { codeOf } from '../support/wire/bytes.ts';

const pool = (bound: number, perOwner: number): Pool =>
  new Pool(RESOURCES.messages, { bound, perOwner });

function fill(from: Pool, owner: string, share: ShareClass): number {
  let count = 0;
  while (codeOf(() => from.take(owner, share)) === undefined) count += 1;
  return count;
}

test('A7 the last quarter of a class is for owners with little #budget', () => {
  const messages = pool(16, 8);
  expect(['a', 'b', 'c'].map((owner) => fill(messages, owner, 'known'))).toEqual([8, 3, 2]);
  expect(fill(messages, 'd', 'known')).toBe(1);
  expect(fill(messages, 'operator', 'operator')).toBe(2);
});

test('#budget strangers together have half, whoever they are', () => {
  const messages = pool(16, 16);
  const taken = Array.from({ length: 10 }, (_, at) => fill(messages, `s${at}`, 'stranger'));
  expect(taken.reduce((sum, count) => sum + count)).toBe(8);
  expect(messages.refusals.stranger).toBe(10);
  expect(fill(messages, 'known', 'known')).toBeGreaterThan(0);
});

test('#budget what is given back can be taken again, and its owner is forgotten', () => {
  const messages = pool(4, 4);
  messages.take('a', 'known', 3);
  expect([messages.of('a'), messages.used.known]).toEqual([3, 3]);
  messages.give('a', 'known', 3);
  expect([messages.of('a'), messages.used.known]).toEqual([0, 0]);
});
