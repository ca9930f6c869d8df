// Proves the bounded validator with the official draft 2020-12 suite, and against ajv on random schemas.

import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from '../../src/codec/json/read.ts';
import type { JsonValue } from '../../src/codec/value.ts';
import { encodeUtf8 } from '../../src/codec/utf8.ts';
import { SdlError } from '../../src/errors.ts';
import type { BoundedSchema } from '../../src/schema/bounded/validator.ts';
import { pointerTokens } from '../../src/codec/pointer.ts';
import { compileBounded } from '../../src/schema/bounded/validator.ts';
import { Work } from '../../src/schema/bounded/work.ts';
import { hasVectors, vectorBytes, vectorFiles } from '../support/repository/vectors.ts';

interface Group {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: readonly {
    readonly description: string;
    readonly data: JsonValue;
    readonly valid: boolean;
  }[];
}

const FOLDER = 'JSON-Schema-Test-Suite/tests/draft2020-12/';
const STEPS = 1_000_000;

function readGroups(file: string): readonly Group[] {
  return readJson(vectorBytes(FOLDER + file)) as unknown as readonly Group[];
}

function jsonFiles(folder: string): string[] {
  return vectorFiles(FOLDER + folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => folder + name);
}

/** The schema, or `undefined` when it needs a document that is not in it. Any other refusal is thrown. */
function compileIfLocal(schema: JsonValue): BoundedSchema | undefined {
  try {
    return compileBounded(schema, new Work(STEPS));
  } catch (error) {
    const keyword = error instanceof SdlError ? error.details['keyword'] : undefined;
    const isAboutOthers = keyword === '$ref' || keyword === '$schema';
    if (isAboutOthers && (error as SdlError).code === 'SCHEMA_UNSUPPORTED') return undefined;
    throw error;
  }
}

interface Outcome {
  passed: number;
  refused: number;
  readonly failed: string[];
  readonly refusedGroups: string[];
}

function runFiles(files: readonly string[]): Outcome {
  const outcome: Outcome = { passed: 0, refused: 0, failed: [], refusedGroups: [] };
  for (const file of files) {
    for (const { description, schema, tests } of readGroups(file)) {
      const compiled = compileIfLocal(schema);
      if (compiled === undefined) {
        outcome.refused += tests.length;
        outcome.refusedGroups.push(`${file}: ${description}`);
        continue;
      }
      for (const { description: name, data, valid } of tests) {
        const isValid = compiled.validate(data, new Work(STEPS)) === undefined;
        if (isValid === valid) outcome.passed += 1;
        else outcome.failed.push(`${file}: ${description}: ${name}`);
      }
    }
  }
  return outcome;
}

/** They need a document from elsewhere, which is never fetched. */
const REMOTE_GROUPS = [
  'dynamicRef.json: strict-tree schema, guards against misspelled properties',
  'dynamicRef.json: tests for implementation dynamic anchor and reference link',
  'dynamicRef.json: $ref and $dynamicAnchor are independent of order - $defs first',
  'dynamicRef.json: $ref and $dynamicAnchor are independent of order - $ref first',
  'dynamicRef.json: $ref to $dynamicRef finds detached $dynamicAnchor',
  'refRemote.json: remote ref',
  'refRemote.json: fragment within remote ref',
  'refRemote.json: anchor within remote ref',
  'refRemote.json: ref within remote ref',
  'refRemote.json: base URI change',
  'refRemote.json: base URI change - change folder',
  'refRemote.json: base URI change - change folder in subschema',
  'refRemote.json: root ref in remote ref',
  'refRemote.json: remote ref with ref to defs',
  'refRemote.json: Location-independent identifier in remote ref',
  'refRemote.json: retrieved nested refs resolve relative to their URI not $id',
  'refRemote.json: remote HTTP ref with different $id',
  'refRemote.json: remote HTTP ref with different URN $id',
  'refRemote.json: remote HTTP ref with nested absolute ref',
  'refRemote.json: $ref to $ref finds detached $anchor',
  'vocabulary.json: schema that uses custom metaschema with with no validation vocabulary',
  'vocabulary.json: ignore unrecognized optional vocabulary',
];

const NO_KEYWORD =
  'dependencies was dropped before this draft and is ignored like any unknown keyword';

/** Optional tests that we fail on purpose: the name of the test, or of its file, and why. */
const OPTIONAL_FAILURES: Readonly<Record<string, string>> = {
  'optional/dependencies-compatibility.json': NO_KEYWORD,
};

const OPTIONAL_REFUSALS: Readonly<Record<string, string>> = {
  'optional/cross-draft.json: refs to historic drafts are processed as historic drafts':
    'refers to a remote document of another draft',
  'optional/format-assertion.json: schema that uses custom metaschema with format-assertion: false':
    'has a metaschema of its own',
  'optional/format-assertion.json: schema that uses custom metaschema with format-assertion: true':
    'has a metaschema of its own',
};

describe.skipIf(!hasVectors)('#schema-dialect official draft 2020-12 suite', () => {
  test('1250 of the 1299 required tests pass and the 49 that need a remote document are refused', () => {
    const { passed, refused, failed, refusedGroups } = runFiles(jsonFiles(''));
    expect(failed).toEqual([]);
    expect(refusedGroups).toEqual(REMOTE_GROUPS);
    expect({ passed, refused }).toEqual({ passed: 1250, refused: 49 });
  });

  test('every optional test outside format passes or has a written reason', () => {
    const { passed, refused, failed, refusedGroups } = runFiles(jsonFiles('optional/'));
    const isExcused = (name: string): boolean =>
      Object.hasOwn(OPTIONAL_FAILURES, name) ||
      Object.hasOwn(OPTIONAL_FAILURES, name.slice(0, name.indexOf(': ')));
    expect(failed.filter((name) => !isExcused(name))).toEqual([]);
    expect(refusedGroups).toEqual(Object.keys(OPTIONAL_REFUSALS));
    expect({ passed, refused, failed: failed.length }).toEqual({
      passed: 143,
      refused: 5,
      failed: 14,
    });
  });

  test('every failure names a place that is there, in the schema and in the value', () => {
    let count = 0;
    for (const { schema, tests } of jsonFiles('').flatMap(readGroups)) {
      const compiled = compileIfLocal(schema);
      for (const { data } of compiled === undefined ? [] : tests) {
        const failure = compiled!.validate(data, new Work(STEPS));
        if (failure === undefined) continue;
        count += 1;
        // A missing member is named by the place where it should be.
        const isMissing = failure.keyword.endsWith('equired');
        const place = isMissing
          ? failure.instancePath.replace(/\/[^/]*$/, '')
          : failure.instancePath;
        expect(valueAt(data, place)).toBeDefined();
        if (isMissing) expect(valueAt(data, failure.instancePath)).toBeUndefined();
        // What fails inside the metaschema has its path behind a URI.
        if (failure.schemaPath.includes('#')) continue;
        expect(valueAt(schema, failure.schemaPath)).toBeDefined();
        if (failure.keyword !== 'false')
          expect(failure.schemaPath).toContain(`/${failure.keyword}`);
      }
    }
    expect(count).toBeGreaterThan(500);
  });
});

function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  let place: unknown = value;
  for (const token of pointer === '' ? [] : pointerTokens(pointer)) {
    place = (place as Readonly<Record<string, unknown>>)[token];
  }
  return place as JsonValue | undefined;
}

const name = fc.constantFrom('a', 'b', 'c', 'ab', '1');
const small = fc.integer({ min: -3, max: 4 });
const length = fc.integer({ min: 0, max: 3 });
const scalar = fc.oneof(
  small,
  fc.constantFrom<unknown>('', 'a', 'ab', 'b1', '😀', '😀é', null, true, false, 0.5, 1.5, -2.5),
);

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));

const typeName = fc.constantFrom(
  'null',
  'boolean',
  'number',
  'integer',
  'string',
  'array',
  'object',
);
const pattern = fc.constantFrom('^a', 'b$', '^[ab]+$', '.', '^..$', '[0-9]', '^(a|b){2}$', '^$');

/** A few keywords at a time: all at once would contradict each other, and no value would fit. */
function someOf(keywords: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> {
  return fc
    .shuffledSubarray(Object.keys(keywords), { maxLength: 4 })
    .chain((names) => fc.record(Object.fromEntries(names.map((key) => [key, keywords[key]!]))))
    .map(withoutAjvBug);
}

/**
 * Beside `prefixItems` ajv does not look at `contains` when the array is the shorter one, and of an `if` that has
 * neither `then` nor `else` it does not keep what was evaluated.
 */
function withoutAjvBug(schema: Readonly<Record<string, unknown>>): unknown {
  const { contains, if: condition, ...rest } = schema;
  const keepsContains = contains !== undefined && rest['prefixItems'] === undefined;
  const keepsIf = condition !== undefined && ('then' in rest || 'else' in rest);
  return { ...rest, ...(keepsContains && { contains }), ...(keepsIf && { if: condition }) };
}

/**
 * Random schemas. References only lead to leaves, because ajv follows a loop until its stack ends;
 * `unevaluatedItems` is left to the suite, because ajv does not count what `contains` has evaluated.
 */
const { schema: anySchema } = fc.letrec<{ schema: unknown }>((tie) => {
  const child = tie('schema');
  const children = fc.array(child, { minLength: 1, maxLength: 3 });
  const leaf = someOf({
    type: fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(anyValue, { minLength: 1, maxLength: 4, comparator: sameJson }),
    const: anyValue,
    minimum: small,
    maximum: small,
    exclusiveMinimum: small,
    exclusiveMaximum: small,
    multipleOf: fc.integer({ min: 1, max: 3 }),
    minLength: length,
    maxLength: length,
    pattern,
    minItems: length,
    maxItems: length,
    uniqueItems: fc.boolean(),
    minProperties: length,
    maxProperties: length,
    required: fc.uniqueArray(name, { maxLength: 2 }),
    dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 })),
  });
  const node = someOf({
    allOf: children,
    anyOf: children,
    oneOf: children,
    not: child,
    if: child,
    then: child,
    else: child,
    prefixItems: children,
    items: child,
    contains: child,
    minContains: length,
    maxContains: length,
    properties: fc.dictionary(name, child, { maxKeys: 3 }),
    patternProperties: fc.dictionary(pattern, child, { maxKeys: 2 }),
    additionalProperties: child,
    propertyNames: child,
    dependentSchemas: fc.dictionary(name, child, { maxKeys: 2 }),
    unevaluatedProperties: child,
    $ref: fc.constantFrom('#/$defs/x', '#/$defs/y'),
  });
  return {
    schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), leaf, node),
  };
});

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** `undefined` where the code that ajv makes breaks: with `oneOf` it can miss its list of evaluated names, or its variable. */
function verdictOf(validate: (value: unknown) => unknown, value: unknown): boolean | undefined {
  try {
    return validate(plain(value)) === true;
  } catch (thrown) {
    if (thrown instanceof TypeError || thrown instanceof ReferenceError) return undefined;
    throw thrown;
  }
}

describe('#schema-dialect agreement with ajv', () => {
  test('random schemas judge random values as ajv does', () => {
    const ajv = new Ajv2020({ strict: false, logger: false });
    const verdicts = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(
        fc.tuple(anySchema, anySchema, anySchema),
        fc.array(anyValue, { minLength: 1, maxLength: 12 }),
        ([root, x, y], values) => {
          const schema = { $defs: { x: leafOnly(x), y: leafOnly(y) }, allOf: [root] };
          const theirs = ajv.compile(plain(schema));
          const ours = compileBounded(wire(schema), new Work(STEPS));
          for (const value of values) {
            const verdict = ours.validate(wire(value), new Work(STEPS)) === undefined;
            const expected = verdictOf(theirs, value);
            if (expected === undefined) continue;
            expect({ value, verdict }).toEqual({ value, verdict: expected });
            verdicts[verdict ? 'valid' : 'invalid'] += 1;
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(200);
  });
});

/** Takes the references out, so that the target of one never holds another. */
function leafOnly(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref"', '"$comment"')) as unknown;
}

/** As a message brings it. */
function wire(value: unknown): JsonValue {
  return readJson(encodeUtf8(JSON.stringify(value)));
}

/** As ajv needs it: it cannot compare objects without a prototype. */
function plain(value: unknown): object {
  return JSON.parse(JSON.stringify(value)) as object;
}
