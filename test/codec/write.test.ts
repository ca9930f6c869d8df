// Proves that JSON as text says what JSON as bytes says, whichever way it was written, and that both refuse the same.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { writeJson } from '../../src/codec/json/write.ts';
import { writeJsonText } from '../../src/codec/json/write-text.ts';
import type { JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber, newJsonObject } from '../../src/codec/value.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What it gives, or what it throws. */
function outcomeOf(write: () => string): string {
  try {
    return `wrote ${write()}`;
  } catch (thrown) {
    return `threw ${(thrown as Error).message}`;
  }
}

function expectSame(value: JsonValue): void {
  const text = outcomeOf(() => writeJsonText(value));
  expect(text).toBe(outcomeOf(() => decoder.decode(writeJson(value))));
}

const number = fc.oneof(
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1e21, 1e-7, 2 ** 53, NaN, Infinity),
  fc
    .constantFrom('1.0', '-0', '1E2', '123456789012345678901')
    .map((text) => new LosslessNumber(text)),
);
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('\ud800', '\u2028', '😀'),
);
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    number,
    text,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}));

describe('#json-write JSON as text', () => {
  test('is the same as the bytes of any value, or the same refusal', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expectSame(value);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each<[string, () => unknown]>([
    ['undefined', () => ({ a: undefined })],
    ['a function', () => [() => 1]],
    ['a bigint', () => ({ a: 1n })],
    ['a hole', () => Array.from({ length: 2 }).fill(1, 0, 1)],
    ['an instance of a class', () => ({ at: new Date(0) })],
    ['a lone surrogate in a name', () => ({ '\udc00': 1 })],
    ['a member named toJSON', () => ({ toJSON: 'text' })],
    ['a member named __proto__', () => Object.assign(newJsonObject(), { ['__proto__']: 1 })],
    ['nesting that the fast way leaves', () => nested(100)],
    ['nesting without end', () => nested(2_000)],
  ])('is the same with %s', (_what, make) => {
    expectSame(make() as JsonValue);
  });
});

function nested(depth: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}
