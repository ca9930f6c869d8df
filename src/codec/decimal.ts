// Owns exact arithmetic on JSON numbers: a number is its decimal text, never its nearest double. SPEC.md section 4.1 (#values-equality).

import { SdlError } from '../errors.ts';
import type { LosslessNumber } from './value.ts';
import { lexemeOf } from './value.ts';

export type JsonNumber = number | LosslessNumber;

/** `±digits × 10^exponent`; the digits neither start nor end with a zero, and there are none for zero itself. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
const ZERO: Decimal = { isNegative: false, digits: '', exponent: 0 };
/** Far outside what a reader lets through; keeps exponents exact and powers of ten affordable. */
const MAX_EXPONENT = 1_000_000;
/** Every integer of so many digits is a safe one. */
const SAFE_DIGITS = 15;
/** `-1.7976931348623157e+308`, and no plain number is longer. */
const MAX_PLAIN_LENGTH = 24;

/** Negative, zero or positive, as `a` is below, equal to or above `b`. */
export function compareNumbers(a: JsonNumber, b: JsonNumber): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  return compareDecimals(toDecimal(a), toDecimal(b));
}

/** Equality of value: `1`, `1.0` and `10e-1` are equal, and so are `-0` and `0`. */
export function equalNumbers(a: JsonNumber, b: JsonNumber): boolean {
  return compareNumbers(a, b) === 0;
}

/** True for every number without a fraction, however it is written: `1.0` and `1e2` too. */
export function isIntegral(value: JsonNumber): boolean {
  if (typeof value === 'number') return Number.isInteger(value);
  return value.isInteger || toDecimal(value).exponent >= 0;
}

/** True when `value` divided by `divisor` is an integer. The divisor must not be zero. */
export function isMultipleOf(value: JsonNumber, divisor: JsonNumber): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) {
    return (value as number) % (divisor as number) === 0;
  }
  const dividend = toDecimal(value);
  const by = toDecimal(divisor);
  if (by.digits === '') throw new RangeError('"divisor" expected a number other than zero');
  if (dividend.digits === '') return true;
  const shift = dividend.exponent - by.exponent;
  // A multiple would have to end with zeros here, and digits never do.
  if (shift < 0) return false;
  if (dividend.digits.length + shift <= SAFE_DIGITS && by.digits.length <= SAFE_DIGITS) {
    return (Number(dividend.digits) * 10 ** shift) % Number(by.digits) === 0;
  }
  const modulus = BigInt(by.digits);
  return (BigInt(dividend.digits) * powerOfTen(shift, modulus)) % modulus === 0n;
}

/** One text for each value: equal numbers have the same key, others never. */
export function numberKey(value: JsonNumber): string {
  if (typeof value === 'number') return value === 0 ? '0' : String(value);
  const exact = toDecimal(value);
  const nearest = value.toNumber();
  if (Number.isFinite(nearest) && compareDecimals(exact, toDecimal(nearest)) === 0) {
    return numberKey(nearest);
  }
  return `${exact.isNegative ? '-' : ''}${exact.digits}e${exact.exponent}`;
}

/** Characters of the number's text, at most: what it costs to reckon with it grows with them. */
export function numberLength(value: JsonNumber): number {
  return typeof value === 'number' ? MAX_PLAIN_LENGTH : value.lexeme.length;
}

function toDecimal(value: JsonNumber): Decimal {
  const match = PARTS.exec(typeof value === 'number' ? lexemeOf(value) : value.lexeme);
  if (match === null) throw new TypeError('"value" expected a finite number');
  const fraction = match[3] ?? '';
  const written = match[2]! + fraction;
  let start = 0;
  while (written.charCodeAt(start) === 0x30) start += 1;
  // Before the exponent is looked at: zero is zero whatever power of ten stands behind it.
  if (start === written.length) return ZERO;
  let end = written.length;
  while (written.charCodeAt(end - 1) === 0x30) end -= 1;
  const exponent = Number(match[4] ?? 0) - fraction.length + (written.length - end);
  if (Math.abs(exponent) > MAX_EXPONENT) {
    throw new SdlError('LIMIT_NUMBER', `a number has an exponent beyond ${MAX_EXPONENT}`);
  }
  return { isNegative: match[1] === '-', digits: written.slice(start, end), exponent };
}

function compareDecimals(a: Decimal, b: Decimal): number {
  const signs = signOf(a) - signOf(b);
  if (signs !== 0) return signs;
  return a.isNegative ? compareMagnitudes(b, a) : compareMagnitudes(a, b);
}

function signOf(value: Decimal): number {
  if (value.digits === '') return 0;
  return value.isNegative ? -1 : 1;
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  const order = a.digits.length + a.exponent - (b.digits.length + b.exponent);
  if (order !== 0) return order;
  // The first digits weigh the same, so the texts compare as the numbers do.
  return a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0;
}

/** 10^exponent mod modulus, by squaring: no intermediate value is longer than twice the modulus. */
function powerOfTen(exponent: number, modulus: bigint): bigint {
  let result = 1n;
  let base = 10n % modulus;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * base) % modulus;
    base = (base * base) % modulus;
  }
  return result;
}
