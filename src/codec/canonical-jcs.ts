// Owns the RFC 8785 form (JCS), which refuses what it would have to round. SPEC.md section 4.3 (#jcs).

import { SdlError } from '../errors.ts';
import type { JsonForm } from './json/form.ts';
import { writeJsonForm } from './json/form.ts';
import { inUtf16Order } from './name-order.ts';
import { quoteForLog } from './pointer.ts';
import type { JsonValue, LosslessNumber } from './value.ts';
import { isPlainNumber } from './value.ts';

const JCS: JsonForm = {
  order: inUtf16Order,
  number: jcsNumber,
  refuse: (pointer) =>
    new SdlError(
      'NUMBER_INEXACT',
      `the number at ${quoteForLog(pointer)} has no exact RFC 8785 form`,
    ),
};

/** Canonical bytes under RFC 8785. Throws NUMBER_INEXACT rather than round. */
export function writeJcs(value: JsonValue): Uint8Array {
  return writeJsonForm(value, JCS);
}

/** A double carries 17 significant digits at most; a lexeme with more claims what a double cannot hold. */
const MAX_DIGITS = 17;

/** The RFC 8785 text, or `undefined` when writing it would change the number. */
export function jcsNumber(value: number | LosslessNumber): string | undefined {
  if (typeof value === 'number') return String(value); // -0 gives "0", as RFC 8785 demands
  const double = value.toNumber();
  const text = String(double);
  if (value.isInteger) return Number.isSafeInteger(double) ? text : undefined;
  if (!isPlainNumber(double)) return undefined;
  if (double === 0) return isZero(value.lexeme) ? text : undefined;
  const digits = significantDigits(value.lexeme);
  return digits.length <= MAX_DIGITS || digits === significantDigits(text) ? text : undefined;
}

function isZero(lexeme: string): boolean {
  return !/[1-9]/.test(mantissa(lexeme));
}

function significantDigits(lexeme: string): string {
  return mantissa(lexeme)
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');
}

function mantissa(lexeme: string): string {
  return lexeme.split(/[eE]/, 1)[0]!;
}
