// Proves that no schema and no value can make the bounded validator work for long: all ends by Work or by a refusal.

import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import type { ErrorCode } from '../../src/errors.ts';
import type { BoundedSchema } from '../../src/schema/bounded/validator.ts';
import { compileBounded } from '../../src/schema/bounded/validator.ts';
import { Work } from '../../src/schema/bounded/work.ts';
import { codeOf } from '../support/wire/bytes.ts';

const STEPS = 200_000;
const PLENTY = 1e9;
const LONG_URN = `urn:${'x'.repeat(2_000)}`;

function compile(schema: JsonValue): BoundedSchema {
  return compileBounded(schema, new Work(PLENTY));
}

/** How compiling and then validating ends. */
function endOf(schema: JsonValue, value: JsonValue): ErrorCode | undefined {
  return codeOf(() => compile(schema).validate(value, new Work(STEPS)));
}

/** Steps that validating takes, however many. */
function stepsOf(schema: JsonValue, value: JsonValue): number {
  const work = new Work(PLENTY);
  compile(schema).validate(value, work);
  return work.spent;
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function named<T>(count: number, make: (index: number) => T): Record<string, T> {
  return Object.fromEntries(times(count, (index) => [`name${index}`, make(index)]));
}

function nest(depth: number, core: JsonValue, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  let value = core;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

/** Every definition applies the next one twice. */
function referenceBomb(levels: number, keyword: 'allOf' | 'anyOf' | 'oneOf'): JsonValue {
  const definitions = times(levels, (level): [string, JsonValue] => {
    const next = { $ref: `#/$defs/level${level + 1}` };
    return [`level${level}`, { [keyword]: [next, next] }];
  });
  const last: [string, JsonValue] = [`level${levels}`, { type: 'null' }];
  return { $ref: '#/$defs/level0', $defs: Object.fromEntries([...definitions, last]) };
}

describe('#schema-work evaluation that would not end', () => {
  test.each<[string, JsonValue, JsonValue]>([
    ['a schema that is itself', { $ref: '#' }, 1],
    [
      'two schemas that are each other',
      { $ref: '#a', $defs: { a: { $anchor: 'a', $ref: '#' } } },
      1,
    ],
    ['a dynamic loop', { $dynamicAnchor: 'x', $dynamicRef: '#x' }, 1],
    ['a loop through not', { not: { $ref: '#' } }, 1],
    ['a loop through if', { if: { $ref: '#' } }, 1],
    [
      'a loop through names',
      { propertyNames: { $ref: '#/$defs/a' }, $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } },
      { a: 1 },
    ],
    ['a bomb of allOf', referenceBomb(60, 'allOf'), null],
    ['a bomb of anyOf', referenceBomb(60, 'anyOf'), 1],
    ['a bomb of oneOf', referenceBomb(60, 'oneOf'), 1],
    [
      '10,000 branches for each element',
      { items: { allOf: times(10_000, () => ({ required: [] })) } },
      times(1_000, () => ({})),
    ],
    [
      '10,000 properties for each branch',
      { allOf: times(1_000, () => ({ properties: { a: true } })) },
      named(1_000, () => 1),
    ],
    [
      '10,000 dependencies for each element',
      { items: { dependentRequired: named(10_000, () => []) } },
      times(1_000, () => ({})),
    ],
    [
      '10,000 required names for each branch',
      { allOf: times(100, () => ({ required: Object.keys(named(10_000, () => 1)) })) },
      named(10_000, () => 1),
    ],
    [
      'patterns times members',
      { patternProperties: named(100, () => true) },
      named(1_000, () => 1),
    ],
    ['a large pattern on a long text', { pattern: '(a?){100}b' }, 'a'.repeat(10_000)],
    [
      'contains in contains',
      nest(12, { type: 'null' }, (inner) => ({ contains: inner })),
      nest(12, 1, (inner) => [inner, inner, inner]),
    ],
    [
      'uniqueItems for each branch',
      { allOf: times(1_000, () => ({ uniqueItems: true })) },
      times(1_000, (index) => [index]),
    ],
    [
      'a large const for each branch',
      { allOf: times(1_000, () => ({ const: times(1_000, String) })) },
      times(1_000, String),
    ],
    [
      'unevaluatedItems below anyOf',
      { anyOf: times(1_000, () => ({ contains: true })), unevaluatedItems: false },
      times(1_000, () => 1),
    ],
    [
      'unevaluatedProperties below anyOf',
      {
        anyOf: times(100, () => ({ properties: named(1_000, () => true) })),
        unevaluatedProperties: false,
      },
      named(1_000, () => 1),
    ],
    [
      'lengths to count for each branch',
      { allOf: times(1_000, () => ({ minLength: 9_000 })) },
      'a'.repeat(10_000),
    ],
    [
      'division of large numbers',
      { items: { multipleOf: new LosslessNumber(`0.${'3'.repeat(1_000)}`) } },
      times(1_000, () => new LosslessNumber('3'.repeat(1_000))),
    ],
    [
      'comparison of large numbers',
      { items: { minimum: new LosslessNumber('7'.repeat(1_000)) } },
      times(1_000, () => new LosslessNumber('8'.repeat(1_000))),
    ],
  ])('%s', (_name, schema, value) => {
    expect(endOf(schema, value)).toBe('SCHEMA_WORK');
  });

  test('a value nested deeper than evaluation goes ends without a full stack', () => {
    const deep = nest(100_000, 1, (inner) => [inner]);
    expect(endOf({ items: { $ref: '#' } }, deep)).toBe('SCHEMA_WORK');
    expect(
      endOf(
        { $ref: '#/$defs/a', $defs: { a: { additionalProperties: { $ref: '#' } } } },
        nest(10_000, 1, (inner) => ({ a: inner })),
      ),
    ).toBe('SCHEMA_WORK');
    expect(endOf({ const: [[1]] }, deep)).toBe('SCHEMA_WORK');
    expect(endOf({ uniqueItems: true }, [deep, deep])).toBe('SCHEMA_WORK');
  });

  test('what no keyword looks at costs nothing', () => {
    const deep = nest(100_000, 1, (inner) => ({ a: inner }));
    expect(stepsOf({ type: 'object' }, deep)).toBe(1);
    expect(stepsOf({ const: 1 }, deep)).toBe(1);
    expect(stepsOf({ enum: ['a', 2, null] }, times(10_000, String))).toBe(1);
  });

  test('work is counted across compiling and validating when it is one', () => {
    const work = new Work(1_000);
    const schema = compileBounded({ items: { type: 'integer' } }, work);
    expect(work.spent).toBeGreaterThan(0);
    expect(schema.validate(times(100, Number), work)).toBeUndefined();
    expect(codeOf(() => schema.validate(times(1_000, Number), work))).toBe('SCHEMA_WORK');
    expect(schema.validate(times(1_000, Number), new Work(STEPS))).toBeUndefined();
  });
});

describe('#schema-work evaluation that grows with its input and no faster', () => {
  const size = 2_000;

  test.each<[string, (count: number) => [JsonValue, JsonValue]]>([
    [
      'a huge enum on a large array',
      (count) => [{ items: { enum: times(count, String) } }, times(count, String)],
    ],
    [
      'a huge enum of objects',
      (count) => [
        { items: { enum: times(count, (index) => ({ index })) } },
        times(count, (index) => ({ index })),
      ],
    ],
    ['uniqueItems on numbers', (count) => [{ uniqueItems: true }, times(count, Number)]],
    [
      'uniqueItems on nested arrays',
      (count) => [{ uniqueItems: true }, times(count, (index) => [[index], { index: [index] }])],
    ],
    [
      'uniqueItems on long texts of one length',
      (count) => [
        { uniqueItems: true },
        times(count / 10, (index) => 'x'.repeat(20_000) + String(index).padStart(9, '0')),
      ],
    ],
    [
      'uniqueItems on long and different numbers',
      (count) => [
        { uniqueItems: true },
        times(count / 10, (index) => new LosslessNumber(`1${index}${'7'.repeat(1_000)}`)),
      ],
    ],
    [
      'many properties on many members',
      (count) => [{ properties: named(count, () => ({ type: 'null' })) }, named(count, () => null)],
    ],
    [
      'unevaluatedProperties',
      (count) => [
        { allOf: [{ properties: named(count, () => true) }], unevaluatedProperties: false },
        named(count, () => null),
      ],
    ],
    [
      'unevaluatedItems',
      (count) => [{ contains: { type: 'integer' }, unevaluatedItems: false }, times(count, Number)],
    ],
  ])('%s', (_name, make) => {
    const [smallSchema, small] = make(size);
    const [largeSchema, large] = make(4 * size);
    const ratio = stepsOf(largeSchema, large) / stepsOf(smallSchema, small);
    expect(ratio).toBeGreaterThan(3);
    expect(ratio).toBeLessThan(5);
  });
});

describe('#schema-work schemas that would not end compiling', () => {
  test.each<[string, (inner: JsonValue) => JsonValue]>([
    ['not', (inner) => ({ not: inner })],
    ['items', (inner) => ({ items: inner })],
    ['allOf', (inner) => ({ allOf: [inner] })],
    ['properties', (inner) => ({ properties: { a: inner } })],
    ['$defs', (inner) => ({ $defs: { a: inner } })],
    ['dependentSchemas', (inner) => ({ dependentSchemas: { a: inner } })],
    ['unevaluatedItems', (inner) => ({ unevaluatedItems: inner })],
  ])('10,000 schemas nested by %s are refused, 128 are not', (_keyword, wrap) => {
    expect(codeOf(() => compile(nest(10_000, true, wrap)))).toBe('SCHEMA_UNSUPPORTED');
    expect(codeOf(() => compile(nest(129, true, wrap)))).toBe('SCHEMA_UNSUPPORTED');
    expect(codeOf(() => compile(nest(128, true, wrap)))).toBeUndefined();
  });

  test('a schema that holds itself is refused', () => {
    const circle: Record<string, JsonValue> = {};
    circle['not'] = circle;
    expect(codeOf(() => compile(circle))).toBe('SCHEMA_UNSUPPORTED');
  });

  test('a constant nested too deep to compare is refused', () => {
    expect(codeOf(() => compile({ const: nest(10_000, 1, (inner) => [inner]) }))).toBe(
      'SCHEMA_WORK',
    );
    expect(codeOf(() => compile({ enum: [nest(10_000, 1, (inner) => ({ a: inner }))] }))).toBe(
      'SCHEMA_WORK',
    );
  });

  test('what stands under unknown keywords is not even walked', () => {
    expect(
      codeOf(() => compile({ unknown: nest(100_000, 1, (inner) => [inner]) })),
    ).toBeUndefined();
  });

  test.each<[string, JsonValue]>([
    ['10,000 schemas', { allOf: times(10_000, () => ({})) }],
    [
      'a shared schema that unfolds without end',
      nest(60, {}, (inner) => ({ allOf: [inner, inner] })),
    ],
    ['1,000 patterns', { patternProperties: named(1_000, () => true) }],
    [
      'patterns with many Unicode ranges',
      { allOf: times(100, (index) => ({ pattern: `\\p{L}{40}${index}` })) },
    ],
    ['a huge enum', { enum: times(500_000, Number) }],
    ['a huge constant', { const: times(500_000, Number) }],
    ['a wide constant', { const: named(50_000, Number) }],
    ['10,000 references', { allOf: times(3_000, () => ({ $ref: '#' })) }],
    [
      'references behind a long base',
      { $id: LONG_URN, allOf: times(2_000, () => ({ $ref: LONG_URN })) },
    ],
    [
      'long references to far places',
      {
        $defs: { ['x'.repeat(10_000)]: true },
        allOf: times(1_000, () => ({ $ref: `#/$defs/${'x'.repeat(10_000)}` })),
      },
    ],
    ['500,000 required names', { required: times(500_000, String) }],
    ['500,000 unknown keywords', named(500_000, () => 1)],
  ])('%s run out of work', (_name, schema) => {
    expect(codeOf(() => compileBounded(schema, new Work(STEPS)))).toBe('SCHEMA_WORK');
  });

  test('URIs do not grow from base to base', () => {
    const step = { $id: `${'x'.repeat(1_000)}/` };
    const schema = nest(3, step, (inner) => ({ ...step, not: inner }));
    expect(codeOf(() => compile(schema))).toBe('SCHEMA_UNSUPPORTED');
  });
});

describe('#schema-work the budget', () => {
  test('it is spent to the last step and no further', () => {
    const work = new Work(10);
    work.spend(10);
    expect(work.spent).toBe(10);
    expect(codeOf(() => work.spend(1))).toBe('SCHEMA_WORK');
  });

  test.each([-1, Number.NaN])('a limit of %s is a mistake of the caller', (limit) => {
    expect(() => new Work(limit)).toThrow(RangeError);
  });
});
