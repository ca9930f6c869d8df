// Owns the provider for browsers and workers: @noble/*, no platform behind it but a source of random bytes.
// SPEC.md section 6 (#sec-ed25519, #sec-x25519).

import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { pow } from '@noble/curves/abstract/modular.js';
// Not `@noble/curves/ed25519.js`: that builds tables for groups that are not used here, 25 ms at every start.
import { montgomery } from '@noble/curves/abstract/montgomery.js';
import { Point, getPublicKey, hashes, sign } from '@noble/ed25519';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';

import { areAeadLengths, expectAeadLengths } from './aead.ts';
import { equalBytes, expectLength } from './bytes.ts';
import { P, fromLittleEndian } from './field-25519.ts';
import { hkdf } from './hkdf.ts';
import type { CryptoProvider } from './provider.ts';
import { createRandomBytes } from './random-pool.ts';
import {
  ED25519_KEY_BYTES,
  L,
  decodePoint,
  isEd25519PublicKey,
  isStrictEncoding,
} from './strict-ed25519.ts';
import { X25519_KEY_BYTES, isX25519PublicKey } from './strict-x25519.ts';

export function createNobleProvider(): CryptoProvider {
  // The library leaves the choice of SHA-512 to its user.
  hashes.sha512 ??= sha512;
  const x25519 = createX25519();
  return {
    name: 'noble',
    sha256,
    hmacSha256,
    hkdfSha256: (secret, salt, info, length) => hkdf(hmacSha256, secret, salt, info, length),
    randomBytes: createRandomBytes((bytes) => globalThis.crypto.getRandomValues(bytes)),
    ed25519PublicKey(secretKey) {
      expectLength('secretKey', secretKey, ED25519_KEY_BYTES);
      return getPublicKey(secretKey);
    },
    sign(message, secretKey) {
      expectLength('secretKey', secretKey, ED25519_KEY_BYTES);
      return sign(message, secretKey);
    },
    verify: (signature, message, publicKey) =>
      isStrictEncoding(signature, publicKey) && holds(signature, message, publicKey),
    isEd25519PublicKey,
    x25519PublicKey(secretKey) {
      expectLength('secretKey', secretKey, X25519_KEY_BYTES);
      return x25519.scalarMultBase(secretKey);
    },
    agree(secretKey, publicKey) {
      expectLength('secretKey', secretKey, X25519_KEY_BYTES);
      return isX25519PublicKey(publicKey) ? x25519.scalarMult(secretKey, publicKey) : undefined;
    },
    seal(key, nonce, plaintext) {
      expectAeadLengths(key, nonce);
      return chacha20poly1305(key, nonce).encrypt(plaintext);
    },
    open(key, nonce, sealed) {
      if (!areAeadLengths(key, nonce, sealed)) return undefined;
      try {
        return chacha20poly1305(key, nonce).decrypt(sealed);
      } catch {
        return undefined;
      }
    },
  };
}

function hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  return hmac(sha256, key, bytes);
}

/**
 * `[S]B − [k]A` written out must be R to the byte. The library's own `verify` multiplies by the cofactor first,
 * and so accepts signatures that others refuse.
 */
function holds(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  const a = decodePoint(publicKey);
  if (a === undefined) return false;
  const r = signature.subarray(0, 32);
  const s = fromLittleEndian(signature.subarray(32));
  const digest = sha512.create().update(r).update(publicKey).update(message).digest();
  const k = fromLittleEndian(digest) % L;
  const expected = Point.BASE.multiplyUnsafe(s).add(a.negate().multiplyUnsafe(k));
  return equalBytes(expected.toBytes(), r);
}

function createX25519(): ReturnType<typeof montgomery> {
  return montgomery({
    P,
    type: 'x25519',
    adjustScalarBytes(bytes: Uint8Array) {
      bytes[0]! &= 0b1111_1000;
      bytes[31]! &= 0b0111_1111;
      bytes[31]! |= 0b0100_0000;
      return bytes;
    },
    powPminus2: (x) => pow(x, P - 2n, P),
  });
}
