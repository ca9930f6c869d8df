// Owns the provider on libsodium through the optional package sodium-native. SPEC.md section 6 (#sec-ed25519, #sec-x25519).

import { TAG_BYTES, areAeadLengths, expectAeadLengths } from './aead.ts';
import { expectLength } from './bytes.ts';
import { expectCofactorless } from './equation-probe.ts';
import { cacheSecretKeys } from './key-cache.ts';
import { createNodeHashing } from './node-hashing.ts';
import { nodeCrypto, requireOptional } from './node-modules.ts';
import type { CryptoProvider } from './provider.ts';
import { ED25519_KEY_BYTES, isEd25519PublicKey, isStrictEncoding } from './strict-ed25519.ts';
import { X25519_KEY_BYTES, isX25519PublicKey } from './strict-x25519.ts';

/** The part of sodium-native that is used: every call fills its first arrays. */
export interface Sodium {
  readonly crypto_sign_seed_keypair: (
    publicKey: Uint8Array,
    secretKey: Uint8Array,
    seed: Uint8Array,
  ) => void;
  readonly crypto_sign_detached: (
    signature: Uint8Array,
    message: Uint8Array,
    secretKey: Uint8Array,
  ) => void;
  readonly crypto_sign_verify_detached: (
    signature: Uint8Array,
    message: Uint8Array,
    publicKey: Uint8Array,
  ) => boolean;
  readonly crypto_scalarmult_base: (publicKey: Uint8Array, secretKey: Uint8Array) => void;
  readonly crypto_scalarmult: (
    shared: Uint8Array,
    secretKey: Uint8Array,
    publicKey: Uint8Array,
  ) => void;
  readonly crypto_aead_chacha20poly1305_ietf_encrypt: (
    sealed: Uint8Array,
    plaintext: Uint8Array,
    associated: null,
    secretNonce: null,
    nonce: Uint8Array,
    key: Uint8Array,
  ) => void;
  readonly crypto_aead_chacha20poly1305_ietf_decrypt: (
    plaintext: Uint8Array,
    secretNonce: null,
    sealed: Uint8Array,
    associated: null,
    nonce: Uint8Array,
    key: Uint8Array,
  ) => void;
}

/** Hashes and random bytes are Node's: its SHA-256 uses the processor's, libsodium's does not. */
export function createSodiumProvider(
  load: (name: string) => unknown = requireOptional,
): CryptoProvider {
  const sodium = loadSodium(load);
  if (nodeCrypto === undefined) {
    throw new Error('node:crypto is not here; choose the provider "noble"');
  }
  expectCofactorless(sodium.crypto_sign_verify_detached);
  const keyPair = cacheSecretKeys((seed) => {
    const publicKey = new Uint8Array(ED25519_KEY_BYTES);
    const secretKey = new Uint8Array(2 * ED25519_KEY_BYTES);
    sodium.crypto_sign_seed_keypair(publicKey, secretKey, seed);
    return { publicKey, secretKey };
  });

  return {
    name: 'sodium',
    ...createNodeHashing(nodeCrypto),
    ed25519PublicKey(secretKey) {
      expectLength('secretKey', secretKey, ED25519_KEY_BYTES);
      return keyPair(secretKey).publicKey.slice();
    },
    sign(message, secretKey) {
      expectLength('secretKey', secretKey, ED25519_KEY_BYTES);
      const signature = new Uint8Array(64);
      sodium.crypto_sign_detached(signature, message, keyPair(secretKey).secretKey);
      return signature;
    },
    verify: (signature, message, publicKey) =>
      isStrictEncoding(signature, publicKey) &&
      sodium.crypto_sign_verify_detached(signature, message, publicKey),
    isEd25519PublicKey,
    x25519PublicKey(secretKey) {
      expectLength('secretKey', secretKey, X25519_KEY_BYTES);
      const publicKey = new Uint8Array(X25519_KEY_BYTES);
      sodium.crypto_scalarmult_base(publicKey, secretKey);
      return publicKey;
    },
    agree(secretKey, publicKey) {
      expectLength('secretKey', secretKey, X25519_KEY_BYTES);
      if (!isX25519PublicKey(publicKey)) return undefined;
      const shared = new Uint8Array(X25519_KEY_BYTES);
      sodium.crypto_scalarmult(shared, secretKey, publicKey);
      return shared;
    },
    seal(key, nonce, plaintext) {
      expectAeadLengths(key, nonce);
      const sealed = new Uint8Array(plaintext.length + TAG_BYTES);
      sodium.crypto_aead_chacha20poly1305_ietf_encrypt(sealed, plaintext, null, null, nonce, key);
      return sealed;
    },
    open(key, nonce, sealed) {
      if (!areAeadLengths(key, nonce, sealed)) return undefined;
      const plaintext = new Uint8Array(sealed.length - TAG_BYTES);
      try {
        sodium.crypto_aead_chacha20poly1305_ietf_decrypt(plaintext, null, sealed, null, nonce, key);
      } catch {
        return undefined;
      }
      return plaintext;
    },
  };
}

function loadSodium(load: (name: string) => unknown): Sodium {
  try {
    return load('sodium-native') as Sodium;
  } catch (cause) {
    throw new Error(
      'sodium-native could not be loaded; run "npm install sodium-native", or choose the provider "auto"',
      { cause },
    );
  }
}
