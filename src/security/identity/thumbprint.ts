// Owns the default key id: the RFC 7638 thumbprint of the key. SPEC.md section 10 (#kid).

import { LRUCache } from 'lru-cache';

import { encodeBase64url } from '../../codec/base64url.ts';
import { writeJcs } from '../../codec/canonical-jcs.ts';
import { sha256 } from '../../crypto/sha256.ts';
import type { KeyAlgorithm } from './public-key.ts';

/** The algorithms in the spelling of JSON Web Keys (RFC 8037). */
export const JWK_CURVES: Readonly<Record<KeyAlgorithm, string>> = {
  ed25519: 'Ed25519',
  x25519: 'X25519',
};

/** Every message asks several times for that of its sender. */
const known = new LRUCache<string, string>({ max: 1_024 });

/** The base64url SHA-256 of the public key as a minimal JSON Web Key. */
export function thumbprint(alg: KeyAlgorithm, publicKey: Uint8Array): string {
  if (publicKey.length !== 32) throw new RangeError('"publicKey" expected 32 bytes');
  const name = alg + String.fromCharCode(...publicKey);
  let print = known.get(name);
  if (print === undefined) known.set(name, (print = computeThumbprint(alg, publicKey)));
  return print;
}

function computeThumbprint(alg: KeyAlgorithm, publicKey: Uint8Array): string {
  // RFC 7638 wants exactly the required members, sorted and compact, which is their JCS form.
  const required = { crv: JWK_CURVES[alg], kty: 'OKP', x: encodeBase64url(publicKey) };
  return encodeBase64url(sha256(writeJcs(required)));
}
