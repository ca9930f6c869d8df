// Owns a secret key in memory. Logs, JSON and errors show its public half only.

import type { CryptoProvider } from '../../crypto/provider.ts';
import type { KeyAlgorithm } from './public-key.ts';

export interface PublicKey {
  readonly alg: KeyAlgorithm;
  readonly publicKey: Uint8Array;
}

export const KEY_BYTES = 32;

export class SecretKey implements PublicKey {
  readonly alg: KeyAlgorithm;
  readonly publicKey: Uint8Array;
  // Private by language, so that printing or serialising the object cannot show it.
  readonly #secret: Uint8Array;

  /** `secret` is the Ed25519 seed or the X25519 scalar as bytes; it is copied. */
  constructor(alg: KeyAlgorithm, secret: Uint8Array, crypto: CryptoProvider) {
    if (secret.length !== KEY_BYTES) throw new RangeError(`"secret" expected ${KEY_BYTES} bytes`);
    this.alg = alg;
    this.#secret = Uint8Array.from(secret);
    this.publicKey =
      alg === 'ed25519' ? crypto.ed25519PublicKey(secret) : crypto.x25519PublicKey(secret);
  }

  static generate(alg: KeyAlgorithm, crypto: CryptoProvider): SecretKey {
    return new SecretKey(alg, crypto.randomBytes(KEY_BYTES), crypto);
  }

  /**
   * The secret bytes themselves, to sign, to agree, or to write to a safe place.
   * Always the same array, by which a provider knows a key that it has imported: not to be written to.
   */
  reveal(): Uint8Array {
    return this.#secret;
  }
}
