// Proves what the official suite does not ask of the bounded validator: failures, refusals, numbers, names.

import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/codec/value.ts';
import { compileBounded } from '../../src/schema/bounded/validator.ts';
import { Work } from '../../src/schema/bounded/work.ts';
import { failureOf, isValid, refusalOf } from '../support/repository/bounded.ts';
import { parse } from '../support/wire/bytes.ts';

const STEPS = 100_000;

describe('#schema-errors the first failure', () => {
  test.each([
    ['{"type":"string"}', '1', 'type', '/type', '', ''],
    [
      '{"properties":{"a":{"minimum":3}}}',
      '{"a":1}',
      'minimum',
      '/properties/a/minimum',
      '/a',
      '/a',
    ],
    ['{"items":{"const":1}}', '[1,2]', 'const', '/items/const', '/1', '/1'],
    ['{"prefixItems":[true,{"enum":[]}]}', '[1,2]', 'enum', '/prefixItems/1/enum', '/1', '/1'],
    ['{"required":["a","b"]}', '{"a":1}', 'required', '/required', '/b', '/b'],
    ['{"minProperties":1}', '{}', 'minProperties', '/minProperties', '', ''],
    ['{"contains":{"type":"null"}}', '[1]', 'contains', '/contains', '', ''],
    ['{"contains":true,"minContains":2}', '[1]', 'minContains', '/minContains', '', ''],
    ['{"contains":true,"maxContains":0}', '[1]', 'maxContains', '/maxContains', '', ''],
    ['{"propertyNames":{"maxLength":1}}', '{"ab":1}', 'propertyNames', '/propertyNames', '', ''],
    ['{"anyOf":[{"type":"null"},false]}', '1', 'anyOf', '/anyOf', '', ''],
    ['{"oneOf":[true,true]}', '1', 'oneOf', '/oneOf', '', ''],
    ['{"not":{}}', '1', 'not', '/not', '', ''],
    ['{"if":true,"then":{"maximum":0}}', '1', 'maximum', '/then/maximum', '', ''],
    ['{"if":false,"else":{"maximum":0}}', '1', 'maximum', '/else/maximum', '', ''],
    [
      '{"$ref":"#/$defs/x","$defs":{"x":{"pattern":"a"}}}',
      '"b"',
      'pattern',
      '/$defs/x/pattern',
      '',
      '',
    ],
    [
      '{"dependentSchemas":{"a":{"required":["b"]}}}',
      '{"a":1}',
      'required',
      '/dependentSchemas/a/required',
      '/b',
      '/b',
    ],
    [
      '{"dependentRequired":{"a":["b"]}}',
      '{"a":1}',
      'dependentRequired',
      '/dependentRequired',
      '/b',
      '/b',
    ],
    ['{"uniqueItems":true}', '[1,1]', 'uniqueItems', '/uniqueItems', '', ''],
    [
      '{"allOf":[true,{"unevaluatedItems":{"type":"null"}}]}',
      '[1]',
      'type',
      '/allOf/1/unevaluatedItems/type',
      '/0',
      '/0',
    ],
    ['false', '1', 'false', '', '', ''],
    ['{"items":false}', '[1]', 'items', '/items', '/0', '/0'],
    [
      '{"properties":{"a/b":false}}',
      '{"a/b":1}',
      'properties',
      '/properties/a~1b',
      '/a~1b',
      '/a~1b',
    ],
    [
      '{"additionalProperties":false}',
      '{"a":1}',
      'additionalProperties',
      '/additionalProperties',
      '/a',
      '/*',
    ],
    [
      '{"unevaluatedProperties":false}',
      '{"a":1}',
      'unevaluatedProperties',
      '/unevaluatedProperties',
      '/a',
      '/*',
    ],
  ])('%s with %s fails by %s', (schema, value, keyword, schemaPath, instancePath, path) => {
    expect(failureOf(schema, value)).toEqual({ keyword, schemaPath, instancePath, path });
  });

  test('a name that the schema does not declare is hidden from the peer, an index is not', () => {
    const schema = '{"additionalProperties":{"items":{"additionalProperties":{"type":"null"}}}}';
    expect(failureOf(schema, '{"secret":[{},{"0":1}]}')).toMatchObject({
      instancePath: '/secret/1/0',
      path: '/*/1/*',
    });
  });

  test.each([
    '"properties":{"a":{}}',
    '"required":["a"]',
    '"dependentRequired":{"a":[]}',
    '"dependentRequired":{"x":["a"]}',
    '"dependentSchemas":{"a":true}',
    '"$defs":{"elsewhere":{"properties":{"a":{}}}}',
  ])('a name declared by {%s} is shown', (declaration) => {
    const schema = `{"patternProperties":{"^a$":{"type":"null"}},${declaration}}`;
    expect(failureOf(schema, '{"a":1}')).toMatchObject({ instancePath: '/a', path: '/a' });
  });

  test('a name that only a pattern matches or a definition bears is hidden', () => {
    const schema = '{"patternProperties":{"^a$":{"type":"null"}},"$defs":{"a":true}}';
    expect(failureOf(schema, '{"a":1}')).toMatchObject({ instancePath: '/a', path: '/*' });
  });

  test('a branch that was only tried leaves no trace in the path', () => {
    const schema =
      '{"properties":{"a":{"anyOf":[{"items":{"items":{"type":"null"}}},{"maxItems":9}]},"b":{"not":{"items":false}}}}';
    expect(failureOf(schema, '{"a":[[1]],"b":[]}')).toMatchObject({
      keyword: 'not',
      instancePath: '/b',
    });
  });

  test('what fails in the metaschema has its path behind the URI, and its own names are shown', () => {
    const schema = '{"$ref":"https://json-schema.org/draft/2020-12/schema"}';
    expect(failureOf(schema, '{"properties":{"secret":{"minLength":-1}}}')).toEqual({
      keyword: 'minimum',
      schemaPath:
        'https://json-schema.org/draft/2020-12/meta/validation#/$defs/nonNegativeInteger/minimum',
      instancePath: '/properties/secret/minLength',
      path: '/properties/*/minLength',
    });
  });

  test('one compiled schema serves any number of values, failures between them included', () => {
    const schema = compileBounded(parse('{"items":{"type":"integer"}}'), new Work(STEPS));
    const verdicts = ['[1]', '[1,"x"]', '[]', '["x"]'].map((value) =>
      schema.validate(parse(value), new Work(STEPS)),
    );
    expect(verdicts.map((failure) => failure?.instancePath)).toEqual([
      undefined,
      '/1',
      undefined,
      '/0',
    ]);
  });
});

describe('#schema-dialect schemas that are refused', () => {
  test.each([
    ['$schema', { $schema: 'http://json-schema.org/draft-07/schema#' }],
    ['$schema', { $schema: 7 }],
    ['$schema', { $defs: { x: { $id: 'urn:x', $schema: 'urn:other' } } }],
    ['$id', { $id: 1 }],
    ['$id', { $id: 'urn:x#fragment' }],
    ['$id', { $id: 'urn:x', $defs: { x: { $id: 'urn:x' } } }],
    ['$id', { $id: `urn:${'x'.repeat(3_000)}` }],
    ['$anchor', { $anchor: '1x' }],
    ['$anchor', { $anchor: 'x', $defs: { x: { $anchor: 'x' } } }],
    ['$dynamicAnchor', { $dynamicAnchor: ['x'] }],
    ['$dynamicAnchor', { $anchor: 'x', $defs: { x: { $dynamicAnchor: 'x' } } }],
    ['$ref', { $ref: 1 }],
    ['$dynamicRef', { $dynamicRef: {} }],
    ['$defs', { $defs: [] }],
    ['definitions', { definitions: true }],
    ['type', { type: 'foo' }],
    ['type', { type: 1 }],
    ['type', { type: [] }],
    ['type', { type: ['string', 'text'] }],
    ['enum', { enum: 1 }],
    ['minimum', { minimum: '1' }],
    ['maximum', { maximum: null }],
    ['exclusiveMinimum', { exclusiveMinimum: true }],
    ['exclusiveMaximum', { exclusiveMaximum: true }],
    ['multipleOf', { multipleOf: 0 }],
    ['multipleOf', { multipleOf: -1 }],
    ['minLength', { minLength: 'x' }],
    ['minLength', { minLength: -1 }],
    ['maxLength', { maxLength: 1.5 }],
    ['pattern', { pattern: 1 }],
    ['pattern', { pattern: '(a)\\1' }],
    ['minItems', { minItems: {} }],
    ['maxItems', { maxItems: '1' }],
    ['uniqueItems', { uniqueItems: 1 }],
    ['prefixItems', { prefixItems: {} }],
    ['prefixItems', { prefixItems: [] }],
    ['minContains', { minContains: -1 }],
    ['maxContains', { maxContains: null }],
    ['minProperties', { minProperties: [] }],
    ['maxProperties', { maxProperties: 0.5 }],
    ['required', { required: 'a' }],
    ['required', { required: ['a', 1] }],
    ['dependentRequired', { dependentRequired: { a: 'b' } }],
    ['dependentSchemas', { dependentSchemas: [] }],
    ['properties', { properties: [] }],
    ['patternProperties', { patternProperties: { '[': true } }],
    ['allOf', { allOf: [] }],
    ['anyOf', { anyOf: {} }],
    ['oneOf', { oneOf: true }],
    ['$comment', { $comment: 1 }],
    ['$vocabulary', { $vocabulary: [] }],
    ['$vocabulary', { $vocabulary: { 'urn:x': 1 } }],
    ['title', { title: 1 }],
    ['description', { description: null }],
    ['examples', { examples: {} }],
    ['deprecated', { deprecated: 'x' }],
    ['readOnly', { readOnly: 0 }],
    ['writeOnly', { writeOnly: [] }],
    ['format', { format: 5 }],
    ['contentEncoding', { contentEncoding: 5 }],
    ['contentMediaType', { contentMediaType: {} }],
    ['type', { contentSchema: { type: 'x' } }],
    ['required', { required: ['a', 'a'] }],
    ['dependentRequired', { dependentRequired: { x: ['a', 'b', 'a'] } }],
    ['type', { type: ['string', 'string'] }],
  ])('%s in %j', (keyword, schema) => {
    const refusal = refusalOf(schema);
    expect(refusal.code).toBe('SCHEMA_UNSUPPORTED');
    expect(refusal.details).toEqual({ keyword });
  });

  test.each([
    ['', null],
    ['', 'string'],
    ['/items', { items: [true] }],
    ['/not', { not: 1 }],
    ['/properties/a', { properties: { a: 'string' } }],
    ['/allOf/1', { allOf: [true, null] }],
    ['/if', { if: 'x' }],
    ['/contains', { contains: [] }],
    ['/propertyNames', { propertyNames: 'x' }],
    ['/additionalProperties', { additionalProperties: null }],
    ['/unevaluatedItems', { unevaluatedItems: 0 }],
    ['/unevaluatedProperties', { unevaluatedProperties: 0 }],
    ['/contentSchema', { contentSchema: 5 }],
  ])('a schema at "%s" that is none', (path, schema) => {
    const refusal = refusalOf(schema);
    expect(refusal.code).toBe('SCHEMA_UNSUPPORTED');
    expect(refusal.message).toContain(`"${path}"`);
  });

  test('the reason says where, but does not repeat a megabyte of names', () => {
    const refusal = refusalOf({ properties: { ['n'.repeat(10_000)]: { type: 'foo' } } });
    expect(refusal.message).toContain('"/properties/nnn');
    expect(refusal.message.length).toBeLessThan(500);
  });

  test.each([
    '{"format":"email","title":"t","description":"","contentSchema":{"type":"null"}}',
    '{"contentEncoding":"base64","contentMediaType":"text/plain","$vocabulary":{"urn:x":false}}',
    '{"dependencies":{"a":["b"]},"x-own":[],"Title":1}',
    '{"$schema":"https://json-schema.org/draft/2020-12/schema"}',
    '{"$schema":"https://json-schema.org/draft/2020-12/schema#"}',
    '{"$comment":"","default":1,"examples":[],"deprecated":true,"readOnly":true,"writeOnly":true}',
    '{"__proto__":{"type":"null"},"constructor":{"type":"null"}}',
  ])('annotations and unknown keywords are ignored: %s', (schema) => {
    expect(isValid(schema, '"no address"')).toBe(true);
  });
});

describe('#schema-numbers exact numbers in keywords', () => {
  test.each([
    ['{"type":"integer"}', '1.0', true],
    ['{"type":"integer"}', '1e2', true],
    ['{"type":"integer"}', '1.5', false],
    ['{"type":"integer"}', '12345678901234567890123', true],
    ['{"type":["integer","null"]}', '2.50', false],
    ['{"const":1}', '1.0', true],
    ['{"const":0}', '-0', true],
    ['{"const":{"a":[1,2]}}', '{"a":[1.0,20e-1]}', true],
    ['{"const":9007199254740993}', '9007199254740992', false],
    ['{"const":1}', '"1"', false],
    ['{"const":1}', 'true', false],
    ['{"const":[]}', '{}', false],
    ['{"const":null}', 'false', false],
    ['{"enum":[1.0,"a"]}', '1', true],
    ['{"enum":[{"b":2,"a":1}]}', '{"a":1,"b":2}', true],
    ['{"enum":[["a","b"]]}', '["a,b"]', false],
    ['{"enum":[{"a":{"b":1}}]}', '{"a":{},"b":1}', false],
    ['{"uniqueItems":true}', '[1,1.0]', false],
    ['{"uniqueItems":true}', '[0,-0.0]', false],
    ['{"uniqueItems":true}', '[{"a":1,"b":[1]},{"b":[1.0],"a":1}]', false],
    ['{"uniqueItems":true}', '["1",1,true,null,[1],["1"],{"1":1},[[1]]]', true],
    ['{"uniqueItems":true}', '[9007199254740993,9007199254740992]', true],
    ['{"multipleOf":0.0001}', '0.0075', true],
    ['{"multipleOf":0.1}', '0.30000000000000004', false],
    ['{"multipleOf":0.1}', '0.3', true],
    ['{"multipleOf":0.123456789}', '1e308', false],
    ['{"maximum":18446744073709551615}', '18446744073709551616', false],
    ['{"maximum":18446744073709551615}', '18446744073709551615.0', true],
    ['{"minimum":1.0}', '1', true],
    ['{"exclusiveMinimum":0.1}', '0.10000000000000000001', true],
    ['{"exclusiveMaximum":1e3}', '1000.0', false],
    ['{"minLength":2.0}', '"ab"', true],
    ['{"maxItems":1e2}', '[1]', true],
  ])('%s with %s: %s', (schema, value, verdict) => {
    expect(isValid(schema, value)).toBe(verdict);
  });

  test('a count beyond every double is a count that nothing reaches', () => {
    const count = '9'.repeat(400);
    expect(isValid(`{"minLength":${count}}`, '"ab"')).toBe(false);
    expect(isValid(`{"maxLength":${count}}`, '"ab"')).toBe(true);
  });
});

describe('#schema-dialect text and names', () => {
  test.each([
    ['{"maxLength":1}', '"😀"', true],
    ['{"minLength":2}', '"😀"', false],
    ['{"minLength":2,"maxLength":2}', '"😀é"', true],
    ['{"maxLength":3}', '"😀😀😀😀"', false],
    ['{"pattern":"^.$"}', '"😀"', true],
  ])('%s counts code points of %s: %s', (schema, value, verdict) => {
    expect(isValid(schema, value)).toBe(verdict);
  });

  test.each([
    ['{"required":["__proto__"]}', '{}', false],
    ['{"required":["toString","constructor"]}', '{}', false],
    ['{"required":["__proto__"]}', '{"__proto__":1}', true],
    ['{"properties":{"__proto__":{"type":"null"}}}', '{"__proto__":1}', false],
    ['{"properties":{"constructor":{"type":"null"}}}', '{}', true],
    ['{"additionalProperties":false,"properties":{"a":true}}', '{"__proto__":1}', false],
    ['{"properties":{"1":{"type":"null"}}}', '{"1":1}', false],
    ['{"dependentRequired":{"hasOwnProperty":["a"]}}', '{}', true],
    ['{"const":{"__proto__":1}}', '{}', false],
    ['{"enum":[{"__proto__":{"a":1}}]}', '{"__proto__":{"a":1.0}}', true],
    ['{"patternProperties":{"^__":{"type":"null"}}}', '{"__proto__":1}', false],
    ['{"unevaluatedProperties":false,"properties":{"__proto__":true}}', '{"__proto__":1}', true],
  ])('%s with %s: %s', (schema, value, verdict) => {
    expect(isValid(schema, value)).toBe(verdict);
  });

  test('members that an object inherits are not its own', () => {
    const schema = compileBounded({ required: ['toString'] }, new Work(STEPS));
    expect(schema.validate({ a: 1 }, new Work(STEPS))?.keyword).toBe('required');
  });

  test('what JSON does not have is a mistake of the caller', () => {
    const schema = compileBounded({ items: { type: 'null' } }, new Work(STEPS));
    const holes = [undefined] as unknown as JsonValue;
    expect(() => schema.validate(holes, new Work(STEPS))).toThrow(TypeError);
  });
});
