// The strict CBOR reader: a hand-made vector for each refusal, what it is lenient about, its numbers and limits.

import { describe, expect, test } from 'vitest';

import { readCbor } from '../../src/codec/cbor/read.ts';
import { writeCbor } from '../../src/codec/cbor/write.ts';
import { readJson } from '../../src/codec/json/read.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import type { Limits } from '../../src/limits.ts';
import { resolveLimits } from '../../src/limits.ts';
import { codeOf, errorOf, parse, utf8 } from '../support/wire/bytes.ts';
import { fromHex, pythonText, toHex } from '../support/wire/cbor-hex.ts';

describe('#cbor strict CBOR reader', () => {
  test.each([
    ['no bytes', '', 'ends where an item is expected at byte 0'],
    ['a tag other than 2 and 3', '81c100', 'tag other than 2 and 3 at byte 1'],
    ['a tag of 64 bits', 'dbffffffffffffffff00', 'tag other than 2 and 3 at byte 0'],
    ['a bignum over text', 'c26131', 'bignum that is not a byte string at byte 1'],
    ['a bignum over an integer', 'c201', 'bignum that is not a byte string at byte 1'],
    ['a bignum over a bignum', 'c2c24101', 'bignum that is not a byte string at byte 1'],
    ['a bignum in pieces', 'c25f4101ff', 'indefinite length at byte 1'],
    ['a bignum that is cut', 'c2430102', 'ends inside an item at byte 1'],
    ['a bignum without content', 'c3', 'ends where an item is expected at byte 1'],
    ['a bare byte string', '824100f6', 'byte string outside a bignum at byte 1'],
    ['an integer as a member name', 'a10102', 'member name that is not text at byte 1'],
    ['a byte string as a member name', 'a1416102', 'member name that is not text at byte 1'],
    ['a bignum as a member name', 'a1c2410102', 'member name that is not text at byte 1'],
    ['null as a member name', 'a1f602', 'member name that is not text at byte 1'],
    ['a member name in pieces', 'a17f6161ff02', 'indefinite length at byte 1'],
    ['a member twice', 'a2616101616102', 'member twice at byte 4'],
    ['a member twice in different lengths of head', 'a261610178016102', 'member twice at byte 4'],
    ['__proto__ twice', `a2${'695f5f70726f746f5f5f00'.repeat(2)}`, 'member twice at byte 12'],
    ['an array of indefinite length', '9f01ff', 'indefinite length at byte 0'],
    ['a map of indefinite length', 'bfff', 'indefinite length at byte 0'],
    ['text of indefinite length', '7fff', 'indefinite length at byte 0'],
    ['bytes of indefinite length', '5fff', 'indefinite length at byte 0'],
    ['a break', '81ff', 'break outside an indefinite length at byte 1'],
    ['undefined', '81f7', 'simple value other than false, true and null at byte 1'],
    ['a simple value', 'e0', 'simple value other than false, true and null at byte 0'],
    ['false in two bytes', 'f814', 'simple value other than false, true and null at byte 0'],
    ['NaN with a payload', 'f97e01', 'float that is not finite at byte 0'],
    ['a negative single infinity', 'faff800000', 'float that is not finite at byte 0'],
    ['additional information 28', '1c', 'reserved additional information at byte 0'],
    ['additional information 29', '7d', 'reserved additional information at byte 0'],
    ['additional information 30', 'fe', 'reserved additional information at byte 0'],
    ['an integer of indefinite length', '1f', 'reserved additional information at byte 0'],
    ['a tag of indefinite length', 'df', 'reserved additional information at byte 0'],
    ['an argument that is cut', '1b00000000000000', 'ends inside an item at byte 0'],
    ['a length that is cut', '79ff', 'ends inside an item at byte 0'],
    ['a half that is cut', 'f93c', 'ends inside an item at byte 0'],
    ['a single that is cut', 'fa3f8000', 'ends inside an item at byte 0'],
    ['a double that is cut', 'fb3ff00000000000', 'ends inside an item at byte 0'],
    ['text that is cut', '6261', 'ends inside an item at byte 0'],
    ['an array that is cut', '8201', 'ends inside an item at byte 0'],
    ['a map that is cut', 'a2616101', 'ends inside an item at byte 0'],
    ['a member without a value', '82a16161', 'ends where an item is expected at byte 4'],
    ['data after the item', '0000', 'data after the item at byte 1'],
    ['a lone continuation byte', '816180', 'not valid UTF-8 at byte 1'],
    ['overlong UTF-8', '62c080', 'not valid UTF-8 at byte 0'],
    ['a surrogate in UTF-8', '63eda080', 'not valid UTF-8 at byte 0'],
    ['a character that the length cuts', '8261c3a0', 'not valid UTF-8 at byte 1'],
    ['a long text with a bad end', `7818${'61'.repeat(23)}ff`, 'not valid UTF-8 at byte 0'],
    ['a member name that is not UTF-8', 'a161ff00', 'not valid UTF-8 at byte 1'],
  ])('%s is refused', (_what, hex, reason) => {
    const error = errorOf(() => readCbor(fromHex(hex)));
    expect(error?.code).toBe('ENCODING_INVALID');
    expect(error?.message).toContain(reason);
    expect(error?.details['at']).toBe(Number(/\d+$/.exec(reason)![0]));
  });

  test('reads a view into a larger buffer', () => {
    const frame = fromHex('ffff8218c8fb3ff199999999999affff');
    expect(readCbor(frame.subarray(2, -2))).toEqual([200, 1.1]);
  });

  test('every member name is data, and objects inherit nothing', () => {
    const value = parse('{"__proto__":{"a":1},"constructor":2,"":3,"7":4}');
    const read = readCbor(writeCbor(value)) as JsonObject;
    expect(Object.keys(read).sort()).toEqual(['', '7', '__proto__', 'constructor']);
    expect(Object.getPrototypeOf(read)).toBe(null);
    expect(pythonText(read)).toBe(pythonText(value));
  });

  test('a byte order mark inside text is kept', () => {
    expect(readCbor(fromHex('63efbbbf'))).toBe('\ufeff');
  });
});

describe('#cbor-lenient what need not be canonical', () => {
  test.each([
    ['1800', '00'],
    ['190017', '17'],
    ['1a000000ff', '18ff'],
    ['1b0000000000000001', '01'],
    ['3b0000000000000000', '20'],
    ['7800', '60'],
    ['79000161', '6161'],
    ['9800', '80'],
    ['9b0000000000000000', '80'],
    ['b90000', 'a0'],
    ['fa3f800000', 'f93c00'],
    ['fb3ff0000000000000', 'f93c00'],
    ['fb7fefffffffffffff', 'fb7fefffffffffffff'],
    ['a262626201616102', 'a261610262626201'],
    ['a2616201616102', 'a2616102616201'],
    ['c24101', '01'],
    ['c3420100', '390100'],
    ['c240', '00'],
    ['c340', '20'],
    ['c248ffffffffffffffff', '1bffffffffffffffff'],
    ['c24a00010000000000000000', 'c249010000000000000000'],
    ['d8024101', '01'],
    ['db000000000000000358010f', '2f'],
  ])('%s is read', (hex, canonical) => {
    expect(toHex(writeCbor(readCbor(fromHex(hex))))).toBe(canonical);
  });
});

function half(bits: number): Uint8Array {
  return Uint8Array.of(0xf9, bits >> 8, bits & 0xff);
}

function numberOf(bits: number): number {
  return Number(readCbor(half(bits)));
}

describe('#cbor-numbers integers and floats', () => {
  test.each<[string, number | string]>([
    ['1b001fffffffffffff', 9007199254740991],
    ['3b001ffffffffffffe', -9007199254740991],
    ['1b0020000000000000', '9007199254740992'],
    ['3b001fffffffffffff', '-9007199254740992'],
    ['1b0020000000000001', '9007199254740993'],
    ['c249010000000000000001', '18446744073709551617'],
    ['c2473fffffffffffff', '18014398509481983'],
    ['c2461fffffffffff', 35184372088831],
    ['f93c00', '1.0'],
    ['f90000', '0.0'],
    ['f98000', -0],
    ['fac7c35000', '-100000.0'],
    ['fb4341c37937e08000', '1e+16'],
    ['fb444b1ae4d6e2ef50', 1e21],
    ['fb3e7ad7f29abcaf48', 1e-7],
    ['f93e00', 1.5],
    ['f90001', 5.960464477539063e-8],
    ['f903ff', 0.00006097555160522461],
    ['f98001', -5.960464477539063e-8],
  ])('%s is %s', (hex, expected) => {
    const value = readCbor(fromHex(hex));
    expect(value).toEqual(typeof expected === 'string' ? new LosslessNumber(expected) : expected);
  });

  test('every finite half is above the one before it, mirrored by its sign and its own shortest form', () => {
    const wrong: number[] = [];
    for (let bits = 1; bits <= 0x7bff; bits += 1) {
      const isRight =
        numberOf(bits) > numberOf(bits - 1) &&
        numberOf(bits | 0x8000) === -numberOf(bits) &&
        toHex(writeCbor(readCbor(half(bits)))) === toHex(half(bits));
      if (!isRight) wrong.push(bits);
    }
    expect(wrong).toEqual([]);
    expect([numberOf(1), numberOf(0x3ff), numberOf(0x400), numberOf(0x7bff)]).toEqual([
      2 ** -24,
      1023 * 2 ** -24,
      2 ** -14,
      65504,
    ]);
  });

  test('no half, single or double with all bits of its exponent set is read', () => {
    for (let bits = 0x7c00; bits <= 0x7fff; bits += 1) {
      expect(codeOf(() => readCbor(half(bits)))).toBe('ENCODING_INVALID');
    }
    expect(codeOf(() => readCbor(fromHex('fa7f800001')))).toBe('ENCODING_INVALID');
    expect(codeOf(() => readCbor(fromHex('fbfff0000000000001')))).toBe('ENCODING_INVALID');
  });
});

describe('#limits in CBOR', () => {
  const small: Limits = resolveLimits({
    maxBytes: 400,
    maxDepth: 3,
    maxArrayLength: 4,
    maxMembers: 2,
    maxStringBytes: 5,
    maxNumberLength: 6,
  });

  test.each<[string, string]>([
    ['[[[1]]]', 'undefined'],
    ['[[[[1]]]]', 'LIMIT_DEPTH'],
    ['{"a":{"a":{}}}', 'undefined'],
    ['{"a":{"a":{"a":[]}}}', 'LIMIT_DEPTH'],
    ['[1,2,3,4]', 'undefined'],
    ['[1,2,3,4,5]', 'LIMIT_ARRAY'],
    ['{"a":1,"b":2}', 'undefined'],
    ['{"a":1,"b":2,"c":3}', 'LIMIT_MEMBERS'],
    ['"12345"', 'undefined'],
    ['"123456"', 'LIMIT_STRING'],
    ['"水a"', 'undefined'],
    ['"水水"', 'LIMIT_STRING'],
    ['{"123456":1}', 'LIMIT_STRING'],
    ['123456', 'undefined'],
    ['1234567', 'LIMIT_NUMBER'],
    ['-12345', 'undefined'],
    ['-123456', 'LIMIT_NUMBER'],
    ['1234.5', 'undefined'],
    ['12345.5', 'LIMIT_NUMBER'],
    ['1234.0', 'undefined'],
    ['12345.0', 'LIMIT_NUMBER'],
    ['12345678901234567890123', 'LIMIT_NUMBER'],
    [`[${'"12345",'.repeat(3)}"12345"]`, 'undefined'],
  ])('%s gives %s in both encodings', (text, expected) => {
    expect(String(codeOf(() => readJson(utf8(text), small)))).toBe(expected);
    expect(String(codeOf(() => readCbor(writeCbor(parse(text)), small)))).toBe(expected);
  });

  test('bytes are counted before anything is read', () => {
    const error = errorOf(() => readCbor(new Uint8Array(401).fill(0xff), small));
    expect(error?.code).toBe('LIMIT_BYTES');
    expect(error?.details['limit']).toBe(400);
  });

  test.each([
    ['9bffffffffffffffff', 'LIMIT_ARRAY', 4],
    ['bb0020000000000000', 'LIMIT_MEMBERS', 2],
    ['7b7fffffffffffffff', 'LIMIT_STRING', 5],
    ['a17affffffff', 'LIMIT_STRING', 5],
    ['c25bffffffffffffffff', 'LIMIT_NUMBER', 6],
    ['c244000f423f', 'LIMIT_NUMBER', 6],
  ])('the declared length of %s is %s', (hex, code, limit) => {
    const error = errorOf(() => readCbor(fromHex(hex), small));
    expect(error?.code).toBe(code);
    expect(error?.details['limit']).toBe(limit);
  });

  test.each(['9a00ffffff', 'ba000f4240', '7a0fffffff', 'c2590500', '9a00000002f6', 'a36161006162'])(
    'the declared length of %s is more than the bytes that are left',
    (hex) => {
      const wide = resolveLimits({
        maxArrayLength: 16_777_216,
        maxMembers: 1_000_000,
        maxStringBytes: 268_435_456,
        maxNumberLength: 4_096,
      });
      const error = errorOf(() => readCbor(fromHex(hex), wide));
      expect(error?.message).toContain('ends inside an item');
    },
  );

  test('a bignum of exactly maxNumberLength digits is read, one more is not', () => {
    const nines = new LosslessNumber('9'.repeat(1_024));
    expect(readCbor(writeCbor(nines))).toEqual(nines);
    const more = writeCbor(new LosslessNumber(`1${'0'.repeat(1_024)}`));
    expect(codeOf(() => readCbor(more))).toBe('LIMIT_NUMBER');
    const negative = writeCbor(new LosslessNumber(`-${'9'.repeat(1_024)}`));
    expect(codeOf(() => readCbor(negative))).toBe('LIMIT_NUMBER');
  });
});
