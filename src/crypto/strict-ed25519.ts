// Owns which Ed25519 keys and signatures may reach the equation at all. SPEC.md section 6 (#sec-ed25519).

import { Point } from '@noble/ed25519';

import { P, isBelowP, isOneOf, littleEndian } from './field-25519.ts';

export const ED25519_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The y of a point of order 8; the other one is its negative. */
const ORDER_8_Y = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/** The y of the eight points whose order divides 8; those with two x differ in bit 255 only. */
const SMALL_ORDER_Y: readonly Uint8Array[] = [0n, 1n, P - 1n, ORDER_8_Y, P - ORDER_8_Y].map(
  littleEndian,
);

/** The order of the base point. */
export const L: bigint = 2n ** 252n + 27742317777372353535851937790883648493n;
const L_BYTES = littleEndian(L);

/** Lengths, canonical A and R that are not of small order, S < L. What is left is the equation. */
export function isStrictEncoding(signature: Uint8Array, publicKey: Uint8Array): boolean {
  return (
    signature.length === SIGNATURE_BYTES &&
    isStrictPoint(signature) &&
    isBelowL(signature.subarray(32)) &&
    publicKey.length === ED25519_KEY_BYTES &&
    isStrictPoint(publicKey)
  );
}

/**
 * A key under which a signature can verify: canonical, not of small order, on the curve.
 * A key with a part of small order is one: the equation accepts it.
 */
export function isEd25519PublicKey(publicKey: Uint8Array): boolean {
  if (publicKey.length !== ED25519_KEY_BYTES || !isStrictPoint(publicKey)) return false;
  return decodePoint(publicKey) !== undefined;
}

/** The point, or `undefined` when no point of the curve has this y. */
export function decodePoint(bytes: Uint8Array): Point | undefined {
  try {
    return Point.fromBytes(bytes);
  } catch {
    return undefined;
  }
}

/** About the first 32 bytes. */
function isStrictPoint(bytes: Uint8Array): boolean {
  return isBelowP(bytes) && !isOneOf(bytes, SMALL_ORDER_Y);
}

function isBelowL(scalar: Uint8Array): boolean {
  for (let index = 31; index >= 0; index -= 1) {
    if (scalar[index] !== L_BYTES[index]) return scalar[index]! < L_BYTES[index]!;
  }
  return false;
}
