// Owns which X25519 public keys may be multiplied at all. SPEC.md section 6 (#sec-x25519).

import { P, isBelowP, isOneOf, littleEndian } from './field-25519.ts';

export const X25519_KEY_BYTES = 32;

/**
 * The u whose order divides 8, on the curve or on its twist. A clamped scalar is a multiple of 8 and, divided by 8,
 * smaller than both prime orders: it sends these and no others to zero.
 */
const LOW_ORDER_U: readonly Uint8Array[] = [
  0n,
  1n,
  P - 1n,
  0x00b8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0n,
  0x57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5fn,
].map(littleEndian);

/**
 * Refuses a wrong length, u ≥ p, bit 255 and every u that gives a zero secret.
 * RFC 7748 would mask bit 255; here one key has one encoding, so that no second `eph` text means the same key.
 */
export function isX25519PublicKey(publicKey: Uint8Array): boolean {
  return (
    publicKey.length === X25519_KEY_BYTES &&
    (publicKey[31]! & 0x80) === 0 &&
    isBelowP(publicKey) &&
    !isOneOf(publicKey, LOW_ORDER_U)
  );
}
