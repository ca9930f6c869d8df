// Owns the JSON form that v1 peers hash and sign: Python's json.dumps with sorted keys. SPEC.md section 4.4 (#python-json).

import { SdlError } from '../errors.ts';
import type { JsonForm } from './json/form.ts';
import { writeJsonForm } from './json/form.ts';
import { inCodePointOrder } from './name-order.ts';
import { quoteForLog } from './pointer.ts';
import type { JsonValue, LosslessNumber } from './value.ts';
import { lexemeOf } from './value.ts';

const PYTHON: JsonForm = {
  order: inCodePointOrder,
  number: pythonNumber,
  refuse: (pointer) =>
    new SdlError(
      'LIMIT_NUMBER',
      `the number at ${quoteForLog(pointer)} is outside a double's range`,
    ),
};

/** Canonical bytes as `json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)` gives them. */
export function writePythonJson(value: JsonValue): Uint8Array {
  return writeJsonForm(value, PYTHON);
}

const SHORT_WHOLE_FLOAT = /^-?(?:0|[1-9][0-9]{0,14})\.0$/;

function pythonNumber(value: number | LosslessNumber): string | undefined {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  // The most common float to be kept apart is its own form already.
  if (typeof value !== 'number' && SHORT_WHOLE_FLOAT.test(value.lexeme)) return value.lexeme;
  const lexeme = typeof value === 'number' ? lexemeOf(value) : value.lexeme;
  if (!/[.eE]/.test(lexeme)) return lexeme === '-0' ? '0' : lexeme;
  const double = Number(lexeme);
  return Number.isFinite(double) ? pythonFloat(double) : undefined;
}

/** Python's `repr(float)`: shortest digits, fixed notation from 1e-4 up to 1e16, always with a point or an exponent. */
export function pythonFloat(value: number): string {
  const size = Math.abs(value);
  // JavaScript writes the same in this range, but for the point behind a whole number.
  if (size >= 1e-4 && size < 1e16) return Number.isInteger(value) ? `${value}.0` : String(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
