// Owns secrets under a passphrase: scrypt makes the key, ChaCha20-Poly1305 encrypts.

import { scrypt } from 'node:crypto';

import type { JsonObject, JsonValue } from '../src/codec/index.ts';
import { isJsonObject } from '../src/codec/index.ts';
import type { CryptoProvider } from '../src/security/index.ts';
import { decodeBase64url, encodeBase64url } from '../src/security/index.ts';
import { keyFileError, wrongPassphrase } from './error.ts';

/** What guessing one passphrase costs: 128 · n · r bytes of memory, p times. */
export interface ScryptCost {
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

/** 128 MiB and some tenths of a second a guess. */
export const DEFAULT_SCRYPT_COST: ScryptCost = Object.freeze({ n: 2 ** 17, r: 8, p: 1 });

// A file could ask for any amount of memory, or for so little work that guessing is free.
const MIN_N = 2 ** 14;
const MAX_MEMORY = 2 ** 30;
const MAX_P = 16;

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const MEMBERS = new Set(['kdf', 'n', 'r', 'p', 'salt', 'nonce', 'ciphertext']);

/** Encrypts a secret under a passphrase. The result holds all that is needed to open it, except the passphrase. */
export async function encryptWithPassphrase(
  secret: Uint8Array,
  passphrase: string,
  crypto: CryptoProvider,
  cost: ScryptCost = DEFAULT_SCRYPT_COST,
): Promise<JsonObject> {
  if (!isBearable(cost))
    throw new RangeError('"cost" is higher or lower than a reader of the file accepts');
  const salt = crypto.randomBytes(SALT_BYTES);
  const nonce = crypto.randomBytes(NONCE_BYTES);
  const key = await deriveKey(passphrase, salt, cost);
  return {
    kdf: 'scrypt',
    n: cost.n,
    r: cost.r,
    p: cost.p,
    salt: encodeBase64url(salt),
    nonce: encodeBase64url(nonce),
    ciphertext: encodeBase64url(crypto.seal(key, nonce, secret)),
  };
}

/** The secret, or one error for a wrong passphrase and for a changed file. */
export async function decryptWithPassphrase(
  encrypted: JsonValue,
  passphrase: string,
  crypto: CryptoProvider,
): Promise<Uint8Array> {
  const { salt, nonce, ciphertext, ...cost } = readEncrypted(encrypted);
  const key = await deriveKey(passphrase, salt, cost);
  const secret = crypto.open(key, nonce, ciphertext);
  if (secret === undefined) throw wrongPassphrase();
  return secret;
}

interface EncryptedSecret extends ScryptCost {
  readonly salt: Uint8Array;
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
}

function readEncrypted(value: JsonValue): EncryptedSecret {
  if (!isJsonObject(value) || Object.keys(value).some((name) => !MEMBERS.has(name))) {
    throw keyFileError('the encrypted secret is not in a known form');
  }
  const { kdf, n, r, p } = value;
  const salt = bytesOf(value['salt']);
  const nonce = bytesOf(value['nonce']);
  const ciphertext = bytesOf(value['ciphertext']);
  if (kdf !== 'scrypt' || salt?.length !== SALT_BYTES || nonce?.length !== NONCE_BYTES) {
    throw keyFileError('the encrypted secret is not in a known form');
  }
  if (ciphertext === undefined) throw keyFileError('the encrypted secret is not in a known form');
  if (typeof n !== 'number' || typeof r !== 'number' || typeof p !== 'number') {
    throw keyFileError('the encrypted secret does not hold the numbers n, r and p of scrypt');
  }
  if (!isBearable({ n, r, p })) {
    throw keyFileError('the encrypted secret asks for too much or too little work');
  }
  return { n, r, p, salt, nonce, ciphertext };
}

function isBearable({ n, r, p }: ScryptCost): boolean {
  if (![n, r, p].every((value) => Number.isSafeInteger(value) && value >= 1)) return false;
  if (n < MIN_N || !Number.isInteger(Math.log2(n))) return false;
  return r >= 8 && p <= MAX_P && 128 * n * r <= MAX_MEMORY;
}

function deriveKey(passphrase: string, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array> {
  if (passphrase === '') throw new RangeError('"passphrase" must not be empty');
  const { n: N, r, p } = cost;
  // One accented letter has several spellings, and keyboards differ in which they give.
  const text = passphrase.normalize('NFC');
  const options = { N, r, p, maxmem: 2 * 128 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(text, salt, 32, options, (error, key) => {
      if (error === null) resolve(Uint8Array.from(key));
      else reject(error);
    });
  });
}

function bytesOf(value: JsonValue | undefined): Uint8Array | undefined {
  return typeof value === 'string' ? decodeBase64url(value) : undefined;
}
