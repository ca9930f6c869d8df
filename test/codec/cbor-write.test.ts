// The canonical CBOR writer: the form of each value, the member order, and what it refuses.

import { describe, expect, test } from 'vitest';

import { readCbor } from '../../src/codec/cbor/read.ts';
import { writeCbor } from '../../src/codec/cbor/write.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber, newJsonObject } from '../../src/codec/value.ts';
import { errorOf, parse } from '../support/wire/bytes.ts';
import { toHex } from '../support/wire/cbor-hex.ts';

describe('#cbor-canonical canonical CBOR writer', () => {
  test.each<[string, JsonValue, string]>([
    ['an integer lexeme', 1, '01'],
    ['a float lexeme', new LosslessNumber('1.0'), 'f93c00'],
    ['an exponent', new LosslessNumber('1e2'), 'f95640'],
    ['a negative exponent that makes a whole', new LosslessNumber('10e-1'), 'f93c00'],
    ['the integer -0', new LosslessNumber('-0'), '00'],
    ['the float -0.0', new LosslessNumber('-0.0'), 'f98000'],
    ['a plain -0', -0, 'f98000'],
    ['a plain 1e21', 1e21, 'fb444b1ae4d6e2ef50'],
    ['the largest half', new LosslessNumber('65504.0'), 'f97bff'],
    ['one above the largest half', new LosslessNumber('65505.0'), 'fa477fe100'],
    ['half of the smallest half', 2 ** -25, 'fa33000000'],
    ['three smallest halves', 3 * 2 ** -24, 'f90003'],
    ['a subnormal half and a bit', 2 ** -15 + 2 ** -25, 'fa38002000'],
    ['the smallest single', 2 ** -149, 'fa00000001'],
    ['half of the smallest single', 2 ** -150, 'fb3690000000000000'],
    ['the smallest double', 5e-324, 'fb0000000000000001'],
    ['the largest single', 3.4028234663852886e38, 'fa7f7fffff'],
    ['a safe integer of 53 bits', 9007199254740991, '1b001fffffffffffff'],
    ['-2^32', -4294967296, '3affffffff'],
    ['-2^32-1', -4294967297, '3b0000000100000000'],
    ['2^64', new LosslessNumber('18446744073709551616'), 'c249010000000000000000'],
    ['-2^64', new LosslessNumber('-18446744073709551616'), '3bffffffffffffffff'],
    ['text of 24 bytes', 'é'.repeat(12), `7818${'c3a9'.repeat(12)}`],
    ['text of 23 characters and 24 bytes', `é${'a'.repeat(22)}`, `7818c3a9${'61'.repeat(22)}`],
  ])('%s', (_what, value, hex) => {
    expect(toHex(writeCbor(value))).toBe(hex);
  });

  test('names are sorted by encoded length, then bytewise', () => {
    const value = parse('{"bb":1,"é":2,"b":3,"水":4,"aaa":5,"a":6,"":7,"\u{10151}":8,"\uffeez":9}');
    expect(Object.keys(readCbor(writeCbor(value)) as JsonObject)).toEqual([
      '',
      'a',
      'b',
      'bb',
      'é',
      'aaa',
      '水',
      '\uffeez',
      '\u{10151}',
    ]);
  });

  test('many names are sorted like few', () => {
    const object = newJsonObject();
    for (let index = 999; index >= 0; index -= 1) object[`n${index}`] = index;
    const names = Object.keys(readCbor(writeCbor(object)) as JsonObject);
    expect(names.slice(0, 11)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((digits) => `n${digits}`),
    );
    expect(names.at(-1)).toBe('n999');
  });

  test.each([23, 24, 255, 256, 65_535, 65_536])('text of %i characters, ASCII or not', (length) => {
    for (const text of ['a'.repeat(length), `${'a'.repeat(length - 1)}水`, '水'.repeat(length)]) {
      expect(readCbor(writeCbor([text, text]))).toEqual([text, text]);
    }
  });

  class Point {
    x = 1;
  }
  const cycle: unknown[] = [];
  cycle.push(cycle);
  test.each<[string, unknown, string]>([
    ['undefined', { a: [undefined] }, '"/a/0" cannot be written: it is undefined'],
    ['a hole', { a: new Array(1) }, '"/a/0" cannot be written: it is undefined'],
    ['a bigint', [1n], '"/0" cannot be written: it is a bigint'],
    ['a function', [() => 1], '"/0" cannot be written: it is a function'],
    ['a symbol', [Symbol('s')], '"/0" cannot be written: it is a symbol'],
    ['a class instance', { 'a/b': new Point() }, '"/a~1b" cannot be written: it is an instance'],
    ['a Map', new Map(), '"" cannot be written: it is an instance of Map'],
    ['bytes', [Uint8Array.of(1)], '"/0" cannot be written: it is an instance of Uint8Array'],
    ['NaN', [0, Number.NaN], '"/1" cannot be written: it is NaN'],
    ['an infinity', -Infinity, '"" cannot be written: it is -Infinity'],
    ['an unsafe integer', 2 ** 53, '"" cannot be written: it is an integer beyond 2^53-1'],
    ['a lone surrogate', { a: '\ud800' }, '"/a" cannot be written: it is text with a lone'],
    ['a long text with one', 'a'.repeat(99) + '\udc00', '"" cannot be written: it is text with'],
    ['a name with a lone surrogate', { '\udfff': 1 }, 'it is text with a lone surrogate'],
    ['a cycle', cycle, '"/0/0/0/0" cannot be written: it is a cycle'],
  ])('%s is refused in the words of the JSON writer', (_what, value, reason) => {
    expect(() => writeCbor(value as JsonValue)).toThrow(TypeError);
    expect(() => writeCbor(value as JsonValue)).toThrow(reason);
    expect(() => writeJson(value as JsonValue)).toThrow(reason);
  });

  test('a float beyond doubles is LIMIT_NUMBER', () => {
    const error = errorOf(() => writeCbor({ a: new LosslessNumber('1e400') }));
    expect(error?.code).toBe('LIMIT_NUMBER');
    expect(error?.message).toContain('"/a"');
  });
});
