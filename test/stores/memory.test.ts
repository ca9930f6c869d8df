// The memory store against the rules of all stores, and its own structures against plain ones.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ExpiryHeap } from '../../src/stores/expiry-heap.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { SequenceList } from '../../src/stores/sequence-list.ts';
import { storeCompliance } from '../compliance/store/store.ts';

storeCompliance('the memory store', {
  isShared: false,
  open: async (_place, now) => createMemoryStore({ now }),
});

describe('the list in order of creation', () => {
  const numbers = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 3_000 })), {
    maxLength: 4_000,
    size: 'max',
  });

  test('holds what a sorted array holds, in both directions from anywhere', () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: -1, max: 3_001 }), (changes, from) => {
        const list = new SequenceList<{ sequence: number }>();
        const model = new Set<number>();
        for (const [isInsert, sequence] of changes) {
          if (isInsert && !model.has(sequence)) {
            list.insert({ sequence });
            model.add(sequence);
          } else if (!isInsert) {
            list.remove({ sequence });
            model.delete(sequence);
          }
        }
        const sorted = [...model].sort((a, b) => a - b);
        expect(list.size).toBe(sorted.length);
        expect([...list.up()].map(({ sequence }) => sequence)).toEqual(sorted);
        expect([...list.up(from)].map(({ sequence }) => sequence)).toEqual(
          sorted.filter((each) => each > from),
        );
        expect([...list.down(from)].map(({ sequence }) => sequence)).toEqual(
          sorted.filter((each) => each < from).toReversed(),
        );
      }),
      { numRuns: 60 },
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
