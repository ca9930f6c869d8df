// The memory store against the rules of all stores, and its own structures against plain ones.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ExpiryHeap } from '../../src/stores/expiry-heap.ts';
import type { ListPlace } from '../../src/stores/listing.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { OrderedList, byCreation, byRank } from '../../src/stores/ordered-list.ts';
import { storeCompliance } from '../compliance/store/store.ts';

storeCompliance('the memory store', {
  isShared: false,
  open: async (_place, now) => createMemoryStore({ now }),
});

describe('an ordered list', () => {
  const place = fc.record({ rank: fc.nat(40), sequence: fc.nat(100) });
  const changes = fc.array(fc.tuple(fc.boolean(), place), { maxLength: 4_000, size: 'max' });

  test.each([
    ['creation', byCreation],
    ['rank', byRank],
  ])('by %s holds what a sorted array holds, in both directions from anywhere', (_, order) => {
    fc.assert(
      fc.property(changes, place, (steps, start) => {
        const list = new OrderedList<ListPlace>(order);
        let model: ListPlace[] = [];
        for (const [isInsert, item] of steps) {
          const others = model.filter((each) => order(each, item) !== 0);
          if (isInsert && others.length === model.length) list.insert(item);
          else if (!isInsert) list.remove(item);
          if (!isInsert) model = others;
          else if (others.length === model.length) model.push(item);
        }
        const sorted = model.toSorted(order);
        expect(list.size).toBe(sorted.length);
        expect([...list.up({ rank: 0, sequence: -1 })]).toEqual(sorted);
        expect([...list.up(start)]).toEqual(sorted.filter((each) => order(each, start) > 0));
        expect([...list.down(start)]).toEqual(
          sorted.filter((each) => order(each, start) < 0).toReversed(),
        );
      }),
      { numRuns: 40 },
    );
  });
});

describe('the heap of what expires', () => {
  test('gives what has expired and is not gone, earliest first', () => {
    const item = fc.record({ expiresAt: fc.nat(500), isGone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 400, size: 'max' }), fc.nat(500), (given, moment) => {
        const heap = new ExpiryHeap<{ expiresAt: number; isGone: boolean }>();
        const items = given.map(({ expiresAt }) => ({ expiresAt, isGone: false }));
        for (const each of items) heap.push(each);
        for (const [at, each] of items.entries()) {
          if (!given[at]!.isGone) continue;
          each.isGone = true;
          heap.noteGone(each);
        }
        const popped: number[] = [];
        for (let next = heap.pop(moment); next !== undefined; next = heap.pop(moment)) {
          expect(next.isGone).toBe(false);
          popped.push(next.expiresAt);
        }
        const expected = items.filter(({ expiresAt, isGone }) => !isGone && expiresAt <= moment);
        expect(popped).toEqual(expected.map(({ expiresAt }) => expiresAt).sort((a, b) => a - b));
      }),
    );
  });

  test('forgets what is gone, however often it is replaced', () => {
    const heap = new ExpiryHeap<{ expiresAt: number; isGone: boolean }>();
    for (let turn = 0; turn < 10_000; turn += 1) {
      const item = { expiresAt: 20_000 - turn, isGone: false };
      heap.push(item);
      // Half of them surface, the others are swept out.
      if (turn % 2 === 0) expect(heap.pop(20_000 - turn)).toBe(item);
      else item.isGone = true;
      if (item.isGone) heap.noteGone(item);
      expect(heap.size).toBeLessThan(200);
    }
    expect(heap.pop(20_000)).toBeUndefined();
    expect(heap.size).toBe(0);
  });
});
