// Owns SHA-256, HMAC, HKDF and random bytes by Node's crypto, for every provider that runs on Node.

import { hkdf } from './hkdf.ts';
import type { NodeCrypto } from './node-modules.ts';
import type { CryptoProvider } from './provider.ts';
import { createRandomBytes } from './random-pool.ts';
import { createNodeSha256 } from './sha256.ts';

type Hashing = Pick<CryptoProvider, 'sha256' | 'hmacSha256' | 'hkdfSha256' | 'randomBytes'>;

/** Answers are plain `Uint8Array`s: a `Buffer` slices without copying and prints differently. */
export function createNodeHashing(node: NodeCrypto): Hashing {
  const hmacSha256 = (key: Uint8Array, bytes: Uint8Array): Uint8Array =>
    new Uint8Array(node.createHmac('sha256', key).update(bytes).digest());
  return {
    sha256: createNodeSha256(node),
    hmacSha256,
    // Two HMACs take half the time of the platform's own HKDF.
    hkdfSha256: (secret, salt, info, length) => hkdf(hmacSha256, secret, salt, info, length),
    randomBytes: createRandomBytes((bytes) => node.randomFillSync(bytes)),
  };
}
