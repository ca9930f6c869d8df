// Owns the sum of JSON numbers without a rounding error on the way. SPEC.md section 4.1 (#values-numbers).

import type { JsonNumber } from '../../codec/decimal.ts';
import { lexemeOf } from '../../codec/value.ts';

const PARTS = /^(-?[0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** The double that is nearest to the exact sum of the decimal values; infinite where there is none. */
export function exactSum(values: readonly JsonNumber[]): number {
  const terms = values.map(termOf).filter(({ digits }) => digits !== 0n);
  const least = terms.reduce((exponent, term) => Math.min(exponent, term.exponent), 0);
  let total = 0n;
  for (const { digits, exponent } of terms) total += digits * 10n ** BigInt(exponent - least);
  return Number(`${total}e${least}`);
}

function termOf(value: JsonNumber): { digits: bigint; exponent: number } {
  const match = PARTS.exec(typeof value === 'number' ? lexemeOf(value) : value.lexeme);
  if (match === null) throw new TypeError('"values" expected finite numbers');
  const fraction = match[2] ?? '';
  return {
    digits: BigInt(match[1]! + fraction),
    exponent: Number(match[3] ?? 0) - fraction.length,
  };
}
