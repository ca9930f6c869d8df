// Proves how a patch is applied: RFC 6902 to the letter, over lossless values, all or nothing.

import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { applyPatch } from '../../src/state/apply-patch.ts';
import { frozen, json, refusal, refusedPatch, text } from '../support/wire/state.ts';

function patched(document: string, patch: string): string {
  return text(applyPatch(frozen(json(document)), frozen(json(patch))));
}

describe('#state applying a patch', () => {
  test.each([
    ['a member called __proto__', '{"__proto__":{"a":1}}', '/__proto__/a', '{"__proto__":{"a":2}}'],
    ['a member called constructor', '{"constructor":1}', '/constructor', '{"constructor":2}'],
    ['a member with an empty name', '{"":{"":1}}', '//', '{"":{"":2}}'],
    ['a member named like an index', '{"0":1,"00":1}', '/00', '{"0":1,"00":2}'],
    ['a member called -', '{"-":1}', '/-', '{"-":2}'],
    ['a member with / and ~', '{"a/b~1":1}', '/a~1b~01', '{"a/b~1":2}'],
    ['an element', '[1,[1,1]]', '/1/0', '[1,[2,1]]'],
  ])('replaces %s', (_what, document, path, expected) => {
    expect(patched(document, `[{"op":"replace","path":"${path}","value":2}]`)).toBe(expected);
  });

  test('adds, copies, moves and removes __proto__ as an own member and nothing else', () => {
    const result = applyPatch(
      frozen({ list: [] }),
      json(
        `[{"op":"add","path":"/__proto__","value":{"polluted":true}},
          {"op":"copy","from":"/__proto__","path":"/constructor"},
          {"op":"move","from":"/__proto__","path":"/list/-"},
          {"op":"copy","from":"/constructor","path":"/__proto__"},
          {"op":"remove","path":"/__proto__/polluted"}]`,
      ),
    );
    expect(text(result)).toBe(
      '{"__proto__":{},"constructor":{"polluted":true},"list":[{"polluted":true}]}',
    );
    expect(Object.getPrototypeOf(result)).toBeNull();
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test.each(['__proto__', 'constructor', 'toString', 'length'])(
    'does not find an inherited %s',
    (name) => {
      for (const document of [{}, [], 'text'] as const) {
        refusedPatch(document, [{ op: 'copy', from: `/${name}`, path: '' }]);
        refusedPatch(document, [{ op: 'add', path: `/${name}/x`, value: 1 }]);
      }
    },
  );

  test.each(['/00', '/01', '/+1', '/-1', '/1e0', '/1.0', '/ 1', '/', '/٣', '/-', '/2', '/a'])(
    'finds no element at %s',
    (path) => {
      const document = frozen(['a', 'b']);
      refusedPatch(document, [{ op: 'test', path, value: 'b' }]);
      refusedPatch(document, [{ op: 'replace', path, value: 'c' }]);
      refusedPatch(document, [{ op: 'remove', path }]);
      refusedPatch(document, [{ op: 'copy', from: path, path: '/0' }]);
    },
  );

  test('adds at the end by - and by length, and not beyond', () => {
    expect(patched('[1]', '[{"op":"add","path":"/-","value":2}]')).toBe('[1,2]');
    expect(patched('[1]', '[{"op":"add","path":"/1","value":2}]')).toBe('[1,2]');
    expect(patched('[1]', '[{"op":"add","path":"/0","value":2}]')).toBe('[2,1]');
    for (const path of ['/2', '/00', '/-1', '/-/0', '/9007199254740993']) {
      refusedPatch(frozen([1]), [{ op: 'add', path, value: 2 }]);
    }
  });

  test('takes a scalar, an array or an object as the whole document', () => {
    expect(patched('"foo"', '[{"op":"replace","path":"","value":"bar"}]')).toBe('"bar"');
    expect(patched('1', '[{"op":"add","path":"","value":{"a":1}}]')).toBe('{"a":1}');
    expect(patched('{"a":[1]}', '[{"op":"move","from":"/a","path":""}]')).toBe('[1]');
    expect(patched('{"a":[1]}', '[{"op":"copy","from":"","path":"/a/0"}]')).toBe(
      '{"a":[{"a":[1]},1]}',
    );
    expect(patched('{"foo":1}', '[{"op":"test","path":"","value":{"foo":1}}]')).toBe('{"foo":1}');
    refusedPatch(1, [{ op: 'remove', path: '' }]);
  });

  test('keeps numbers as they are written', () => {
    expect(
      text(
        applyPatch(
          json('{"a":1.0,"b":123456789012345678901234567890}'),
          json('[{"op":"copy","from":"/b","path":"/c"},{"op":"add","path":"/d","value":-0.0}]'),
        ),
      ),
    ).toBe(
      '{"a":1.0,"b":123456789012345678901234567890,"c":123456789012345678901234567890,"d":-0.0}',
    );
  });

  test.each([
    ['1', '1.0'],
    ['100', '1E2'],
    ['0', '-0'],
    ['123456789012345678901234567890', '1234567890123456789012345678.90e2'],
    ['{"a":1,"b":[null,true,"x"]}', '{"b":[null,true,"x"],"a":10e-1}'],
    ['{"__proto__":{}}', '{"__proto__":{}}'],
  ])('tests %s and %s as equal', (held, given) => {
    expect(patched(`[${held}]`, `[{"op":"test","path":"/0","value":${given}}]`)).toBe(
      text(json(`[${held}]`)),
    );
  });

  test.each([
    ['9007199254740993', '9007199254740992.0'],
    ['0.1', '0.1000000000000000055511151231257827'],
    ['1', '"1"'],
    ['1', 'true'],
    ['0', 'null'],
    ['""', 'null'],
    ['[]', '{}'],
    ['{}', '[]'],
    ['{}', 'null'],
    ['1.0', '{}'],
    ['{"lexeme":"1.0"}', '1.0'],
    ['[1]', '[1,2]'],
    ['[1,2]', '[1]'],
    ['[1,2]', '[2,1]'],
    ['{"a":1}', '{"a":1,"b":2}'],
    ['{"a":1,"b":2}', '{"a":1}'],
    ['{"a":1}', '{"b":1}'],
    ['{"a":{}}', '{"__proto__":{}}'],
  ])('tests %s and %s as different', (held, given) => {
    refusedPatch(frozen(json(`[${held}]`)), json(`[{"op":"test","path":"/0","value":${given}}]`));
  });

  test.each([
    ['a patch that is no array', '{"op":"add","path":"/a","value":1}'],
    ['an operation that is no object', '[["op","add"]]'],
    ['an operation that is null', '[null]'],
    ['an operation without "op"', '[{"path":"/a","value":1}]'],
    ['an unknown "op"', '[{"op":"Add","path":"/a","value":1}]'],
    ['an "op" that every object inherits', '[{"op":"toString","path":"/a","value":1}]'],
    ['a missing "path"', '[{"op":"add","value":1}]'],
    ['a "path" that is no string', '[{"op":"add","path":["a"],"value":1}]'],
    ['a "path" that is null', '[{"op":"add","path":null,"value":1}]'],
    ['a "path" without a slash', '[{"op":"add","path":"a","value":1}]'],
    ['a "path" in fragment form', '[{"op":"add","path":"#/a","value":1}]'],
    ['the escape ~2', '[{"op":"add","path":"/~2","value":1}]'],
    ['a ~ at the end', '[{"op":"add","path":"/a~","value":1}]'],
    ['a ~ at the end of a token', '[{"op":"add","path":"/~/a","value":1}]'],
    ['an add without "value"', '[{"op":"add","path":"/a"}]'],
    ['a replace without "value"', '[{"op":"replace","path":"/a"}]'],
    ['a test without "value"', '[{"op":"test","path":"/a"}]'],
    ['a move without "from"', '[{"op":"move","path":"/b"}]'],
    ['a copy without "from"', '[{"op":"copy","path":"/b"}]'],
    ['a bad escape in "from"', '[{"op":"copy","from":"/~2","path":"/b"}]'],
    ['a replace of what is not there', '[{"op":"replace","path":"/b","value":1}]'],
    ['a remove of what is not there', '[{"op":"remove","path":"/b"}]'],
    ['an add below what is not there', '[{"op":"add","path":"/b/c","value":1}]'],
    ['an add below a string', '[{"op":"add","path":"/a/c","value":1}]'],
    ['an add below null', '[{"op":"add","path":"/n/c","value":1}]'],
    ['an add below a number', '[{"op":"add","path":"/x/lexeme","value":1}]'],
    ['a test below a number', '[{"op":"test","path":"/x/lexeme","value":"1.0"}]'],
    ['a move into the own child', '[{"op":"move","from":"/o","path":"/o/p/q"}]'],
    ['a move of the document into itself', '[{"op":"move","from":"","path":"/b"}]'],
    ['a move from nowhere to the same place', '[{"op":"move","from":"/b","path":"/b"}]'],
  ])('refuses %s', (_what, patch) => {
    refusedPatch(frozen(json('{"a":"text","n":null,"x":1.0,"o":{"p":{}}}')), json(patch));
  });

  test('a move to the same place changes nothing, and a like-named sibling is no child', () => {
    expect(patched('[1,2]', '[{"op":"move","from":"/0","path":"/0"}]')).toBe('[1,2]');
    expect(patched('{"a":1}', '[{"op":"move","from":"","path":""}]')).toBe('{"a":1}');
    expect(patched('{"a":1,"ab":{}}', '[{"op":"move","from":"/a","path":"/ab/c"}]')).toBe(
      '{"ab":{"c":1}}',
    );
  });

  test('a move to a parent takes its place', () => {
    expect(patched('{"a":{"b":[1]}}', '[{"op":"move","from":"/a/b","path":"/a"}]')).toBe(
      '{"a":[1]}',
    );
  });

  test('members that an operation does not use are ignored', () => {
    expect(
      patched('{"a":1}', '[{"op":"remove","path":"/a","from":7,"value":2,"__proto__":{"op":1}}]'),
    ).toBe('{}');
  });

  test('an inherited member does not complete an operation', () => {
    const operation = Object.assign(Object.create({ value: 1 }) as object, {
      op: 'add',
      path: '/a',
    }) as unknown as JsonValue;
    refusedPatch({}, [operation]);
  });

  test('one failing operation undoes those before it', () => {
    const document = json('{"list":[1],"object":{"a":{"b":1}}}');
    const reason = refusedPatch(
      document,
      json(
        `[{"op":"add","path":"/list/-","value":2},
          {"op":"replace","path":"/object/a/b","value":2},
          {"op":"remove","path":"/object"},
          {"op":"test","path":"/list/0","value":2}]`,
      ),
    );
    expect(reason).toContain('operation 3: ');
  });

  test('the refusal names the operation and no value of the document', () => {
    const error = refusal(() =>
      applyPatch({ secret: 'hidden' }, [
        { op: 'test', path: '', value: { secret: 'hidden' } },
        { op: 'test', path: '/secret', value: 'guess' },
      ]),
    );
    expect(error.details).toEqual({ operation: 1 });
    expect(error.message).not.toMatch(/secret|hidden|guess/);
  });

  test('neither the document nor the patch is changed, and what is untouched is shared', () => {
    const document = frozen({ changed: { a: 1 }, kept: { b: 1 } });
    const value = frozen({ c: [1] });
    const result = applyPatch(
      document,
      frozen([
        { op: 'add', path: '/changed/new', value },
        { op: 'add', path: '/changed/new/c/-', value: 2 },
        { op: 'remove', path: '/changed/a' },
      ]),
    ) as JsonObject;
    expect(text(result)).toBe('{"changed":{"new":{"c":[1,2]}},"kept":{"b":1}}');
    expect(result['kept']).toBe(document.kept);
  });

  test('a copy and its original change apart, at every depth', () => {
    expect(
      patched(
        '{"a":{"b":[1]}}',
        `[{"op":"add","path":"/a/b/-","value":2},
          {"op":"copy","from":"/a","path":"/c"},
          {"op":"add","path":"/a/b/-","value":3},
          {"op":"add","path":"/c/b/-","value":4},
          {"op":"copy","from":"/c","path":"/c/d"},
          {"op":"remove","path":"/c/b/0"}]`,
      ),
    ).toBe('{"a":{"b":[1,2,3]},"c":{"b":[2,4],"d":{"b":[1,2,4]}}}');
  });

  test('an empty patch gives the same document', () => {
    const document = frozen(json('{"a":[1.0]}'));
    expect(applyPatch(document, [])).toBe(document);
  });
});
