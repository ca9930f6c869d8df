// Owns the public keys of cards as JSON Web Keys, and what verifies under one. SPEC.md section 21 (#a2a-card-verify).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { isJsonArray, isJsonObject } from '../../../src/codec/index.ts';
import type { CryptoProvider } from '../../../src/security/index.ts';
import { decodeBase64url, encodeBase64url } from '../../../src/security/index.ts';
import type { SignerKey } from '../../../src/transport.ts';

/** Asymmetric, and each with one kind of key: nobody can have one read as the other. */
export const CARD_ALGORITHMS = ['EdDSA', 'ES256'] as const;
export type CardAlgorithm = (typeof CARD_ALGORITHMS)[number];

/** Of one card, or of one key set: no more are looked at. */
export const MOST_KEYS = 64;

/** A JSON Web Key (RFC 7517). Other members are not read. */
export interface CardKey {
  readonly kid: string;
  readonly kty: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  /** @default what its curve is for */
  readonly alg?: string;
  /** @default signatures */
  readonly use?: string;
}

/** The keys of the agent for `/.well-known/jwks.json`. */
export function keySetOf(keys: readonly SignerKey[]): JsonObject {
  return {
    keys: keys.map(({ kid, publicKey }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: encodeBase64url(publicKey),
      kid,
      alg: 'EdDSA',
      use: 'sig',
    })),
  };
}

/** The keys of a JSON Web Key Set that can verify a card. */
export function cardKeysIn(keys: JsonValue): readonly CardKey[] {
  if (!isJsonArray(keys)) return [];
  return keys.slice(0, MOST_KEYS).flatMap((entry) => {
    if (!isJsonObject(entry)) return [];
    const { kid, kty, crv, x, y, alg, use } = entry;
    if (typeof kid !== 'string' || typeof kty !== 'string') return [];
    const texts = { crv, x, y, alg, use };
    const known = Object.entries(texts).filter(([, value]) => typeof value === 'string');
    return [{ kid, kty, ...Object.fromEntries(known) }];
  });
}

const P256 = { name: 'ECDSA', namedCurve: 'P-256' };

/** False too where the key is for another algorithm, for encryption, or no key at all. */
export async function verifyWith(
  key: CardKey,
  alg: CardAlgorithm,
  signature: Uint8Array,
  input: Uint8Array,
  crypto: Pick<CryptoProvider, 'verify'>,
): Promise<boolean> {
  if ((key.alg ?? alg) !== alg || (key.use ?? 'sig') !== 'sig') return false;
  const { kty, crv, x = '', y = '' } = key;
  if (alg === 'EdDSA') {
    const publicKey = kty === 'OKP' && crv === 'Ed25519' ? decodeBase64url(x) : undefined;
    return publicKey !== undefined && crypto.verify(signature, input, publicKey);
  }
  if (kty !== 'EC' || crv !== 'P-256') return false;
  const { subtle } = globalThis.crypto;
  try {
    const imported = await subtle.importKey('jwk', { kty, crv, x, y }, P256, false, ['verify']);
    return await subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, imported, signature, input);
  } catch {
    // No point on the curve.
    return false;
  }
}
