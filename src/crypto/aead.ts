// Owns the sizes of ChaCha20-Poly1305 (RFC 8439) and the checks on them. SPEC.md section 6 (#sec-encrypt).

import { expectLength } from './bytes.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** For sealing: key and nonce are ours. */
export function expectAeadLengths(key: Uint8Array, nonce: Uint8Array): void {
  expectLength('key', key, KEY_BYTES);
  expectLength('nonce', nonce, NONCE_BYTES);
}

/** For opening: all three may come from a peer. */
export function areAeadLengths(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): boolean {
  return key.length === KEY_BYTES && nonce.length === NONCE_BYTES && sealed.length >= TAG_BYTES;
}
