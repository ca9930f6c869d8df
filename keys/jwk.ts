// Owns keys as JSON Web Keys: key type OKP, curves Ed25519 and X25519 (RFC 8037).

import type { JsonObject, JsonValue } from '../src/codec/index.ts';
import { isJsonObject, readJson, writeJson } from '../src/codec/index.ts';
import { resolveLimits } from '../src/limits.ts';
import type { KeyAlgorithm } from '../src/security/index.ts';
import { JWK_CURVES, decodeBase64url, encodeBase64url } from '../src/security/index.ts';
import { notAKey } from './error.ts';
import { KEY_BYTES } from '../src/security/index.ts';

export interface JwkKey {
  readonly alg: KeyAlgorithm;
  readonly publicKey: Uint8Array;
  /** `d`; absent on a public key. */
  readonly secret?: Uint8Array;
}

const LIMITS = resolveLimits({ maxBytes: 8_192, maxDepth: 8 });

export function isJwk(text: string): boolean {
  return text.startsWith('{');
}

/** Reads one key. Members that it does not need are ignored, as RFC 7517 asks; `d` is not yet held against `x`. */
export function readJwk(text: string): JwkKey {
  const jwk = readObject(text);
  if (jwk['kty'] !== 'OKP') throw notAKey('this JWK is not of key type OKP');
  const alg = curveOf(jwk['crv']);
  const publicKey = keyBytes(jwk['x'], 'x');
  if (!Object.hasOwn(jwk, 'd')) return { alg, publicKey };
  return { alg, publicKey, secret: keyBytes(jwk['d'], 'd') };
}

export function writeJwk({ alg, publicKey, secret }: JwkKey): string {
  const members = { kty: 'OKP', crv: JWK_CURVES[alg], x: encodeBase64url(publicKey) };
  const jwk = secret === undefined ? members : { ...members, d: encodeBase64url(secret) };
  return new TextDecoder().decode(writeJson(jwk));
}

function readObject(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = readJson(new TextEncoder().encode(text), LIMITS);
  } catch {
    // The reader's own error is dropped: it speaks of places in a text that may be a secret.
    throw notAKey('this JWK is not valid JSON');
  }
  if (!isJsonObject(value)) throw notAKey('this JWK is not an object');
  return value;
}

function curveOf(crv: JsonValue | undefined): KeyAlgorithm {
  for (const alg of ['ed25519', 'x25519'] as const) if (crv === JWK_CURVES[alg]) return alg;
  throw notAKey('the curve of this JWK is neither Ed25519 nor X25519');
}

function keyBytes(value: JsonValue | undefined, name: string): Uint8Array {
  const bytes = typeof value === 'string' ? decodeBase64url(value) : undefined;
  if (bytes?.length !== KEY_BYTES) {
    throw notAKey(`the member "${name}" of this JWK is not ${KEY_BYTES} bytes in base64url`);
  }
  return bytes;
}
