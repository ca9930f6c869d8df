// Proves state.v1: every change has a patch that brings it about, and patches form a chain of hashes.

import * as fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';
import type { Operation } from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { readJson } from '../../src/codec/json/read.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber, isPlainNumber, newJsonObject } from '../../src/codec/value.ts';
import { sha256, toHex } from '../../src/crypto/sha256.ts';
import { contentHash } from '../../src/schema/content-hash.ts';
import { applyPatch } from '../../src/state/apply-patch.ts';
import { makePatch } from '../../src/state/make-patch.ts';
import {
  EMPTY_STATE_HASH,
  INITIAL_STATE,
  applyState,
  makeState,
} from '../../src/state/document.ts';
import { codeOf } from '../support/wire/bytes.ts';
import { frozen, json, refusal, text } from '../support/wire/state.ts';

const ODD_NAMES = ['__proto__', 'constructor', 'toJSON', 'hasOwnProperty', '', '0', '1', '01', '-'];
const ODD_TEXTS = ['#', '##', '#1.0', '##1.0', '#-0.0', '1.0', '', '\u0000', '/0'];
const LEXEMES = ['1.0', '1.00', '1', '-0', '-0.0', '1E2', '1e2', '9007199254740993', '0.10'];

const names = fc.oneof(
  fc.constantFrom(...ODD_NAMES, 'a', 'b', 'a/b', 'm~n', '~1'),
  fc.string({ unit: 'binary', maxLength: 3 }),
);

function toObject(members: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object = newJsonObject();
  for (const [name, value] of members) object[name] = value;
  return object;
}

const { value: values } = fc.letrec<{ value: JsonValue; object: JsonObject; array: JsonArray }>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<JsonValue>(null, true, false, 0, -0, 1),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter(isPlainNumber),
      fc.constantFrom(...LEXEMES).map((lexeme) => new LosslessNumber(lexeme)),
      fc.constantFrom(...ODD_TEXTS),
      fc.string({ unit: 'binary', maxLength: 5 }),
      tie('array'),
      tie('object'),
    ),
    array: fc.array(tie('value'), { maxLength: 5 }),
    object: fc.array(fc.tuple(names, tie('value')), { maxLength: 6 }).map(toObject),
  }),
);

describe('#state making a patch', () => {
  test('the patch between any two values turns the first into the second', () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        const patch = makePatch(frozen(before), frozen(after));
        expect(text(applyPatch(before, patch))).toBe(text(after));
        const received = readJson(writeJson(patch));
        expect(text(applyPatch(before, received))).toBe(text(after));
      }),
      { numRuns: 3_000 },
    );
  });

  test('the patch to a value that changed in one place turns the first into the second', () => {
    fc.assert(
      fc.property(fc.array(values), values, fc.nat(), fc.boolean(), (list, value, at, isNamed) => {
        const changed = list.length === 0 ? [value] : list.with(at % list.length, value);
        const wrap = (elements: JsonArray): JsonValue =>
          isNamed ? toObject(elements.map((element, index) => [`m${index}`, element])) : elements;
        const patch = makePatch(wrap(list), wrap(changed));
        expect(text(applyPatch(wrap(list), patch))).toBe(text(wrap(changed)));
      }),
      { numRuns: 1_000 },
    );
  });

  test('equal values need no operation, in whatever order their members stand', () => {
    expect(makePatch(json('{"a":1.0,"b":["#",-0]}'), json('{"b":["#",-0],"a":1.0}'))).toEqual([]);
  });

  test.each([
    ['1', '1.0'],
    ['0', '-0.0'],
    ['-0', '-0.0'],
    ['1.0', '"1.0"'],
    ['1.0', '"#1.0"'],
    ['"#1.0"', '"##1.0"'],
    ['[]', '{}'],
    ['{}', 'null'],
    ['{"__proto__":{}}', '{}'],
    ['{}', '{"__proto__":{"a":1.0}}'],
  ])('%s becomes %s by one operation', (before, after) => {
    const patch = makePatch(json(before), json(after));
    expect(patch).toHaveLength(1);
    expect(text(applyPatch(json(before), patch))).toBe(text(json(after)));
  });

  test('only what differs is in the patch', () => {
    const patch = makePatch(
      json('{"kept":{"large":[1,2,3]},"a/b":{"c":1,"gone":2}}'),
      json('{"kept":{"large":[1,2,3]},"a/b":{"c":2.50}}'),
    );
    expect(new TextDecoder().decode(writeJson(patch))).toBe(
      '[{"op":"remove","path":"/a~1b/gone"},{"op":"replace","path":"/a~1b/c","value":2.50}]',
    );
  });

  test('more changes than a patch may have become one replacement of the whole', () => {
    const before = Array.from({ length: 10_001 }, () => 0);
    const after = before.map(() => 1);
    expect(makePatch(before.slice(1), after.slice(1))).toHaveLength(10_000);
    expect(makePatch(before, after)).toEqual([{ op: 'replace', path: '', value: after }]);
  });

  test('the patch shares nothing with the value it was made from', () => {
    const inner = [1];
    const next = { list: inner };
    const { value } = applyState(INITIAL_STATE, makeState(INITIAL_STATE, next));
    inner.push(2);
    expect(text(value)).toBe('{"list":[1]}');
  });

  test.each([
    ['undefined', undefined],
    ['a hole', Array(1)],
    ['NaN', Number.NaN],
    ['an unsafe integer', 2 ** 53],
    ['a bigint', 1n],
    ['a date', new Date(0)],
  ])('%s is refused as a mistake of the program', (_what, value) => {
    expect(() => makePatch({}, { member: value } as unknown as JsonValue)).toThrow(TypeError);
    expect(() => makePatch({}, { member: value } as unknown as JsonValue)).toThrow('"/member');
  });
});

const POINTERS = ['', '/a', '/b', '/a/a', '/a/b', '/b/0', '/b/1', '/b/-', '/a/a/0', '/b/0/a'];
const pointer = fc.constantFrom(...POINTERS);
const inner = fc.constantFrom(...POINTERS.slice(1));
const plainValue = fc.constantFrom<JsonValue>(1, [], [1, 2], { a: 1 }, { a: [1], b: {} }, [
  { a: 1 },
]);
const operations = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace'), path: pointer, value: plainValue }),
  fc.record({ op: fc.constant('remove'), path: inner }),
  fc.record({ op: fc.constant('copy'), from: pointer, path: pointer }),
  fc
    .record({ op: fc.constant('move'), from: inner, path: pointer })
    .filter(({ from, path }) => !path.startsWith(`${from}/`)),
);

describe('#state applying patches in a row', () => {
  test('each operation does what another implementation does with copies of everything', () => {
    let applied = 0;
    fc.assert(
      fc.property(fc.array(operations, { minLength: 1, maxLength: 12 }), (candidates) => {
        const start = { a: { a: [1], b: 2 }, b: [{ a: 3 }, 4] };
        let theirs: unknown = start;
        const patch: JsonValue[] = [];
        for (const candidate of candidates) {
          if (!isApplicable(theirs as JsonValue, candidate)) continue;
          patch.push(candidate);
          theirs = appliedByOther(theirs, candidate);
        }
        applied += patch.length;
        expect(text(applyPatch(frozen(start), patch))).toBe(text(theirs as JsonValue));
      }),
      { numRuns: 2_000 },
    );
    expect(applied).toBeGreaterThan(2_000);
  });
});

function isApplicable(document: JsonValue, operation: JsonValue): boolean {
  try {
    applyPatch(document, [operation]);
    return true;
  } catch {
    return false;
  }
}

function appliedByOther(document: unknown, operation: JsonValue): unknown {
  const copy = structuredClone(operation) as unknown as Operation;
  return fastJsonPatch.applyOperation(structuredClone(document), copy).newDocument;
}

describe('#state-base the chain of documents', () => {
  const first = { base: EMPTY_STATE_HASH, patch: json('[{"op":"add","path":"/a","value":1.0}]') };

  test('it starts from an empty object under the hash of zero bytes', () => {
    expect(EMPTY_STATE_HASH).toBe(`sha256:${toHex(sha256(new Uint8Array()))}`);
    expect(INITIAL_STATE.hash).toBe(EMPTY_STATE_HASH);
    expect(text(INITIAL_STATE.value)).toBe('{}');
    expect(codeOf(() => applyState(INITIAL_STATE, null))).toBe('STATE_PATCH');
    expect(codeOf(() => applyState(INITIAL_STATE, {}))).toBe('STATE_BASE');
    expect(applyState(INITIAL_STATE, { base: EMPTY_STATE_HASH, patch: [] }).hash).toBe(
      contentHash({}),
    );
  });

  test('each patch starts from the hash of the document before it', () => {
    const one = applyState(INITIAL_STATE, first);
    expect(one.hash).toBe(`sha256:${toHex(sha256(new TextEncoder().encode('{"a":1.0}')))}`);
    const two = applyState(one, { base: one.hash, patch: [{ op: 'remove', path: '/a' }] });
    expect(two.hash).toBe(contentHash({}));
    expect(two.hash).not.toBe(EMPTY_STATE_HASH);
    expect(text(one.value)).toBe('{"a":1.0}');
  });

  test('another base is refused, with the hash to start from, before the patch is looked at', () => {
    const one = applyState(INITIAL_STATE, first);
    for (const base of [EMPTY_STATE_HASH, one.hash.toUpperCase(), one.hash.slice(7), '']) {
      const error = refusal(() => applyState(one, { base, patch: 'no patch at all' }));
      expect(error.code).toBe('STATE_BASE');
      expect(error.details).toEqual({ expected: one.hash });
    }
    expect(refusal(() => applyState(INITIAL_STATE, { ...first, base: one.hash })).details).toEqual({
      expected: EMPTY_STATE_HASH,
    });
  });

  test('a patch that fails leaves the document and its hash as they were', () => {
    const one = applyState(INITIAL_STATE, first);
    const patch = json('[{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}]');
    expect(refusal(() => applyState(one, { base: one.hash, patch })).code).toBe('STATE_PATCH');
    expect(one.hash).toBe(contentHash(one.value));
  });

  test('two sides that exchange what they make stay at the same hash', () => {
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 5 }), (states) => {
        let sender = INITIAL_STATE;
        let receiver = INITIAL_STATE;
        for (const next of states) {
          const payload = makeState(sender, next);
          sender = applyState(sender, payload);
          const { base, patch } = readJson(
            writeJson(toObject(Object.entries(payload))),
          ) as JsonObject;
          receiver = applyState(receiver, { base: base as string, patch: patch! });
          expect(receiver.hash).toBe(sender.hash);
          expect(receiver.hash).toBe(contentHash(next));
        }
      }),
    );
  });
});
