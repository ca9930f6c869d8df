// Owns an identity as a JSON document for a file: the bundle in clear, the secrets in clear or under a passphrase.

import type { JsonObject, JsonValue } from '../src/codec/index.ts';
import { isJsonArray, isJsonObject, readJson, writeJson } from '../src/codec/index.ts';
import type { CryptoProvider, KeyBundle } from '../src/security/index.ts';
import { decodeBase64url, encodeBase64url, verifyStoredBundle } from '../src/security/index.ts';
import type { LocalIdentity, OperationalKey } from '../src/security/index.ts';
import { keyFileError } from './error.ts';
import type { ScryptCost } from './passphrase.ts';
import { decryptWithPassphrase, encryptWithPassphrase } from './passphrase.ts';
import { KEY_BYTES, SecretKey } from '../src/security/index.ts';

const FORMAT = 'a2a-sdl/identity/v1';

export interface WriteIdentityOptions {
  readonly crypto: CryptoProvider;
  /** Encrypts the secrets. */
  readonly passphrase?: string;
  readonly scryptCost?: ScryptCost;
}

export async function writeIdentity(
  identity: LocalIdentity,
  { crypto, passphrase, scryptCost }: WriteIdentityOptions,
): Promise<Uint8Array> {
  const secrets = {
    root: encodeBase64url(identity.root.reveal()),
    keys: identity.keys.map(({ kid, key }) => ({ kid, key: encodeBase64url(key.reveal()) })),
  };
  const head = { format: FORMAT, bundle: identity.bundle.document };
  if (passphrase === undefined) return writeJson({ ...head, secrets });
  const sealed = await encryptWithPassphrase(writeJson(secrets), passphrase, crypto, scryptCost);
  return writeJson({ ...head, sealed });
}

/** Reads an identity, and makes sure that every secret belongs to the key which the signed bundle names. */
export async function readIdentity(
  bytes: Uint8Array,
  crypto: CryptoProvider,
  passphrase?: string,
): Promise<LocalIdentity> {
  const document = readObject(bytes);
  if (document['format'] !== FORMAT) throw damaged();
  const bundle = await readBundle(document['bundle'], crypto);
  const secrets = await readSecrets(document, crypto, passphrase);
  const root = secretKey('ed25519', secrets['root'], bundle.rootKey, crypto);
  const { keys } = secrets;
  if (!isJsonArray(keys) || keys.length !== bundle.keys.length) throw damaged();
  return {
    agentId: bundle.agentId,
    root,
    bundle,
    keys: bundle.keys.map(({ kid, use, alg, publicKey, notAfterMs }, index): OperationalKey => {
      const entry = keys[index];
      if (!isJsonObject(entry) || entry['kid'] !== kid) throw damaged();
      return { kid, use, notAfterMs, key: secretKey(alg, entry['key'], publicKey, crypto) };
    }),
  };
}

async function readBundle(
  value: JsonValue | undefined,
  crypto: CryptoProvider,
): Promise<KeyBundle> {
  try {
    return await verifyStoredBundle(value ?? null, crypto);
  } catch (cause) {
    throw keyFileError('the key bundle in the identity file does not hold', cause);
  }
}

async function readSecrets(
  document: JsonObject,
  crypto: CryptoProvider,
  passphrase: string | undefined,
): Promise<JsonObject> {
  const { secrets, sealed } = document;
  if (sealed === undefined) {
    if (isJsonObject(secrets)) return secrets;
    throw damaged();
  }
  if (secrets !== undefined) throw damaged();
  if (passphrase === undefined) {
    throw keyFileError('this identity is protected: give its passphrase');
  }
  return readObject(await decryptWithPassphrase(sealed, passphrase, crypto));
}

function readObject(bytes: Uint8Array): JsonObject {
  let value: JsonValue;
  try {
    value = readJson(bytes);
  } catch {
    throw damaged();
  }
  if (!isJsonObject(value)) throw damaged();
  return value;
}

function secretKey(
  alg: SecretKey['alg'],
  value: JsonValue | undefined,
  publicKey: Uint8Array,
  crypto: CryptoProvider,
): SecretKey {
  const bytes = typeof value === 'string' ? decodeBase64url(value) : undefined;
  if (bytes?.length !== KEY_BYTES) throw damaged();
  const key = new SecretKey(alg, bytes, crypto);
  if (encodeBase64url(key.publicKey) !== encodeBase64url(publicKey)) throw damaged();
  return key;
}

function damaged(): Error {
  return keyFileError('the identity file is damaged or not one of ours: restore it from a copy');
}
