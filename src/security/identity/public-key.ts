// Owns which public keys may be taken in at all, by algorithm. SPEC.md section 6 (#sec-ed25519, #sec-x25519).

import { isEd25519PublicKey } from '../../crypto/strict-ed25519.ts';
import { isX25519PublicKey } from '../../crypto/strict-x25519.ts';

/** The algorithms of keys, in the spelling of the wire. */
export type KeyAlgorithm = 'ed25519' | 'x25519';

/** True for 32 bytes that are one key, canonically, and not a weak one (W35). */
export function isPublicKey(alg: KeyAlgorithm, bytes: Uint8Array): boolean {
  return alg === 'ed25519' ? isEd25519PublicKey(bytes) : isX25519PublicKey(bytes);
}
