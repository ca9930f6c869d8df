// Owns the half-precision floats of CBOR, which DataView lacks. SPEC.md section 4.5 (#cbor).

const scratch = new DataView(new ArrayBuffer(4));

/** The double that a half-precision float stands for; infinities and NaN included. */
export function numberFromHalf(bits: number): number {
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (0x400 | fraction) * 2 ** (exponent - 25);
}

/** The half-precision bits of a finite number, or -1 when no half is exactly that number. */
export function halfFromNumber(value: number): number {
  if (Math.fround(value) !== value) return -1;
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const fraction = bits & 0x7fffff;
  const exponent = ((bits >>> 23) & 0xff) - 127;
  if (exponent >= -14) {
    if (exponent > 15 || (fraction & 0x1fff) !== 0) return -1;
    return sign | ((exponent + 15) << 10) | (fraction >> 13);
  }
  if (value === 0) return sign;
  if (exponent < -24) return -1;
  // A subnormal half has no hidden bit: the whole significand moves down.
  const significand = 0x800000 | fraction;
  const shift = -1 - exponent;
  return (significand & ((1 << shift) - 1)) === 0 ? sign | (significand >> shift) : -1;
}
