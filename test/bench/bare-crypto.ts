// The bare calls of the libraries under the crypto providers, with their long-term keys already imported.

import * as node from 'node:crypto';
import { createRequire } from 'node:module';

import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { x25519 } from '@noble/curves/ed25519.js';
import * as ed25519 from '@noble/ed25519';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';

import { createNobleProvider } from '../../src/crypto/noble.ts';
import type { Sodium } from '../../src/crypto/sodium.ts';

export type Operation =
  | 'sign'
  | 'verify'
  | 'agree'
  | 'hkdf'
  | 'seal'
  | 'open'
  /** A fresh pair, with its public half as bytes. */
  | 'keyPair'
  /** Takes in a public key that was not seen before. */
  | 'takeKey'
  /** As `seal` and `open`, of 32 bytes. */
  | 'wrap'
  | 'unwrap';
export type Calls = Readonly<Record<Operation, () => unknown>>;

const noble = createNobleProvider();
export const secretKey: Uint8Array = noble.randomBytes(32);
export const publicKey: Uint8Array = noble.ed25519PublicKey(secretKey);
export const agreeKey: Uint8Array = noble.randomBytes(32);
export const ownKey: Uint8Array = noble.x25519PublicKey(agreeKey);
export const peerKey: Uint8Array = noble.x25519PublicKey(noble.randomBytes(32));
export const nonce: Uint8Array = noble.randomBytes(12);
export const none: Uint8Array = new Uint8Array(0);
export const info: Uint8Array = new TextEncoder().encode('a2a-sdl-key-wrap-v1');
const contentKey = noble.randomBytes(32);
const wrapped = noble.seal(agreeKey, nonce, contentKey);

export function bareNode(message: Uint8Array): Calls {
  const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
  const okp = (crv: string, x: Uint8Array, d?: Uint8Array): node.JsonWebKey => ({
    kty: 'OKP',
    crv,
    x: base64url(x),
    ...(d === undefined ? {} : { d: base64url(d) }),
  });
  const secretOf = (key: node.JsonWebKey): node.KeyObject =>
    node.createPrivateKey({ key, format: 'jwk' });
  const publicOf = (key: node.JsonWebKey): node.KeyObject =>
    node.createPublicKey({ key, format: 'jwk' });
  const signer = secretOf(okp('Ed25519', publicKey, secretKey));
  const verifier = publicOf(okp('Ed25519', publicKey));
  const peerJwk = okp('X25519', peerKey);
  const keys = {
    privateKey: secretOf(okp('X25519', ownKey, agreeKey)),
    publicKey: publicOf(peerJwk),
  };
  const signature = node.sign(null, message, signer);
  const sealed = noble.seal(agreeKey, nonce, message);
  const options = { authTagLength: 16 };
  const seal = (plaintext: Uint8Array): unknown => {
    const cipher = node.createCipheriv('chacha20-poly1305', agreeKey, nonce, options);
    return [cipher.update(plaintext), cipher.final(), cipher.getAuthTag()];
  };
  const open = (ciphertext: Uint8Array): unknown => {
    const decipher = node.createDecipheriv('chacha20-poly1305', agreeKey, nonce, options);
    decipher.setAuthTag(ciphertext.subarray(-16));
    return [decipher.update(ciphertext.subarray(0, -16)), decipher.final()];
  };
  return {
    sign: () => node.sign(null, message, signer),
    verify: () => node.verify(null, message, verifier, signature),
    agree: () => node.diffieHellman(keys),
    hkdf: bareHkdf,
    seal: () => seal(message),
    open: () => open(sealed),
    keyPair: () => node.generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }),
    takeKey: () => publicOf(peerJwk),
    wrap: () => seal(contentKey),
    unwrap: () => open(wrapped),
  };
}

export function bareNoble(message: Uint8Array): Calls {
  const signature = noble.sign(message, secretKey) as Uint8Array;
  const sealed = noble.seal(agreeKey, nonce, message);
  return {
    sign: () => ed25519.sign(message, secretKey),
    verify: () => ed25519.verify(signature, message, publicKey),
    agree: () => x25519.getSharedSecret(agreeKey, peerKey),
    hkdf: () => hkdf(sha256, agreeKey, none, info, 32),
    seal: () => chacha20poly1305(agreeKey, nonce).encrypt(message),
    open: () => chacha20poly1305(agreeKey, nonce).decrypt(sealed),
    keyPair: () => x25519.keygen(),
    takeKey: () => undefined,
    wrap: () => chacha20poly1305(agreeKey, nonce).encrypt(contentKey),
    unwrap: () => chacha20poly1305(agreeKey, nonce).decrypt(wrapped),
  };
}

export function bareSodium(sodium: Sodium, message: Uint8Array): Calls {
  const longKey = new Uint8Array(64);
  sodium.crypto_sign_seed_keypair(new Uint8Array(32), longKey, secretKey);
  const signature = noble.sign(message, secretKey) as Uint8Array;
  const sealed = noble.seal(agreeKey, nonce, message);
  const out = { sign: new Uint8Array(64), key: new Uint8Array(32) };
  const seal = (into: Uint8Array, plaintext: Uint8Array): void =>
    sodium.crypto_aead_chacha20poly1305_ietf_encrypt(into, plaintext, null, null, nonce, agreeKey);
  const open = (into: Uint8Array, ciphertext: Uint8Array): void =>
    sodium.crypto_aead_chacha20poly1305_ietf_decrypt(into, null, ciphertext, null, nonce, agreeKey);
  const whole = { sealed: new Uint8Array(sealed.length), opened: new Uint8Array(message.length) };
  const small = { sealed: new Uint8Array(wrapped.length), opened: new Uint8Array(32) };
  return {
    sign: () => sodium.crypto_sign_detached(out.sign, message, longKey),
    verify: () => sodium.crypto_sign_verify_detached(signature, message, publicKey),
    agree: () => sodium.crypto_scalarmult(out.key, agreeKey, peerKey),
    hkdf: bareHkdf,
    seal: () => seal(whole.sealed, message),
    open: () => open(whole.opened, sealed),
    keyPair: () => sodium.crypto_scalarmult_base(out.key, agreeKey),
    takeKey: () => undefined,
    wrap: () => seal(small.sealed, contentKey),
    unwrap: () => open(small.opened, wrapped),
  };
}

/** Node's, for sodium too: the package has no HKDF. */
function bareHkdf(): unknown {
  return node.hkdfSync('sha256', agreeKey, none, info, 32);
}

export function installedSodium(): Sodium | undefined {
  try {
    return createRequire(import.meta.url)('sodium-native') as Sodium;
  } catch {
    return undefined;
  }
}
