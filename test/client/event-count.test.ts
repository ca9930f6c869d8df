// What the requester takes of the numbers of an exchange, over one connection and over several.

import { describe, expect, test } from 'vitest';

import { EventCount } from '../../src/client/event-count.ts';
import type { Passage } from '../../src/pipeline/passage.ts';

describe('A9 what is counted over several connections #x-n-check', () => {
  const at = (n: number, type = 'evt'): Passage =>
    ({ envelope: { type, ct: 'state.v1', sec: { x: { n } }, cap: {} } }) as unknown as Passage;
  const counted = (...numbers: readonly number[]): EventCount => {
    const count = new EventCount(true);
    for (const number of numbers) expect(count.takeEvent(at(number))).toBe(true);
    return count;
  };

  test('A9 events that were told after the answer of a run that went on need not be among its events', () => {
    const count = counted(1, 2);
    count.resume();
    expect([2, 3, 4].map((number) => count.takeEvent(at(number)))).toEqual([false, true, true]);
    expect(count.takeEnd(at(3, 'res'))).toBe(0);
  });

  test.each([[[5]], [[4, 3]], [[1, 3]], [[3, 3]], [[0]]])(
    'A9 after three events another connection cannot bring %j',
    (numbers) => {
      const count = counted(1, 2, 3);
      count.resume();
      expect(() => numbers.forEach((number) => count.takeEvent(at(number)))).toThrow(/not whole/);
    },
  );

  test('A9 without another connection the answer counts neither more nor fewer', () => {
    for (const number of [0, 1, 3]) {
      expect(() => counted(1, 2).takeEnd(at(number, 'res'))).toThrow(
        /counts \d events, and 2 came/,
      );
    }
    expect(counted(1, 2).takeEnd(at(2, 'res'))).toBe(0);
  });
});
