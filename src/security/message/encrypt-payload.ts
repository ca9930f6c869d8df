// Owns the encryption of payloads: one content key, wrapped for each recipient. SPEC.md section 6 (#sec-encrypt, #sec-undecryptable).

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts';
import { encodeUtf8 } from '../../codec/utf8.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import type { Recipient, Sec } from '../../envelope/types.ts';
import { SdlError } from '../../errors.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const WRAP_INFO = encodeUtf8('a2a-sdl-key-wrap-v1');
const NO_SALT = new Uint8Array(0);

/** `sec.enc` of an envelope. */
export type EncryptionBlock = NonNullable<Sec['enc']>;

export interface RecipientKey {
  readonly kid: string;
  /** X25519 public key. */
  readonly publicKey: Uint8Array;
}

export interface EncryptedPayload {
  readonly enc: EncryptionBlock;
  /** What `sec.x.bind` is keyed with. It must not outlive the message. */
  readonly contentKey: Uint8Array;
}

/** Encrypts the canonical bytes of a payload to every recipient. */
export function encryptPayload(
  plaintext: Uint8Array,
  recipients: readonly RecipientKey[],
  crypto: CryptoProvider,
): EncryptedPayload {
  const contentKey = crypto.randomBytes(KEY_BYTES);
  const nonce = crypto.randomBytes(NONCE_BYTES);
  const enc: EncryptionBlock = {
    alg: 'x25519-chacha20poly1305',
    nonce: encodeBase64url(nonce),
    ciphertext: encodeBase64url(crypto.seal(contentKey, nonce, plaintext)),
    recipients: recipients.map((recipient) => wrapKey(contentKey, recipient, crypto)),
  };
  return { enc, contentKey };
}

export interface DecryptedPayload {
  readonly plaintext: Uint8Array;
  readonly contentKey: Uint8Array;
}

/**
 * Decrypts with the first of our own keys that the block names; `secretKeyOf` answers `undefined` for a kid that is
 * not ours. Whatever fails, the error is the same: which step it was would help only an attacker.
 */
export function decryptPayload(
  enc: EncryptionBlock,
  secretKeyOf: (kid: string) => Uint8Array | undefined,
  crypto: CryptoProvider,
): DecryptedPayload {
  for (const recipient of enc.recipients) {
    const secretKey = secretKeyOf(recipient.kid);
    if (secretKey === undefined) continue;
    const contentKey = unwrapKey(recipient, secretKey, crypto);
    const plaintext = contentKey && decrypt(enc, contentKey, crypto);
    if (contentKey === undefined || plaintext === undefined) break; // one attempt: more would be an oracle's work
    return { plaintext, contentKey };
  }
  throw new SdlError('DECRYPT_FAILED', 'the payload cannot be opened');
}

function wrapKey(
  contentKey: Uint8Array,
  { kid, publicKey }: RecipientKey,
  crypto: CryptoProvider,
): Recipient {
  const ephemeral = crypto.randomBytes(KEY_BYTES);
  const wrapKeyBytes = deriveWrapKey(ephemeral, publicKey, crypto);
  if (wrapKeyBytes === undefined) {
    throw new TypeError(`the encryption key "${kid}" is not a usable X25519 public key`);
  }
  const wn = crypto.randomBytes(NONCE_BYTES);
  return {
    kid,
    eph: encodeBase64url(crypto.x25519PublicKey(ephemeral)),
    wn: encodeBase64url(wn),
    ek: encodeBase64url(crypto.seal(wrapKeyBytes, wn, contentKey)),
  };
}

function unwrapKey(
  { eph, wn, ek }: Recipient,
  secretKey: Uint8Array,
  crypto: CryptoProvider,
): Uint8Array | undefined {
  const ephemeral = decodeBase64url(eph);
  const nonce = decodeBase64url(wn);
  const wrapped = decodeBase64url(ek);
  if (ephemeral === undefined || wrapped === undefined || nonce?.length !== NONCE_BYTES) {
    return undefined;
  }
  const wrapKeyBytes = deriveWrapKey(secretKey, ephemeral, crypto);
  const contentKey = wrapKeyBytes && crypto.open(wrapKeyBytes, nonce, wrapped);
  return contentKey?.length === KEY_BYTES ? contentKey : undefined;
}

function deriveWrapKey(
  secretKey: Uint8Array,
  publicKey: Uint8Array,
  crypto: CryptoProvider,
): Uint8Array | undefined {
  const shared = crypto.agree(secretKey, publicKey);
  return shared && crypto.hkdfSha256(shared, NO_SALT, WRAP_INFO, KEY_BYTES);
}

function decrypt(
  { nonce, ciphertext }: EncryptionBlock,
  contentKey: Uint8Array,
  crypto: CryptoProvider,
): Uint8Array | undefined {
  const nonceBytes = decodeBase64url(nonce);
  const sealed = decodeBase64url(ciphertext);
  if (sealed === undefined || nonceBytes?.length !== NONCE_BYTES) return undefined;
  return crypto.open(contentKey, nonceBytes, sealed);
}
