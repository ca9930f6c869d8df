// Owns the values that validators of other libraries and ordinary code expect: numbers are numbers.
// SPEC.md section 4.1 (#values-numbers).

import type { JsonValue } from '../../codec/value.ts';
import { LosslessNumber, isJsonArray } from '../../codec/value.ts';
import { SdlError } from '../../errors.ts';

/** A JSON value without a {@link LosslessNumber}. */
export type PlainValue = null | boolean | number | string | PlainValue[] | PlainObject;
interface PlainObject {
  [member: string]: PlainValue;
}

/**
 * A copy that the caller may change. A float becomes the nearest double; an integer that no double holds is refused
 * with NUMBER_INEXACT, never rounded. Objects have no prototype, so that `__proto__` stays a member like any other.
 */
export function toPlainValue(value: JsonValue): PlainValue {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof LosslessNumber) return toPlainNumber(value);
  if (isJsonArray(value)) return value.map(toPlainValue);
  const copy = Object.setPrototypeOf({}, null) as PlainObject;
  for (const name of Object.keys(value)) copy[name] = toPlainValue(value[name]!);
  return copy;
}

function toPlainNumber(value: LosslessNumber): number {
  const double = value.toNumber();
  if (!value.isInteger || Number.isSafeInteger(double)) return double;
  throw new SdlError('NUMBER_INEXACT', 'an integer is too large for a double');
}
