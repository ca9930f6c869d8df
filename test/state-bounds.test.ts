// Proves that no patch can make a document, or the work on it, grow without bound. Each case would run for
// minutes or exhaust the memory if its bound were not there.

import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../src/codec/value.ts';
import { newJsonObject } from '../src/codec/value.ts';
import { MAX_PATCH_OPERATIONS, applyPatch } from '../src/state/apply-patch.ts';
import { MAX_STATE_DEPTH, MAX_STATE_SIZE } from '../src/state/extent.ts';
import { makePatch } from '../src/state/make-patch.ts';
import { refusal, refusedPatch, text } from './support/state.ts';

function nested(depth: number): JsonValue {
  let value: JsonValue = 0;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function repeated(count: number, ...operations: JsonValue[]): JsonValue[] {
  return Array.from({ length: count }, () => operations).flat();
}

function wideObject(members: number): JsonObject {
  const object = newJsonObject();
  for (let index = 0; index < members; index += 1) object[`member${index}`] = null;
  return object;
}

/** A string that weighs `size`, itself included. */
function filler(size: number): string {
  return 'x'.repeat(size - 1);
}

describe('#state-limits bounds on operations and depth', () => {
  test('ten thousand operations are applied and one more is refused', () => {
    const operation = { op: 'add', path: '/-', value: 1 };
    expect(applyPatch([], repeated(MAX_PATCH_OPERATIONS, operation))).toHaveLength(10_000);
    const error = refusal(() => applyPatch([], repeated(MAX_PATCH_OPERATIONS + 1, operation)));
    expect(error.code).toBe('STATE_PATCH');
    expect(error.details).toEqual({ limit: 10_000 });
  });

  test('a document may be nested 64 deep and no deeper, whichever operation would do it', () => {
    expect(MAX_STATE_DEPTH).toBe(64);
    const document = { deep: nested(62), spare: [nested(61)], list: [] };
    for (const patch of [
      [{ op: 'add', path: '/list/0', value: nested(62) }],
      [{ op: 'replace', path: '/spare/0', value: nested(62) }],
      [{ op: 'copy', from: '/deep', path: '/list/0' }],
      [{ op: 'move', from: '/deep', path: '/list/0' }],
      [{ op: 'replace', path: '', value: nested(64) }],
    ]) {
      expect(() => applyPatch(document, patch)).not.toThrow();
    }
    for (const patch of [
      [{ op: 'add', path: '/list/0', value: nested(63) }],
      [{ op: 'replace', path: '/spare/0', value: nested(63) }],
      [{ op: 'copy', from: '', path: '/list/0' }],
      [
        { op: 'add', path: '/list/0', value: [] },
        { op: 'move', from: '/deep', path: '/list/0/0' },
      ],
      [{ op: 'replace', path: '', value: nested(65) }],
      [{ op: 'add', path: '', value: nested(65) }],
    ]) {
      expect(refusedPatch(document, patch)).toContain('deeper than 64');
    }
  });

  test('a document that is too deep, or a cycle, is refused before anything else', () => {
    expect(refusedPatch(nested(65), [])).toContain('deeper than 64');
    const cycle: JsonValue[] = [];
    cycle.push(cycle);
    expect(refusal(() => applyPatch(cycle, [])).code).toBe('STATE_PATCH');
    expect(refusal(() => makePatch(0, cycle)).code).toBe('STATE_PATCH');
  });
});

describe('#state-limits bounds on size', () => {
  test('a document is weighed by its values, strings, names and numbers', () => {
    expect(MAX_STATE_SIZE).toBe(4_194_304);
    // The object, its two names, an array, true, a number of two digits.
    const rest = 1 + 1 + 1 + 1 + 1 + 3;
    const largest = { a: filler(MAX_STATE_SIZE - rest), b: [true, 42] };
    expect(() => applyPatch(largest, [])).not.toThrow();
    for (const patch of [
      [{ op: 'add', path: '/b/0', value: null }],
      [{ op: 'add', path: '/', value: null }],
      [{ op: 'replace', path: '/b/0', value: 0 }],
      [{ op: 'replace', path: '/b/1', value: 421 }],
      [{ op: 'copy', from: '/b/0', path: '/b/1' }],
      [{ op: 'move', from: '/b/0', path: '/cc' }],
    ]) {
      expect(refusal(() => applyPatch(largest, patch)).message).toContain('larger than 4194304');
    }
    for (const patch of [
      [{ op: 'replace', path: '', value: 0 }],
      [{ op: 'move', from: '/b', path: '/c' }],
      [{ op: 'replace', path: '/b/0', value: '' }],
      [
        { op: 'remove', path: '/b/1' },
        { op: 'add', path: '/cc', value: '' },
        { op: 'copy', from: '/cc', path: '/a' },
      ],
    ]) {
      expect(() => applyPatch(largest, patch)).not.toThrow();
    }
  });

  test('new parts may come before old ones go, up to twice the size', () => {
    const half = filler(MAX_STATE_SIZE - 100);
    const document = { a: half, b: 0 };
    expect(
      applyPatch(document, [
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'remove', path: '/a' },
      ]),
    ).toEqual({ b: half });
    expect(
      refusal(() =>
        applyPatch(document, [
          { op: 'copy', from: '/a', path: '/b' },
          { op: 'copy', from: '/a', path: '/c' },
          { op: 'replace', path: '', value: 0 },
        ]),
      ).details,
    ).toEqual({ operation: 1 });
  });

  test('sixty copies that double a document are refused', () => {
    const doubling = repeated(
      30,
      { op: 'copy', from: '/a', path: '/b/-' },
      { op: 'copy', from: '/b', path: '/a/-' },
    );
    expect(refusedPatch({ a: [0], b: [0] }, doubling)).toContain('too large');
  });

  test('copies of one long string are refused although they share its memory', () => {
    const document = { text: 'x'.repeat(1_000_000), list: [] };
    const patch = repeated(9_999, { op: 'copy', from: '/text', path: '/list/-' });
    expect(refusedPatch(document, patch)).toContain('too large');
  });

  test('no patch is made to a document that no peer would accept', () => {
    expect(refusal(() => makePatch(0, nested(65))).code).toBe('STATE_PATCH');
    expect(refusal(() => makePatch(0, filler(MAX_STATE_SIZE + 1))).code).toBe('STATE_PATCH');
    expect(makePatch(0, nested(64))).toHaveLength(1);
  });
});

describe('#state-limits bounds on work', () => {
  test.each([
    ['member', wideObject(10_000), '/a/member1'],
    ['element', Array.from({ length: 100_000 }, () => null), '/a/1'],
  ])('copying and then changing one %s again and again is refused', (_what, wide, path) => {
    const patch = repeated(
      5_000,
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'replace', path, value: 1 },
    );
    expect(refusedPatch({ a: wide, b: 0 }, patch)).toMatch(/operation \d\d: .*too much work/);
  });

  test('moving a large value to and fro is refused', () => {
    const patch = repeated(
      5_000,
      { op: 'move', from: '/a', path: '/b' },
      { op: 'move', from: '/b', path: '/a' },
    );
    expect(refusedPatch({ a: wideObject(10_000) }, patch)).toContain('too much work');
  });

  test.each([
    ['inserting', { op: 'add', path: '/0', value: null }],
    ['removing', { op: 'remove', path: '/0' }],
  ])('%s at the front of a huge array again and again is refused', (_what, operation) => {
    const document = Array.from({ length: 200_000 }, () => null);
    expect(refusedPatch(document, repeated(10_000, operation))).toContain('too much work');
  });

  test('nearly all of a document of the largest size can be taken away', () => {
    const members = newJsonObject();
    for (let index = 0; index < 450_000; index += 1) members[`m${index.toString(36)}`] = null;
    expect(applyPatch({ members }, [{ op: 'remove', path: '/members' }])).toEqual({});
  });

  test('ten thousand changes in one wide object or array are applied', () => {
    const object = wideObject(20_000);
    const edits = repeated(
      5_000,
      { op: 'remove', path: '/member1' },
      { op: 'add', path: '/member1', value: 1 },
    );
    expect(text(applyPatch(object, edits))).toContain('"member1":1,');
    const array = Array.from({ length: 10_000 }, (_, index) => index);
    const reversal = array.map((index) => ({ op: 'move', from: `/${index}`, path: '/0' }));
    expect(applyPatch(array, reversal)).toEqual(array.toReversed());
  });
});
