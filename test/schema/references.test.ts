// Proves how references are resolved, that what they need is at hand or refused, and that nothing is fetched.

import { afterEach, describe, expect, test, vi } from 'vitest';
import { resolveUri } from '../../src/schema/bounded/uri.ts';
import { isValid, refusalOf } from '../support/repository/bounded.ts';

describe('#schema-no-fetch references', () => {
  afterEach(() => void vi.unstubAllGlobals());

  test.each([
    { $ref: 'http://localhost:1234/integer.json' },
    { $ref: 'other.json' },
    { $ref: '//example.org/x' },
    { $ref: '#missing' },
    { $ref: '#/$defs/missing' },
    { $ref: '#/$defs/x/type', $defs: { x: { type: 'string' } } },
    { $ref: '#/allOf/00', allOf: [true] },
    { $ref: '#/allOf/-', allOf: [true] },
    { $ref: '#/constructor' },
    { $ref: '#%zz' },
    { $ref: '#/%E0%A4' },
    { $ref: `urn:${'x'.repeat(3_000)}` },
    { $id: 'urn:a', $ref: 'urn:b' },
    { $ref: 'https://json-schema.org/draft/2020-12/meta/other' },
    { $ref: 'https://json-schema.org/draft/2019-09/schema' },
  ])('%j leads nowhere, is refused and never fetched', (schema) => {
    const fetch = vi.fn();
    vi.stubGlobal('fetch', fetch);
    const refusal = refusalOf(schema);
    expect([refusal.code, refusal.details]).toEqual(['SCHEMA_UNSUPPORTED', { keyword: '$ref' }]);
    expect(fetch).not.toHaveBeenCalled();
  });

  test('$dynamicRef is held to the same', () => {
    expect(refusalOf({ $dynamicRef: 'http://example.org/#x' }).details).toEqual({
      keyword: '$dynamicRef',
    });
  });

  test.each([
    ['{"$ref":"#/definitions/x","definitions":{"x":{"type":"null"}}}'],
    ['{"$ref":"#x","definitions":{"x":{"$anchor":"x","type":"null"}}}'],
    ['{"$ref":"#/components/schemas/x","components":{"schemas":{"x":{"type":"null"}}}}'],
    ['{"$id":"root.json","$ref":"root.json#/$defs/x","$defs":{"x":{"type":"null"}}}'],
    ['{"$id":"dir/root.json","$ref":"../dir/x","$defs":{"x":{"$id":"x","type":"null"}}}'],
    ['{"$ref":"urn:x","$defs":{"x":{"$id":"urn:x","type":"null"}}}'],
    ['{"$ref":"#/$defs/a~1b~0%20c","$defs":{"a/b~ c":{"type":"null"}}}'],
    ['{"$ref":"#/$defs/__proto__","$defs":{"__proto__":{"type":"null"}}}'],
    ['{"$ref":"#/$defs/x/$defs/y","$defs":{"x":{"$id":"urn:x","$defs":{"y":{"type":"null"}}}}}'],
    ['{"$ref":"#/extra/0/not","extra":[{"not":{"type":"null"},"type":"ignored"}]}'],
  ])('%s finds its target', (schema) => {
    expect(isValid(schema, '1')).toBe(false);
  });

  test.each([
    ['{"type":"object","properties":{"a":{"minLength":2}}}', true],
    ['{"minLength":-1}', false],
    ['{"properties":{"a":{"allOf":[{"type":"strin"}]}}}', false],
    ['{"$anchor":"no anchor"}', false],
    ['true', true],
    ['1', false],
  ])('the metaschema is at hand and judges %s', (value, verdict) => {
    const schema = '{"$ref":"https://json-schema.org/draft/2020-12/schema"}';
    expect(isValid(schema, value)).toBe(verdict);
  });

  test('the dynamic scope reaches into the metaschema', () => {
    const schema = `{
      "$id": "urn:strict", "$dynamicAnchor": "meta",
      "$ref": "https://json-schema.org/draft/2020-12/schema",
      "properties": {"title": {"minLength": 3}}
    }`;
    expect(isValid(schema, '{"items":{"not":{"title":"abc"}}}')).toBe(true);
    expect(isValid(schema, '{"items":{"not":{"title":"ab"}}}')).toBe(false);
  });

  test.each([
    ['x', 'http://h/a/b', 'http://h/a/x'],
    ['./x/', 'http://h/a/b', 'http://h/a/x/'],
    ['../x', 'http://h/a/b/c', 'http://h/a/x'],
    ['../../../x', 'http://h/a/b', 'http://h/x'],
    ['/x?q', 'http://h/a/b?old', 'http://h/x?q'],
    ['?q', 'http://h/a/b?old', 'http://h/a/b?q'],
    ['', 'http://h/a/b?old', 'http://h/a/b?old'],
    ['//other/x/../y', 'http://h/a', 'http://other/y'],
    ['urn:a:b', 'http://h/a', 'urn:a:b'],
    ['x', 'http://h', 'http://h/x'],
    ['.', 'http://h/a/b', 'http://h/a/'],
    ['..', 'http://h/a/b/c', 'http://h/a/'],
    ['x:y', '', 'x:y'],
    ['a/./b', '', 'a/b'],
    ['b', 'a', 'b'],
    ['b', 'dir/a', 'dir/b'],
    ['x\\y', 'http://H/a', 'http://H/x\\y'],
  ])('%s seen from %s is %s', (reference, base, target) => {
    expect(resolveUri(reference, base)).toBe(target);
  });
});
