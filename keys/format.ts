// Owns keys in and out of text: raw base64url, PEM and JWK, told apart by how they look.

import type { CryptoProvider, KeyAlgorithm } from '../src/security/index.ts';
import { decodeBase64url, encodeBase64url, isPublicKey } from '../src/security/index.ts';
import { isJwk, readJwk, writeJwk } from './jwk.ts';
import { notAKey } from './error.ts';
import type { KeyKind } from './pem.ts';
import { isPem, readPem, writePem } from './pem.ts';
import type { PublicKey } from '../src/security/index.ts';
import { KEY_BYTES, SecretKey } from '../src/security/index.ts';

export type KeyFormat = 'raw' | 'pem' | 'jwk';

export interface ImportOptions {
  /** What the key has to be. Raw text does not say it itself, so there it is needed. */
  readonly alg?: KeyAlgorithm;
}

/** Longer text is no key, and a mistaken file name may bring any amount of it. */
const MAX_CHARACTERS = 8_192;

interface Parsed {
  readonly kind: KeyKind;
  readonly alg: KeyAlgorithm;
  readonly bytes: Uint8Array;
  /** The public half that stood beside a secret. */
  readonly publicKey?: Uint8Array;
}

/** Reads a secret key in any format; blanks and line ends around it do not matter. */
export function importSecretKey(
  text: string,
  crypto: CryptoProvider,
  options: ImportOptions = {},
): SecretKey {
  const { kind, alg, bytes, publicKey } = parse(text, 'secret', options.alg);
  if (kind === 'public') throw notAKey('this is a public key, and a secret key is needed');
  const key = new SecretKey(alg, bytes, crypto);
  if (publicKey !== undefined && encodeBase64url(publicKey) !== encodeBase64url(key.publicKey)) {
    throw notAKey('the halves of this key do not belong together');
  }
  return key;
}

/** Reads a public key in any format. A secret key is refused: where a public one is asked for, it is a mistake. */
export function importPublicKey(text: string, options: ImportOptions = {}): PublicKey {
  const { kind, alg, bytes } = parse(text, 'public', options.alg);
  if (kind === 'secret') {
    throw notAKey('this is a secret key; give its public key, and keep this one to yourself');
  }
  if (!isPublicKey(alg, bytes)) throw notAKey(`this is not an ${alg} public key that may be used`);
  return { alg, publicKey: bytes };
}

/** The secret in clear. The caller answers for where it goes. */
export function exportSecretKey(key: SecretKey, format: KeyFormat): string {
  const { alg, publicKey } = key;
  const secret = key.reveal();
  switch (format) {
    case 'raw':
      return encodeBase64url(secret);
    case 'pem':
      return writePem({ kind: 'secret', alg, bytes: secret });
    case 'jwk':
      return writeJwk({ alg, publicKey, secret });
    default:
      throw unknownFormat();
  }
}

export function exportPublicKey(key: PublicKey, format: KeyFormat): string {
  const { alg, publicKey } = key;
  switch (format) {
    case 'raw':
      return encodeBase64url(publicKey);
    case 'pem':
      return writePem({ kind: 'public', alg, bytes: publicKey });
    case 'jwk':
      return writeJwk({ alg, publicKey });
    default:
      throw unknownFormat();
  }
}

function parse(text: string, wanted: KeyKind, alg: KeyAlgorithm | undefined): Parsed {
  if (text.length > MAX_CHARACTERS) throw notAKey('this text is too long for a key');
  const parsed = parseTrimmed(text.trim(), wanted, alg);
  if (alg !== undefined && parsed.alg !== alg) {
    throw notAKey(`this is an ${parsed.alg} key, and an ${alg} key is needed`);
  }
  return parsed;
}

function parseTrimmed(text: string, wanted: KeyKind, alg: KeyAlgorithm | undefined): Parsed {
  if (isPem(text)) return readPem(text);
  if (isJwk(text)) {
    const { alg: found, publicKey, secret } = readJwk(text);
    return secret === undefined
      ? { kind: 'public', alg: found, bytes: publicKey }
      : { kind: 'secret', alg: found, bytes: secret, publicKey };
  }
  const bytes = decodeBase64url(text);
  if (bytes?.length !== KEY_BYTES) throw notAKey('this text is not a key');
  if (alg === undefined) throw notAKey('a raw key needs to be told its algorithm');
  return { kind: wanted, alg, bytes };
}

function unknownFormat(): TypeError {
  return new TypeError('"format" expected "raw", "pem" or "jwk"');
}
