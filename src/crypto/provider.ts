// Owns what the runtime asks of cryptography, and the choice of who does it. SPEC.md section 6 (#sec-ed25519, #sec-x25519).

import { createNativeProvider } from './native.ts';
import { createNobleProvider } from './noble.ts';
import { createSodiumProvider } from './sodium.ts';

export type MaybePromise<T> = T | Promise<T>;

export type ProviderName = 'sodium' | 'native' | 'noble';

/**
 * The primitives. Every implementation gives the same answer to every input.
 * Input from a peer never throws: it is `false` or `undefined`. Own keys of a wrong length are a TypeError.
 * The functions need no `this`.
 */
export interface CryptoProvider {
  readonly name: ProviderName;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  readonly hmacSha256: (key: Uint8Array, bytes: Uint8Array) => Uint8Array;
  /** RFC 5869. RangeError when `length` is more than 255 × 32. */
  readonly hkdfSha256: (
    secret: Uint8Array,
    salt: Uint8Array,
    info: Uint8Array,
    length: number,
  ) => Uint8Array;
  readonly randomBytes: (length: number) => Uint8Array;
  /** The public key of a 32-byte seed. */
  readonly ed25519PublicKey: (secretKey: Uint8Array) => Uint8Array;
  readonly sign: (message: Uint8Array, secretKey: Uint8Array) => MaybePromise<Uint8Array>;
  /** The strict rule: cofactorless, S < L, A and R canonical and not of small order. */
  readonly verify: (
    signature: Uint8Array,
    message: Uint8Array,
    publicKey: Uint8Array,
  ) => MaybePromise<boolean>;
  /** Canonical, on the curve and not of small order: the keys under which something can verify. */
  readonly isEd25519PublicKey: (publicKey: Uint8Array) => boolean;
  readonly x25519PublicKey: (secretKey: Uint8Array) => Uint8Array;
  /** The shared secret; `undefined` for a public key that is not canonical or gives zero. */
  readonly agree: (secretKey: Uint8Array, publicKey: Uint8Array) => Uint8Array | undefined;
  /** ChaCha20-Poly1305 of RFC 8439 without associated data: ciphertext, then tag. */
  readonly seal: (key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array) => Uint8Array;
  /** The plaintext; `undefined` for a wrong key, nonce, length or tag alike. */
  readonly open: (key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array) => Uint8Array | undefined;
}

/** Makes each provider; throws an Error where it cannot run. */
export type ProviderMakers = Readonly<Record<ProviderName, () => CryptoProvider>>;

const MAKERS: ProviderMakers = {
  sodium: once(createSodiumProvider),
  native: once(createNativeProvider),
  noble: once(createNobleProvider),
};

const BEST_FIRST: readonly ProviderName[] = ['sodium', 'native', 'noble'];

/**
 * The named provider, or with `auto` the fastest that runs here: sodium, native, noble.
 * A named one that cannot run throws an Error that says what to do. Keys stay imported between calls.
 */
export function chooseProvider(
  name: 'auto' | ProviderName = 'auto',
  makers: ProviderMakers = MAKERS,
): CryptoProvider {
  if (name === 'auto') return firstThatRuns(makers);
  if (!BEST_FIRST.includes(name)) {
    throw new TypeError('"name" expected auto, sodium, native or noble');
  }
  return makers[name]();
}

function firstThatRuns(makers: ProviderMakers): CryptoProvider {
  for (const name of BEST_FIRST) {
    if (name === 'noble') break;
    try {
      return makers[name]();
    } catch {
      // Not on this platform: the next one gives the same answers, only slower.
    }
  }
  return makers.noble();
}

function once(make: () => CryptoProvider): () => CryptoProvider {
  let made: CryptoProvider | undefined;
  return () => (made ??= make());
}
