// Proves the exact arithmetic on JSON numbers against BigInt fractions.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonNumber } from '../../src/codec/decimal.ts';
import {
  compareNumbers,
  equalNumbers,
  isIntegral,
  isMultipleOf,
  numberKey,
  numberLength,
} from '../../src/codec/decimal.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import { numberFromLexeme } from '../../src/codec/number-text.ts';
import { SdlError } from '../../src/errors.ts';

const lossless = (lexeme: string): LosslessNumber => new LosslessNumber(lexeme);

/** Small numbers in all the ways that JSON can write them, next to their exact value in units of 10^-12. */
const written = fc
  .tuple(
    fc.integer({ min: -99_999, max: 99_999 }),
    fc.integer({ min: 0, max: 4 }),
    fc.integer({ min: -3, max: 6 }),
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom('e', 'E', 'e+'),
  )
  .map(([integer, point, exponent, zeros, mark]) => {
    const digits = String(Math.abs(integer)).padStart(point + 1, '0');
    const whole = digits.slice(0, digits.length - point);
    const fraction = digits.slice(digits.length - point) + '0'.repeat(zeros);
    const lexeme =
      (integer < 0 ? '-' : '') +
      whole +
      (fraction === '' ? '' : `.${fraction}`) +
      (exponent === 0 ? '' : exponent < 0 ? `e${exponent}` : `${mark}${exponent}`);
    const units = BigInt(integer) * 10n ** BigInt(12 - point + exponent);
    return { lexeme, number: numberFromLexeme(lexeme), units };
  });

describe('#values-equality exact comparison of numbers', () => {
  test.each([
    ['1', '1.0'],
    ['1', '10e-1'],
    ['100', '1e2'],
    ['0', '-0'],
    ['0', '-0.0'],
    ['0', '0.000e17'],
    ['1e21', '1000000000000000000000'],
    ['0.1', '1E-1'],
    ['123456789012345678901234567890', '1.2345678901234567890123456789e29'],
  ])('%s and %s are one number', (left, right) => {
    const a = numberFromLexeme(left);
    const b = numberFromLexeme(right);
    expect(equalNumbers(a, b)).toBe(true);
    expect(compareNumbers(a, b)).toBe(0);
    expect(numberKey(a)).toBe(numberKey(b));
  });

  test.each([
    ['9007199254740992', '9007199254740993'],
    ['0.1', '0.1000000000000000055511151231257827'],
    ['-2', '-1.99999999999999999999'],
    ['-1', '0'],
    ['0', '0.5e-300'],
    ['9.99', '10'],
    ['1.5', '2'],
    ['-12345678901234567891', '-12345678901234567890'],
    ['99999999999999999999', '1e20'],
  ])('%s is below %s', (left, right) => {
    const a = numberFromLexeme(left);
    const b = numberFromLexeme(right);
    expect(compareNumbers(a, b)).toBeLessThan(0);
    expect(compareNumbers(b, a)).toBeGreaterThan(0);
    expect(numberKey(a)).not.toBe(numberKey(b));
  });

  test('order, equality and keys agree with exact integers for every way of writing', () => {
    fc.assert(
      fc.property(written, written, (a, b) => {
        const order = a.units < b.units ? -1 : a.units > b.units ? 1 : 0;
        expect(Math.sign(compareNumbers(a.number, b.number))).toBe(order);
        expect(equalNumbers(a.number, b.number)).toBe(order === 0);
        expect(numberKey(a.number) === numberKey(b.number)).toBe(order === 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test('the key of a number does not depend on how the number is held', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = value.toExponential();
        expect(numberKey(lossless(text.replace('+', '')))).toBe(numberKey(value));
      }),
    );
  });
});

describe('#schema-numbers integers and multiples', () => {
  test.each([
    '1',
    '1.0',
    '1e2',
    '10e-1',
    '-0',
    '0.0',
    '0e-5',
    '1e308',
    '12345678901234567890',
    '1.5e1',
  ])('%s is an integer', (lexeme) => {
    expect(isIntegral(numberFromLexeme(lexeme))).toBe(true);
  });

  test.each(['0.5', '1e-1', '15e-1', '12345678901234567890.5', '1.00000000000000000000000001'])(
    '%s is not an integer',
    (lexeme) => {
      expect(isIntegral(numberFromLexeme(lexeme))).toBe(false);
    },
  );

  test.each([
    ['0.0075', '0.0001', true],
    ['0.00751', '0.0001', false],
    ['4.5', '1.5', true],
    ['35', '1.5', false],
    ['19.99', '0.01', true],
    ['1e308', '0.5', true],
    ['1e308', '0.123456789', false],
    ['-9', '3', true],
    ['-0.0', '7', true],
    ['0e5', '0.3', true],
    ['12345678901234567890', '10', true],
    ['12345678901234567891', '10', false],
    ['0.5', '1e300', false],
    ['1e300', '1e299', true],
    ['3e300', '2e300', false],
    ['9007199254740993', '2', false],
    ['9007199254740994', '2', true],
  ])('%s is a multiple of %s: %s', (value, divisor, verdict) => {
    expect(isMultipleOf(numberFromLexeme(value), numberFromLexeme(divisor))).toBe(verdict);
  });

  test('multiples agree with exact integers for every way of writing', () => {
    fc.assert(
      fc.property(written, written, fc.integer({ min: -50, max: 50 }), (a, b, factor) => {
        fc.pre(b.units !== 0n);
        expect(isMultipleOf(a.number, b.number)).toBe(a.units % b.units === 0n);
        const product = b.units * BigInt(factor);
        expect(isMultipleOf(lossless(`${product}e-12`), b.number)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a divisor of zero is a mistake of the caller', () => {
    expect(() => isMultipleOf(1, lossless('0.0'))).toThrow(RangeError);
  });
});

describe('#values-equality numbers that would be expensive', () => {
  const digits = '7'.repeat(4_000);

  test('zero is zero under any exponent', () => {
    for (const lexeme of ['0e999999999', '-0.00e-999999999', `0e${digits}`]) {
      const zero = lossless(lexeme);
      expect(numberKey(zero)).toBe('0');
      expect(compareNumbers(zero, 0)).toBe(0);
      expect(isIntegral(zero)).toBe(true);
      expect(isMultipleOf(zero, 3)).toBe(true);
    }
  });

  test('an exponent that no reader lets through is refused instead of expanded', () => {
    const giant: JsonNumber = lossless('1e999999999999');
    for (const use of [numberKey, isIntegral, (value: JsonNumber) => compareNumbers(value, 1)]) {
      expect(() => use(giant)).toThrow(SdlError);
    }
  });

  test('a large exponent is reduced instead of expanded', () => {
    expect(isMultipleOf(lossless('1e999999'), 7)).toBe(false);
    expect(isMultipleOf(lossless('7e999999'), lossless('7e-999999'))).toBe(true);
    expect(compareNumbers(lossless('1e999999'), lossless('1e-999999'))).toBeGreaterThan(0);
  });

  test('thousands of digits are exact', () => {
    expect(isMultipleOf(lossless(digits), 7)).toBe(true);
    expect(isMultipleOf(lossless(`${digits}8`), 7)).toBe(false);
    expect(compareNumbers(lossless(`${digits}1`), lossless(`${digits}2`))).toBeLessThan(0);
    expect(numberKey(lossless(`${digits}1`))).not.toBe(numberKey(lossless(`${digits}2`)));
  });

  test('the length of a number bounds its text', () => {
    expect(numberLength(lossless(digits))).toBe(4_000);
    expect(numberLength(-Number.MAX_VALUE)).toBe(String(-Number.MAX_VALUE).length);
  });

  test('what is not a number at all is a mistake of the caller', () => {
    expect(() => compareNumbers(Number.NaN, lossless('1.0'))).toThrow(TypeError);
  });
});
