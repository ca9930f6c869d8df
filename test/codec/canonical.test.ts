// The JSON forms of a value: wire, RFC 8785 and Python-JSON.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { writeJcs } from '../../src/codec/canonical-jcs.ts';
import { writePythonJson } from '../../src/codec/canonical-python.ts';
import { explainForms } from '../../src/codec/explain.ts';
import { readJson } from '../../src/codec/json/read.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import { compareCodePoints } from '../../src/codec/name-order.ts';
import type { JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber, numberFromBigInt } from '../../src/codec/value.ts';
import { sha256, toHex } from '../../src/crypto/sha256.ts';
import { contentHash } from '../../src/schema/content-hash.ts';
import { jsonValue } from '../support/wire/arbitraries.ts';
import { codeOf, parse, textOf } from '../support/wire/bytes.ts';
import { hasVectors, vectorBytes, vectorFiles } from '../support/repository/vectors.ts';

const jcs = (text: string): string => textOf(writeJcs(parse(text)));
const python = (text: string): string => textOf(writePythonJson(parse(text)));

describe.skipIf(!hasVectors)('#jcs the RFC 8785 vectors', () => {
  const files = vectorFiles('jcs/testdata/input');
  test('are six', () => expect(files).toHaveLength(6));
  test.each(files)('%s is written as expected, byte for byte', (name) => {
    const written = writeJcs(readJson(vectorBytes(`jcs/testdata/input/${name}`)));
    expect(textOf(written)).toBe(textOf(vectorBytes(`jcs/testdata/output/${name}`)));
    const hex = textOf(vectorBytes(`jcs/testdata/outhex/${name.replace('.json', '.txt')}`));
    expect([...written].map((byte) => byte.toString(16).padStart(2, '0'))).toEqual(
      hex.trim().split(/\s+/),
    );
  });
});

describe('#jcs-exact W27 JCS never rounds', () => {
  test.each([
    ['1.0', '1'],
    ['-0', '0'],
    ['-0.0', '0'],
    ['1E2', '100'],
    ['1e21', '1e+21'],
    ['1E30', '1e+30'],
    ['333333333.33333329', '333333333.3333333'],
    ['9007199254740991', '9007199254740991'],
    ['0.10000000000000000000000', '0.1'],
    ['0e99', '0'],
  ])('%s is written %s', (lexeme, expected) => {
    expect(jcs(`[${lexeme}]`)).toBe(`[${expected}]`);
  });

  test.each([
    '9007199254740992',
    '-9007199254740993',
    '1152921504606846977',
    '9007199254740993.0',
    '1e16',
    '1e20',
    '100000000000000000000',
    '1000000000000000000001',
    '1000000000000000000000',
    '-12345678901234567890123',
    '9'.repeat(400),
    '1.000000000000000005',
    '0.1000000000000000055511151231257827',
  ])('%s is refused', (lexeme) => {
    expect(codeOf(() => jcs(`{"x":[0,${lexeme}]}`))).toBe('NUMBER_INEXACT');
  });

  test('names the place of the number, not its value', () => {
    expect(() => jcs('{"a/b":[9007199254740993]}')).toThrow('"/a~1b/0"');
    expect(() => jcs('{"a":9007199254740993}')).not.toThrow('9007199254740993');
  });
});

describe('#python-json #python-json-numbers the form of v1 peers', () => {
  test.each([
    ['1.0', '1.0'],
    ['-0', '0'],
    ['-0.0', '-0.0'],
    ['1e16', '1e+16'],
    ['1e15', '1000000000000000.0'],
    ['123456789012345678.0', '1.2345678901234568e+17'],
    ['1e-7', '1e-07'],
    ['0.0001', '0.0001'],
    ['0.00001', '1e-05'],
    ['0.000012345', '1.2345e-05'],
    ['1e300', '1e+300'],
    ['5e-324', '5e-324'],
    ['10000000000000000000000000', '10000000000000000000000000'],
  ])('%s is written %s', (lexeme, expected) => {
    expect(python(`[${lexeme}]`)).toBe(`[${expected}]`);
  });

  test('W28 sorts by code point where UTF-16 order differs', () => {
    const object = '{"\uffff":1,"😀":2,"a":3}';
    expect(python(object)).toBe('{"a":3,"\uffff":1,"😀":2}');
    expect(jcs(object)).toBe('{"a":3,"😀":2,"\uffff":1}');
  });

  test('escapes only what must be escaped, in lower case', () => {
    expect(python('"\\u001F\\u007f\\u2028\\/\\b\\u0008é"')).toBe('"\\u001f\u007f\u2028/\\b\\bé"');
  });

  test('orders well-formed strings as an array of code points would', () => {
    const point = fc.oneof(
      fc.constantFrom('a', '\ue000', '\uffff', '😀', '𐀀', '\ud7ff'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const word = fc.array(point, { maxLength: 4 }).map((parts) => parts.join(''));
    const byPoints = (a: string, b: string): number => {
      const [left, right] = [[...a], [...b]].map((chars) => chars.map((c) => c.codePointAt(0)!));
      for (const [index, value] of left!.entries()) {
        const other = right![index];
        if (other === undefined) return 1;
        if (value !== other) return value - other;
      }
      return left!.length - right!.length;
    };
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Math.sign(byPoints(a, b)));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('#json-write #values the wire form', () => {
  test('what is written is read back as the same value', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const written = writeJson(value);
        expect(textOf(writeJson(readJson(written)))).toBe(textOf(written));
        expect(readJson(written)).toEqual(value);
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    [{ a: Number.NaN }, '"/a"'],
    [[Number.POSITIVE_INFINITY], '"/0"'],
    [{ a: [1, 2 ** 60] }, '"/a/1"'],
    [{ a: undefined }, 'leave the member out'],
    [{ a: 10n }, 'numberFromBigInt'],
    [{ a: '\ud800' }, 'lone surrogate'],
    [{ '\udc00': 1 }, 'lone surrogate'],
    [{ a: new Date(0) }, 'Date'],
    [[() => 1], 'function'],
    [new Array(1), '"/0"'],
  ])('an unwritable value is refused with its place and what to do (%#)', (value, words) => {
    for (const write of [writeJson, writeJcs, writePythonJson]) {
      expect(() => write(value as unknown as JsonValue)).toThrow(TypeError);
      expect(() => write(value as unknown as JsonValue)).toThrow(words);
    }
  });

  test('a cycle is refused', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => writeJson(cycle as unknown as JsonValue)).toThrow(/cycle/);
  });

  test('big integers go through a lossless number', () => {
    expect(textOf(writeJson([numberFromBigInt(2n ** 70n), numberFromBigInt(5n)]))).toBe(
      '[1180591620717411303424,5]',
    );
    expect(() => new LosslessNumber('1.')).toThrow(TypeError);
  });

  test('a lossless number never turns into a text by calculating with it', () => {
    const price = new LosslessNumber('20.0');
    expect(() => (price as unknown as number) + 1).toThrow(/call toNumber\(\)/);
    expect(() => (price as unknown as number) == 20).toThrow(TypeError);
    expect(price.toNumber() + 1).toBe(21);
    expect(Number(price)).toBe(20);
    expect(String(price)).toBe('20.0');
    expect(() => price.toBigInt()).toThrow(TypeError);
    expect(new LosslessNumber('9007199254740993').toBigInt()).toBe(9007199254740993n);
  });
});

describe('#values canonical forms are stable', () => {
  test('the canonical form of a canonical form is itself, whatever the member order was', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const once = writePythonJson(value);
        expect(textOf(writePythonJson(readJson(once)))).toBe(textOf(once));
        const code = codeOf(() => writeJcs(value));
        if (code === undefined) {
          const form = writeJcs(value);
          expect(textOf(writeJcs(readJson(form)))).toBe(textOf(form));
        } else {
          expect(code).toBe('NUMBER_INEXACT');
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('#content-hash', () => {
  test('is the SHA-256 of the Python form, and of JCS where there are no floats', () => {
    expect(contentHash(parse('{}'))).toBe(
      'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    );
    const plain = parse('{"b":1,"a":["é",-7,null]}');
    expect(contentHash(plain)).toBe(`sha256:${toHex(sha256(writeJcs(plain)))}`);
    expect(contentHash(parse('{"b":1,"a":[]}'))).toBe(contentHash(parse('{"a":[],"b":1}')));
    expect(contentHash(parse('[1]'))).not.toBe(contentHash(parse('[1.0]')));
  });
});

describe('#explain where two forms differ', () => {
  const explain = (
    text: string,
    ...forms: Parameters<typeof explainForms> extends [unknown, ...infer F] ? F : never
  ): unknown[] =>
    explainForms(parse(text), ...forms).map(({ pointer, left, right, reason }) => [
      pointer,
      left && textOf(left),
      right && textOf(right),
      reason,
    ]);

  test('a float that JCS merges with an integer', () => {
    expect(explain('{"payload":{"x":1.0}}', 'python', 'jcs')).toEqual([
      ['/payload/x', '1.0', '1', 'float 1.0 becomes 1 in jcs at /payload/x'],
    ]);
  });
  test('a lexeme that both forms change', () => {
    expect(explain('[1E2]', 'python', 'jcs')).toEqual([
      [
        '/0',
        '100.0',
        '100',
        'float 1E2 becomes 100.0 in python; float 1E2 becomes 100 in jcs at /0',
      ],
    ]);
  });
  test('a number that JCS refuses', () => {
    expect(explain('[9007199254740993]', 'jcs', 'python')).toEqual([
      [
        '/0',
        undefined,
        '9007199254740993',
        'jcs cannot write integer 9007199254740993 exactly at /0',
      ],
    ]);
  });
  test('an order that differs', () => {
    expect(explain('{"o":{"\uffff":1,"😀":2}}', 'jcs', 'python')).toEqual([
      [
        '/o',
        '["😀","\uffff"]',
        '["\uffff","😀"]',
        'members are ordered differently at /o: jcs has "😀" where python has "\uffff"',
      ],
    ]);
    expect(explain('{"b":1,"a":2}', 'wire', 'jcs')).toHaveLength(1);
  });
  test('between JSON and CBOR only what changes the meaning of a number', () => {
    const [difference, ...others] = explainForms(parse('{"b":1.0,"a":[1,"x"]}'), 'jcs', 'cbor');
    expect(others).toEqual([]);
    expect(difference?.right).toEqual(Uint8Array.of(0xf9, 0x3c, 0x00));
    expect(difference?.reason).toBe('float 1.0 becomes 1 in jcs at /b');
  });
  test('a form that does not exist is refused by name', () => {
    expect(() => explainForms(1, 'json' as 'wire', 'jcs')).toThrow(/wire, jcs, python, cbor/);
  });
  test('nothing where the forms agree, and never without end', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const differences = explainForms(value, 'python', 'jcs');
        const inexact = codeOf(() => writeJcs(value)) !== undefined;
        const same = !inexact && textOf(writeJcs(value)) === textOf(writePythonJson(value));
        expect(differences.length === 0).toBe(same);
      }),
      { numRuns: 2_000 },
    );
    expect(explainForms(parse(`[${'1.0,'.repeat(500)}1]`), 'jcs', 'python')).toHaveLength(100);
  });
});
