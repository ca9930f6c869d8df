// Proves that no patch can make a document, or the work on it, grow without bound. Each case would run for
// minutes or exhaust the memory if its bound were not there.

import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber, newJsonObject } from '../../src/codec/value.ts';
import { contentHash } from '../../src/schema/content-hash.ts';
import { MAX_PATCH_OPERATIONS, applyPatch, applyPatchTo } from '../../src/state/apply-patch.ts';
import { MAX_STATE_DEPTH, MAX_STATE_SIZE, measure } from '../../src/state/extent.ts';
import { makePatch } from '../../src/state/make-patch.ts';
import type { StateDocument } from '../../src/state/document.ts';
import { INITIAL_STATE, applyState } from '../../src/state/document.ts';
import { json, refusal, refusedPatch, text } from '../support/wire/state.ts';

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
  return 'x'.repeat(size - 8);
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
    expect(MAX_STATE_SIZE).toBe(1_048_576);
    // The object, two names of one letter, an array, true, a number of two digits.
    const rest = 8 + 33 + 33 + 8 + 8 + 10;
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
      expect(refusal(() => applyPatch(largest, patch)).message).toContain('larger than 1048576');
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
    expect(refusedPatch({ a: [0], b: [0] }, doubling)).toMatch(/operation \d\d: .*too much work/);
    const heavy = { a: ['x'.repeat(1_000)], b: [0] };
    expect(refusedPatch(heavy, doubling)).toMatch(/operation \d\d: .*too large/);
  });

  test('copies of one long string are refused although they share its memory', () => {
    const document = { text: 'x'.repeat(500_000), list: [] };
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
  const numbers = repeated(1_000, new LosslessNumber(`1.${'0'.repeat(1_020)}`));

  test.each([
    ['member', wideObject(10_000), '/a/member1'],
    ['element', Array.from({ length: 100_000 }, () => null), '/a/1'],
  ])('copying and then changing one %s again and again is refused', (_what, wide, path) => {
    const patch = repeated(
      5_000,
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'replace', path, value: 1 },
    );
    expect(refusedPatch({ a: wide, b: 0 }, patch)).toMatch(/operation \d: .*too much work/);
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
    const document = Array.from({ length: 120_000 }, () => null);
    expect(refusedPatch(document, repeated(10_000, operation))).toContain('too much work');
  });

  test.each([
    ['many objects', Array.from({ length: 5_000 }, () => wideObject(3)), '/member1'],
    ['one wide object', wideObject(20_000), ''],
    ['many values', Array.from({ length: 120_000 }, () => null), ''],
  ])('a large document of %s can be changed all over and be taken apart', (_what, parts, below) => {
    const document = { parts };
    const names = Object.keys(parts).slice(0, 5_000);
    const edits = names.map((name) => ({
      op: 'replace',
      path: `/parts/${name}${below}`,
      value: 1,
    }));
    expect(() => applyPatch(document, edits)).not.toThrow();
    expect(applyPatch(document, [{ op: 'remove', path: '/parts' }])).toEqual({});
    expect(() =>
      applyPatch(document, [
        { op: 'copy', from: '/parts', path: '/copy' },
        { op: 'remove', path: '/parts' },
        { op: 'test', path: '/copy', value: parts },
      ]),
    ).not.toThrow();
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
    const doubling = array.map((index) => ({ op: 'replace', path: `/${index}`, value: 2 * index }));
    expect(applyPatch(array, doubling)).toEqual(array.map((index) => 2 * index));
    const some = array.slice(0, 3_000);
    const reversal = some.map((index) => ({ op: 'move', from: `/${index}`, path: '/0' }));
    expect(applyPatch(some, reversal)).toEqual(some.toReversed());
  });

  test.each([
    ['long numbers', numbers, repeated(1_000, 1)],
    ['long strings', repeated(100, 'x'.repeat(9_000)), repeated(100, 'x'.repeat(9_000))],
    ['many members', wideObject(9_000), wideObject(9_000)],
    ['many elements', repeated(9_000, null), repeated(9_000, null)],
  ])('testing %s once is done and again and again refused', (_what, held, tested) => {
    const operation = { op: 'test', path: '/a', value: tested };
    expect(() => applyPatch({ a: held }, [operation])).not.toThrow();
    expect(refusedPatch({ a: held }, repeated(480, operation))).toContain('too much work');
  });

  test('a test costs by what is compared, so that a first difference ends it', () => {
    const held = { a: wideObject(9_000), b: 'x'.repeat(9_000) };
    const patch = repeated(9_000, { op: 'test', path: '/b', value: 'x'.repeat(9_000) });
    expect(refusedPatch(held, patch)).toContain('too much work');
    expect(refusedPatch(held, [{ op: 'test', path: '/b', value: 'x' }])).toContain('another value');
  });

  test('editing what the patch brought is paid for by the patch', () => {
    const value = wideObject(1_000);
    const patch = Array.from({ length: 20 }, (_, index) => [
      { op: 'add', path: `/${index}`, value },
      { op: 'add', path: `/${index}/new`, value: 1 },
    ]).flat();
    expect(refusedPatch({}, patch)).toMatch(/operation \d\d: .*too much work/);
    expect(() => applyPatch({}, patch.slice(0, 20))).not.toThrow();
  });
});

describe('#state-limits bounds on pointers', () => {
  test('a pointer has at most 65 tokens and is not cut up if it has more', () => {
    const document = nested(64);
    expect(
      applyPatch(document, [{ op: 'replace', path: '/0'.repeat(64), value: 1 }]),
    ).toBeDefined();
    expect(refusedPatch(document, [{ op: 'remove', path: '/0'.repeat(65) }])).toContain('neither');
    for (const tokens of [66, 500_000]) {
      const path = '/0'.repeat(tokens);
      expect(refusedPatch(document, [{ op: 'remove', path }])).toContain('"path" has more than 65');
      expect(refusedPatch(document, [{ op: 'copy', from: path, path: '' }])).toContain(
        '"from" has more than 65',
      );
    }
  });

  test('an index of any length is an index', () => {
    for (const index of ['9'.repeat(15), '1'.repeat(400)]) {
      refusedPatch([1], [{ op: 'add', path: `/${index}`, value: 2 }]);
      expect(text(applyPatch({}, [{ op: 'add', path: `/${index}`, value: 2 }]))).toContain(index);
    }
  });
});

describe('#state-limits the weight of a document from patch to patch', () => {
  test('what a patch left is not walked again before the next', () => {
    let walks = 0;
    const counted = new Proxy(newJsonObject(), {
      ownKeys: (target) => {
        walks += 1;
        return Reflect.ownKeys(target);
      },
    });
    const add = (name: string): JsonValue => [{ op: 'add', path: `/${name}`, value: 1 }];
    const given = { value: { counted }, hash: contentHash({ counted: {} }) };
    walks = 0;
    const first = applyState(given, { base: given.hash, patch: add('a') });
    const walksOfFirst = walks;
    const second = applyState(first, { base: first.hash, patch: add('b') });
    // Once more for the hash in each step.
    expect([walksOfFirst, walks - walksOfFirst]).toEqual([2, 1]);
    const rewrapped = { value: second.value, hash: second.hash };
    applyState(rewrapped, { base: second.hash, patch: add('c') });
    expect(walks).toBe(4);
  });

  test('the limit holds over many patches, and what leaves makes room', () => {
    const part = filler(MAX_STATE_SIZE / 4);
    const step = (document: StateDocument, operation: JsonValue): StateDocument =>
      applyState(document, { base: document.hash, patch: [operation] });
    let document = INITIAL_STATE;
    for (const path of ['/a', '/b', '/c'])
      document = step(document, { op: 'add', path, value: part });
    expect(refusal(() => step(document, { op: 'copy', from: '/a', path: '/d' })).message).toContain(
      'larger than',
    );
    document = step(document, { op: 'remove', path: '/a' });
    expect(() => step(document, { op: 'copy', from: '/b', path: '/d' })).not.toThrow();
  });

  test('the weight that is carried is the one that would be measured', () => {
    const document = json('{"list":[1,2.5,"x",{"a":[]}],"object":{"a":{"b":1.0},"c":null}}');
    const patches = [
      '[{"op":"add","path":"/list/1","value":{"n":[true]}}]',
      '[{"op":"add","path":"/object/a","value":[1,2]},{"op":"add","path":"/new","value":{"x":"y"}}]',
      '[{"op":"remove","path":"/list/3"},{"op":"remove","path":"/object"}]',
      '[{"op":"replace","path":"/list/3","value":0.125},{"op":"replace","path":"/list","value":{}}]',
      '[{"op":"move","from":"/list/3","path":"/moved"},{"op":"move","from":"/object/a","path":"/list/-"}]',
      '[{"op":"copy","from":"/object","path":"/object/c"},{"op":"copy","from":"/list","path":"/list/0"}]',
      '[{"op":"replace","path":"","value":[{"a":1}]},{"op":"add","path":"/0/a","value":""}]',
      '[{"op":"test","path":"/list/0","value":1}]',
    ];
    for (const patch of patches) {
      const { value, weight } = applyPatchTo(document, json(patch));
      expect(measure(value)).toMatchObject(weight);
    }
  });
});
