// Proves what single things cost in the bounded validator, so that no step can be had for nothing.

import { describe, expect, test, vi } from 'vitest';
import type { JsonValue } from '../../src/codec/value.ts';
import { compileBounded } from '../../src/schema/bounded/validator.ts';
import { Work } from '../../src/schema/bounded/work.ts';
import { codeOf } from '../support/wire/bytes.ts';

const PLENTY = 1e9;

/** Steps that compiling takes. */
function compileSteps(schema: JsonValue): number {
  const work = new Work(PLENTY);
  compileBounded(schema, work);
  return work.spent;
}

/** Steps that validating takes. */
function stepsOf(schema: JsonValue, value: JsonValue): number {
  const work = new Work(PLENTY);
  compileBounded(schema, new Work(PLENTY)).validate(value, work);
  return work.spent;
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function named<T>(count: number, make: (index: number) => T): Record<string, T> {
  return Object.fromEntries(times(count, (index) => [`name${index}`, make(index)]));
}

describe('#schema-work the price of single things', () => {
  test.each([
    ['UUID', '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$', 'x'.repeat(36), 400],
    ['date', '^\\d{4}-\\d{2}-\\d{2}$', '2026-01-31', 150],
    ['identifier', '^[A-Za-z_][A-Za-z0-9_]*$', 'some_identifier', 250],
    ['address', '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 'somebody@example.org', 400],
  ])('an ordinary pattern is cheap: %s', (_name, pattern, text, most) => {
    expect(stepsOf({ pattern }, text)).toBeLessThan(most);
  });

  const separate = times(480, (index) => String.fromCodePoint(0x4e00 + 2 * index)).join('');

  test.each([
    ['of letters', '\\p{Lu}\\p{L}{3}c', 'AAAAAA', 100],
    ['of 480 single characters', `A[${separate}A]{9}c`, 'AAAAAAAA', 150],
    ['on a text without characters', 'a', '', 25],
    ['that may stand at many places at once', 'a[ab]{40}c', 'ab'.repeat(20), 1_500],
    ['with one start but several ways on', '^(?:a|b){40}$', 'ab'.repeat(20), 1_500],
    ['with one start but no fixed length', '^[ab]{1,40}c$', 'ab'.repeat(20), 1_500],
    ['with 400 conditions in one place', '^(?:\\B){400}a', 'ab'.repeat(20), 10_000],
  ])('a search costs what it can take: one %s', (_name, pattern, text, least) => {
    expect(stepsOf({ pattern }, text)).toBeGreaterThan(least);
  });

  test('a Unicode property is dear to compile, wherever it stands, and what only looks like one is not', () => {
    const plain = compileSteps({ pattern: 'abcdef' });
    expect(compileSteps({ pattern: '\\p{Lu}' })).toBeGreaterThan(plain + 12_000);
    expect(compileSteps({ pattern: '[a\\P{L}]' })).toBeGreaterThan(plain + 12_000);
    expect(compileSteps({ pattern: '\\\\pppp' })).toBeLessThan(plain + 1_000);
  });

  test('ranges are paid for in every instruction that has them', () => {
    const once = compileSteps({ pattern: '\\p{L}{1}' });
    expect(compileSteps({ pattern: '\\p{L}{9}' })).toBeGreaterThan(once + 8 * 150);
  });

  test('a pattern is paid for before the engine sees it', () => {
    const pattern = '\\p{L}{1000}';
    const whole = compileSteps({ pattern });
    const work = new Work(whole / 2);
    expect(codeOf(() => compileBounded({ pattern }, work))).toBe('SCHEMA_WORK');
    expect(work.spent).toBeGreaterThan(whole - 1_000);
  });

  test('taking over what a branch has evaluated costs two steps a name', () => {
    const branch = { properties: named(50, () => true) };
    const direct = { allOf: [branch], unevaluatedProperties: true };
    const tried = { anyOf: [branch], unevaluatedProperties: true };
    const value = named(50, () => null);
    expect(stepsOf(tried, value) - stepsOf(direct, value)).toBe(1 + 2 * 50);
  });

  test('keeping a record of what was evaluated costs a step for each entry', () => {
    const elements = { contains: { type: 'integer' }, minContains: 50 };
    const recorded = { ...elements, unevaluatedItems: true };
    // One look at each element, and none left to evaluate: the other fifty are the record.
    const numbers = times(50, Number);
    expect(stepsOf(recorded, numbers) - stepsOf(elements, numbers)).toBe(2 * 50);
  });

  test('long texts with one hash are compared, and each comparison is paid', () => {
    const [text, twin] = textsWithOneHash(6_400);
    const other = `${text.slice(0, -1)}!`;
    const apart = stepsOf({ const: text }, other);
    expect(stepsOf({ const: text }, text) - apart).toBe(1 + 100);
    expect(stepsOf({ const: text }, twin) - apart).toBe(1 + 100);
    expect(stepsOf({ enum: [twin, text] }, text) - apart).toBe(2 * (1 + 100));
  });

  test('names are listed once for an object, at the price of sorting, and not gone through to be counted', () => {
    const value = named(1_000, () => null);
    const once = stepsOf({ minProperties: 1 }, value);
    expect(once).toBeGreaterThan(9_000);
    expect(once).toBeLessThan(11_000);
    const often = stepsOf({ allOf: times(200, () => ({ minProperties: 1 })) }, value);
    expect(often).toBeLessThan(once + 1_000);
    const reading = stepsOf({ allOf: times(200, () => ({ propertyNames: true })) }, value);
    expect(reading).toBeGreaterThan(200 * 2 * 1_000);
  });

  test.each<[string, JsonValue]>([
    ['unknown keywords', named(1_000, () => 1)],
    ['required names', { required: Object.keys(named(1_000, () => 1)) }],
    ['dependencies', { dependentRequired: named(1_000, () => []) }],
    ['a constant', { const: named(1_000, () => 1) }],
  ])('names in a schema are paid for like sorting: %s', (_name, schema) => {
    expect(compileSteps(schema)).toBeGreaterThan(9_000);
  });

  test('the tokens of a reference are paid for before they are split', () => {
    const schema = { $ref: `#${'/'.repeat(100_000)}` };
    const work = new Work(200_000);
    const split = vi.spyOn(String.prototype, 'split');
    const code = codeOf(() => compileBounded(schema, work));
    const calls = split.mock.calls.length;
    split.mockRestore();
    expect([code, calls]).toEqual(['SCHEMA_WORK', 0]);
    expect(work.spent).toBeGreaterThan(100_000 * 16);
  });
});

/** Two texts of a length that the set of long texts hashes alike: they differ in their last two units. */
function textsWithOneHash(length: number): [string, string] {
  const prime = 0x01000193;
  const start = 'x'.repeat(length - 2);
  let hash = length;
  for (let index = 0; index < start.length; index += 1) {
    hash = Math.imul(hash ^ start.charCodeAt(index), prime);
  }
  const unitByHigh = new Map<number, number>();
  for (let unit = 0; unit <= 0xffff; unit += 1) {
    const mixed = Math.imul(hash ^ unit, prime);
    const other = unitByHigh.get(mixed >>> 16);
    if (other === undefined) {
      unitByHigh.set(mixed >>> 16, unit);
      continue;
    }
    const last = 0x100 ^ mixed ^ Math.imul(hash ^ other, prime);
    return [start + String.fromCharCode(unit, 0x100), start + String.fromCharCode(other, last)];
  }
  throw new Error('no two units met');
}
