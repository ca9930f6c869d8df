// Owns the JSON form that v1 peers hash and sign: Python's json.dumps with sorted keys. SPEC.md section 4.4 (#python-json).

import { SdlError } from '../errors.ts';
import type { JsonForm } from './json-text.ts';
import { toJsonText } from './json-text.ts';
import { encodeUtf8 } from './utf8.ts';
import type { JsonValue, LosslessNumber } from './value.ts';
import { lexemeOf } from './value.ts';

const PYTHON: JsonForm = {
  order: inCodePointOrder,
  number: pythonNumber,
  refuse: (pointer) =>
    new SdlError('LIMIT_NUMBER', `the number at "${pointer}" is outside a double's range`),
};

/** Canonical bytes as `json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)` gives them. */
export function writePythonJson(value: JsonValue): Uint8Array {
  return encodeUtf8(toJsonText(value, PYTHON));
}

const HAS_HIGH_UNIT = /[\ud800-\uffff]/;

/** UTF-16 order is code-point order unless a surrogate meets U+E000–U+FFFF. */
function inCodePointOrder(names: string[]): string[] {
  let isSorted = true;
  for (let index = 1; index < names.length; index += 1) {
    if (names[index - 1]! > names[index]!) isSorted = false;
  }
  if (names.some((name) => HAS_HIGH_UNIT.test(name))) return names.sort(compareCodePoints);
  return isSorted ? names : names.sort();
}

/** Orders two well-formed strings by code point. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return raiseSurrogate(left) - raiseSurrogate(right);
  }
  return a.length - b.length;
}

/** Lifts surrogates above every other unit, where the characters that they encode belong. */
function raiseSurrogate(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2000 : unit >= 0xe000 ? unit - 0x800 : unit;
}

function pythonNumber(value: number | LosslessNumber): string | undefined {
  const lexeme = typeof value === 'number' ? lexemeOf(value) : value.lexeme;
  if (!/[.eE]/.test(lexeme)) return lexeme === '-0' ? '0' : lexeme;
  const double = Number(lexeme);
  return Number.isFinite(double) ? pythonFloat(double) : undefined;
}

/** Python's `repr(float)`: shortest digits, fixed notation from 1e-4 up to 1e16, always with a point or an exponent. */
export function pythonFloat(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const sign = exponent < 0 ? '-' : '+';
    return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  const fixed = String(value); // JavaScript agrees from 1e-6 to 1e21
  return Number.isInteger(value) ? `${fixed}.0` : fixed;
}
