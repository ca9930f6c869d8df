// The strict JSON reader against its rules and the JSON parsing test suite.

import { describe, expect, test } from 'vitest';

import { readCbor } from '../../src/codec/cbor/read.ts';
import { readJson } from '../../src/codec/json/read.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import { DEFAULT_LIMITS, resolveLimits } from '../../src/limits.ts';
import { codeOf, errorOf, parse, utf8 } from '../support/wire/bytes.ts';
import { specTable } from '../support/repository/spec.ts';
import { hasVectors, vectorBytes, vectorFiles } from '../support/repository/vectors.ts';

describe.skipIf(!hasVectors)('#json #json-verdicts the JSON parsing test suite', () => {
  const files = vectorFiles('JSONTestSuite/test_parsing');
  const verdict = (name: string): 'read' | 'refused' =>
    codeOf(() => readJson(vectorBytes(`JSONTestSuite/test_parsing/${name}`))) === undefined
      ? 'read'
      : 'refused';
  const written = new Map(specTable('json-verdicts').map(([name, is]) => [name!, is!]));

  test('reads 93 of the 95 files that every reader must read, the other two are refused on purpose', () => {
    const valid = files.filter((name) => name.startsWith('y_'));
    const refused = valid.filter((name) => verdict(name) === 'refused');
    expect(valid.length - refused.length).toBe(93);
    expect(refused).toEqual([
      'y_object_duplicated_key.json',
      'y_object_duplicated_key_and_value.json',
    ]);
    for (const name of refused) expect(written.get(name)).toBe('refused');
  });

  test('refuses all 188 files that no reader may read', () => {
    const invalid = files.filter((name) => name.startsWith('n_'));
    expect(invalid).toHaveLength(188);
    expect(invalid.filter((name) => verdict(name) === 'read')).toEqual([]);
  });

  const open = files.filter((name) => name.startsWith('i_'));
  test('has a written verdict for each of the 35 open files and no other', () => {
    expect(open).toHaveLength(35);
    expect([...written.keys()].filter((name) => name.startsWith('i_')).sort()).toEqual(open);
  });
  test.each(open)('%s gets the verdict that is written down', (name) => {
    expect(verdict(name)).toBe(written.get(name));
  });

  test('keeps every number of the transform files exactly', () => {
    for (const name of vectorFiles('JSONTestSuite/test_transform')) {
      const lexeme = /^number_(.+)\.json$/.exec(name)?.[1];
      if (lexeme === undefined || lexeme === '1e-999') continue;
      const [value] = readJson(vectorBytes(`JSONTestSuite/test_transform/${name}`)) as [unknown];
      expect(String(value).toLowerCase()).toBe(lexeme);
    }
  });
});

describe('#values-numbers numbers', () => {
  test.each(['1.0', '-0', '1E2', '1e-07', '1e21', '0.10', '9007199254740992', '-9007199254740993'])(
    '%s keeps its lexeme',
    (lexeme) => {
      expect(parse(lexeme)).toEqual(new LosslessNumber(lexeme));
    },
  );

  test.each([
    ['0', 0],
    ['-1', -1],
    ['0.1', 0.1],
    ['1e-7', 1e-7],
    ['1e+21', 1e21],
    ['-0.0', -0],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['0.000001', 0.000001],
    ['123456789.123456', 123456789.123456],
  ])('%s is a plain number', (lexeme, value) => {
    expect(parse(lexeme)).toBe(value);
  });

  test.each(['01', '1.', '.5', '+1', '1e', '0x1', '--1', '1_0', 'NaN', 'Infinity', '- 1', '1.e1'])(
    '%s is malformed',
    (lexeme) => {
      expect(codeOf(() => parse(lexeme))).toBe('ENCODING_INVALID');
    },
  );
});

describe('#json-range floats outside the range of a double', () => {
  test.each(['1e400', '-1e400', '1e-400', '0.1e-99999999999', '1.0e309'])(
    '%s is refused',
    (text) => {
      expect(codeOf(() => parse(text))).toBe('LIMIT_NUMBER');
    },
  );
  test.each(['0e999999999', '0.0e-999', '5e-324', `1${'0'.repeat(400)}`])('%s is read', (text) => {
    expect(codeOf(() => parse(text))).toBeUndefined();
  });
});

describe('#json-duplicate W29 a member that occurs twice', () => {
  test.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"a":[{"b":1,"c":2,"b":3}]}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":1.0,"a":2}',
    '{"":0,"":0}',
  ])('%s is refused', (text) => {
    expect(codeOf(() => parse(text))).toBe('ENCODING_INVALID');
  });
  test('is accepted in two different objects', () => {
    expect(parse('[{"a":1},{"a":{"a":2}}]')).toHaveLength(2);
  });
});

describe('#values-names W30 member names are data', () => {
  test('__proto__, constructor and toString are own members of an object that inherits nothing', () => {
    for (const number of ['1', '1.0']) {
      const object = parse(`{"__proto__":{"polluted":${number}},"constructor":1,"toString":2}`);
      expect(Object.keys(object as object)).toEqual(['__proto__', 'constructor', 'toString']);
      expect(Object.getPrototypeOf(object)).toBeNull();
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    }
  });
  test('names that look like numbers and the empty name are kept', () => {
    expect(Object.keys(parse('{"b":1,"":2,"10":3,"2":4}') as object).sort()).toEqual(
      ['', '10', '2', 'b'].sort(),
    );
  });
});

describe('#json-surrogate W33 surrogates', () => {
  test.each([
    '"\\ud800"',
    '"\\udc00"',
    '"\\ud800\\ud800"',
    '"\\ud83dx"',
    '{"\\udfff":1}',
    '"\\uDEAD"',
  ])('%s is refused', (text) => {
    expect(codeOf(() => parse(text))).toBe('ENCODING_INVALID');
  });
  test('a whole pair is one character, an escaped NUL is a character', () => {
    expect(parse('"\\ud83d\\ude00\\u0000"')).toBe('😀\u0000');
  });
});

describe('#json #cbor what is not bytes', () => {
  test.each([new ArrayBuffer(2), new DataView(new ArrayBuffer(2)), '{}', null, [0x7b, 0x7d]])(
    'is refused with what to do instead (%#)',
    (input) => {
      for (const read of [readJson, readCbor]) {
        expect(() => read(input as unknown as Uint8Array)).toThrow(/"bytes" expected a Uint8Array/);
      }
    },
  );
  test('a Buffer is bytes', () => {
    expect(readJson(Buffer.from('{}'))).toEqual({});
  });
});

describe('#json malformed text', () => {
  test.each([
    ['', 0],
    ['[1,]', 3],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ['[1] x', 4],
    ['"a\nb"', 2],
    ['"\\x"', 1],
    ['"\\u12g4"', 3],
    ['"abc', 4],
    ['\ufeff{}', 0],
    ['[1 2]', 3],
    ['nul', 0],
    ['{1:2}', 1],
  ])('%j is refused at character %i', (text, at) => {
    const error = errorOf(() => parse(text));
    expect(error?.code).toBe('ENCODING_INVALID');
    expect(error?.details['at']).toBe(at);
  });
  test.each([[[0xff]], [[0x22, 0xc0, 0x80, 0x22]], [[0x22, 0xed, 0xa0, 0x80, 0x22]]])(
    'bytes %j are not UTF-8',
    (bytes) => {
      expect(codeOf(() => readJson(Uint8Array.from(bytes)))).toBe('ENCODING_INVALID');
    },
  );
});

describe('#limits W42 what is too much is refused while reading', () => {
  const small = resolveLimits({
    maxBytes: 200,
    maxDepth: 3,
    maxArrayLength: 4,
    maxMembers: 2,
    maxValues: 10,
    maxStringBytes: 8,
    maxNumberLength: 5,
  });
  // Each input once as it is (fast path) and once beside a number that only the strict reader takes.
  const both = (text: string): string[] => [text, `{"s":-0,"d":${text}}`];
  const cases: [string, string, string | undefined][] = [
    ['[[]]', '[[[[]]]]', 'LIMIT_DEPTH'],
    ['[1,2,3,4]', '[1,2,3,4,5]', 'LIMIT_ARRAY'],
    ['{"a":1,"b":2}', '{"a":1,"b":2,"c":3}', 'LIMIT_MEMBERS'],
    ['[[0,0,0],[0,0]]', '[[0,0,0,0],[0,0,0,0]]', 'LIMIT_VALUES'],
    ['"12345678"', '"123456789"', 'LIMIT_STRING'],
    ['"éééé"', '"ééééé"', 'LIMIT_STRING'],
    ['"😀😀"', '"😀😀a"', 'LIMIT_STRING'],
    ['"\\n\\n\\n\\n"', '"\\n\\n\\n\\n\\n"', 'LIMIT_STRING'],
    ['{"12345678":1}', '{"123456789":1}', 'LIMIT_STRING'],
    ['12345', '123456', 'LIMIT_NUMBER'],
  ];
  test.each(cases)('%s is read, %s is %s', (fits, exceeds, code) => {
    for (const text of both(fits))
      expect(codeOf(() => readJson(utf8(text), small))).toBeUndefined();
    for (const text of both(exceeds)) {
      const error = errorOf(() => readJson(utf8(text), small));
      expect(error?.code).toBe(code);
      expect(error?.details['limit']).toBeGreaterThan(0);
    }
  });
  test('more bytes than allowed are not looked at', () => {
    expect(codeOf(() => readJson(new Uint8Array(201), small))).toBe('LIMIT_BYTES');
    expect(codeOf(() => readJson(new Uint8Array(DEFAULT_LIMITS.maxBytes + 1)))).toBe('LIMIT_BYTES');
  });
  test('empty containers are fine where nothing may be in them', () => {
    const none = resolveLimits({ maxArrayLength: 0, maxMembers: 0 });
    expect(codeOf(() => readJson(utf8('[]'), none))).toBeUndefined();
    expect(codeOf(() => readJson(utf8('{}'), none))).toBeUndefined();
    expect(codeOf(() => readJson(utf8('[0]'), none))).toBe('LIMIT_ARRAY');
    expect(codeOf(() => readJson(utf8('{"a":0}'), none))).toBe('LIMIT_MEMBERS');
  });
  test('a part of the limits leaves the others in force', () => {
    expect(codeOf(() => readJson(utf8('['.repeat(100)), { maxBytes: 1_000 }))).toBe('LIMIT_DEPTH');
    const limits = resolveLimits({ maxDepth: 2 });
    expect(resolveLimits(limits)).toBe(limits);
  });
  test('limits are checked when they are set', () => {
    expect(() => resolveLimits({ maxDepth: -1 })).toThrow(RangeError);
    expect(() => resolveLimits({ maxDepth: 100_000 })).toThrow(/limits\.maxDepth/);
    expect(() => resolveLimits({ maxFoo: 1 } as object)).toThrow(/limits\.maxFoo/);
  });
});
