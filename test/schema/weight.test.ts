// Proves that the weight of a compiled schema goes with the memory that it can come to hold.

import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/codec/value.ts';
import { compileBounded } from '../../src/schema/bounded/validator.ts';
import { Work } from '../../src/schema/bounded/work.ts';

describe('#schema-work the weight of a compiled schema', () => {
  function weightOf(schema: JsonValue, spent = 0): number {
    const work = new Work(1e9);
    work.spend(spent);
    return compileBounded(schema, work).weight;
  }

  test('it grows with the schemas, the names and the texts that are kept', () => {
    const few = Array.from({ length: 10 }, (_, index) => `text ${index}`);
    const many = Array.from({ length: 1_000 }, (_, index) => `text ${index}`);
    expect(weightOf({ allOf: many.map(() => ({})) })).toBeGreaterThan(300_000);
    expect(weightOf({ enum: many })).toBeGreaterThan(weightOf({ enum: few }) + 60_000);
    expect(weightOf({ required: many })).toBeGreaterThan(weightOf({ required: few }) + 60_000);
  });

  test('every pattern adds the states that it may come to remember, once', () => {
    const one = weightOf({ pattern: '^a' });
    expect(one).toBeGreaterThan(65_536);
    expect(weightOf({ pattern: '^a', patternProperties: { '^b': true } })).toBeGreaterThan(131_072);
    expect(weightOf({ pattern: '^a', patternProperties: { '^a': true } })).toBeLessThan(131_072);
  });

  test('compiling a pattern is dear, but most of it is not kept', () => {
    expect(weightOf({ pattern: '\\p{L}\\p{N}' })).toBeLessThan(65_536);
  });

  test('what was spent before on something else does not count', () => {
    expect(weightOf({ type: 'null' }, 1_000_000)).toBe(weightOf({ type: 'null' }));
  });
});
