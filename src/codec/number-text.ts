// Owns how the text of a number becomes a value: plain where that loses nothing. SPEC.md section 4.1 (#values-numbers).

import { HAS_EXPONENT, scanNumber } from './number-grammar.ts';
import { LosslessNumber, isPlainNumber, lexemeOf } from './value.ts';

/** Decimals up to here need no look at their range, and integers up to here are safe. */
const SHORT = 15;

/** The value of a JSON number; `out of range` for a float that is infinite, or zero although a digit is not. */
export function numberFromText(
  text: string,
): number | LosslessNumber | 'malformed' | 'out of range' {
  const found = scanNumber(text, 0, text.length);
  if (found < 0) return 'malformed';
  if (found === 0 && text.length <= SHORT) {
    return text === '-0' ? new LosslessNumber(text) : Number(text);
  }
  const isShortDecimal = text.length <= SHORT && (found & HAS_EXPONENT) === 0;
  // No shortest text ends in a zero behind the point, so this common case needs no conversion. -0.0 is plain.
  if (isShortDecimal && text.endsWith('0') && text !== '-0.0') return new LosslessNumber(text);
  if (found > 0 && leavesDoubleRange(text)) return 'out of range';
  return numberFromLexeme(text);
}

/** A number lexeme as a value. The lexeme must be a JSON number. */
export function numberFromLexeme(lexeme: string): number | LosslessNumber {
  const plain = Number(lexeme);
  return lexemeOf(plain) === lexeme && isPlainNumber(plain)
    ? plain
    : new LosslessNumber(ownText(lexeme));
}

function leavesDoubleRange(lexeme: string): boolean {
  const double = Number(lexeme);
  if (double !== 0) return !Number.isFinite(double);
  return /^[^eE]*[1-9]/.test(lexeme);
}

/** Shorter text is always a copy; longer text would keep the whole message alive. */
const SLICED_FROM = 13;

function ownText(lexeme: string): string {
  return lexeme.length < SLICED_FROM ? lexeme : (JSON.parse(`"${lexeme}"`) as string);
}
