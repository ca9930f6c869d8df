// Owns the provider on node:crypto, with the checks that OpenSSL leaves out. SPEC.md section 6 (#sec-ed25519, #sec-x25519).

import { TAG_BYTES, areAeadLengths, expectAeadLengths } from './aead.ts';
import { equalBytes, expectLength } from './bytes.ts';
import { expectCofactorless } from './equation-probe.ts';
import { cachePublicKeys, cacheSecretKeys } from './key-cache.ts';
import { createNodeHashing } from './node-hashing.ts';
import type { KeyImports } from './node-keys.ts';
import { createKeyImports } from './node-keys.ts';
import { availableThreads, nodeCrypto } from './node-modules.ts';
import type { NodeCrypto, NodeKey } from './node-modules.ts';
import type { CryptoProvider, MaybePromise } from './provider.ts';
import { ED25519_KEY_BYTES, isEd25519PublicKey, isStrictEncoding } from './strict-ed25519.ts';
import { X25519_KEY_BYTES, isX25519PublicKey } from './strict-x25519.ts';

/**
 * With a second thread, signing and verifying go to the thread pool: a fifth more work for one call alone,
 * but with many in flight the event loop keeps four fifths of its time.
 */
export function createNativeProvider(
  node: NodeCrypto | undefined = nodeCrypto,
  threads: number = availableThreads(),
): CryptoProvider {
  if (node === undefined) {
    throw new Error('node:crypto is not here; choose the provider "noble"');
  }
  const imports = createKeyImports(node);
  const ed25519Public = cachePublicKeys(imports.ed25519Public);
  const ed25519Secret = cacheSecretKeys(imports.ed25519Secret);
  const x25519Public = cachePublicKeys(imports.x25519Public);
  const x25519Secret = cacheSecretKeys(imports.x25519Secret);
  const x25519PublicBytes = derivesPublicKeys(node, imports)
    ? imports.x25519PublicBytes
    : (secret: NodeKey) => timesBase(node, imports, secret);
  const { verifyWith, signWith } = threads > 1 ? onThreadPool(node) : onThisThread(node);
  expectCofactorless((signature, message, publicKey) =>
    node.verify(null, message, imports.ed25519Public(publicKey), signature),
  );

  const multiply = (secretKey: Uint8Array, publicKey: NodeKey): Uint8Array =>
    new Uint8Array(node.diffieHellman({ privateKey: x25519Secret(secretKey), publicKey }));

  return {
    name: 'native',
    ...createNodeHashing(node),
    ed25519PublicKey(secretKey) {
      expectLength('secretKey', secretKey, ED25519_KEY_BYTES);
      return imports.ed25519PublicBytes(ed25519Secret(secretKey));
    },
    sign(message, secretKey) {
      expectLength('secretKey', secretKey, ED25519_KEY_BYTES);
      return signWith(message, ed25519Secret(secretKey));
    },
    verify: (signature, message, publicKey) =>
      isStrictEncoding(signature, publicKey) &&
      verifyWith(signature, message, ed25519Public(publicKey)),
    isEd25519PublicKey,
    x25519PublicKey(secretKey) {
      expectLength('secretKey', secretKey, X25519_KEY_BYTES);
      return x25519PublicBytes(x25519Secret(secretKey));
    },
    agree(secretKey, publicKey) {
      expectLength('secretKey', secretKey, X25519_KEY_BYTES);
      return isX25519PublicKey(publicKey)
        ? multiply(secretKey, x25519Public(publicKey))
        : undefined;
    },
    seal(key, nonce, plaintext) {
      expectAeadLengths(key, nonce);
      const cipher = node.createCipheriv(AEAD, key, nonce, AEAD_OPTIONS);
      const sealed = new Uint8Array(plaintext.length + TAG_BYTES);
      sealed.set(cipher.update(plaintext));
      cipher.final();
      sealed.set(cipher.getAuthTag(), plaintext.length);
      return sealed;
    },
    open(key, nonce, sealed) {
      if (!areAeadLengths(key, nonce, sealed)) return undefined;
      const decipher = node.createDecipheriv(AEAD, key, nonce, AEAD_OPTIONS);
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const plaintext = decipher.update(sealed.subarray(0, -TAG_BYTES));
      try {
        decipher.final();
      } catch {
        return undefined;
      }
      return new Uint8Array(plaintext);
    },
  };
}

/** The public key of a secret is its product with the base point u = 9. */
function timesBase(node: NodeCrypto, imports: KeyImports, privateKey: NodeKey): Uint8Array {
  const publicKey = imports.x25519Public(Uint8Array.of(9, ...new Uint8Array(31)));
  return new Uint8Array(node.diffieHellman({ privateKey, publicKey }));
}

/** OpenSSL has worked out the public half by the time that a secret is imported; a product would do it once more. */
function derivesPublicKeys(node: NodeCrypto, imports: KeyImports): boolean {
  const secret = imports.x25519Secret(new Uint8Array(X25519_KEY_BYTES).fill(8));
  return equalBytes(imports.x25519PublicBytes(secret), timesBase(node, imports, secret));
}

const AEAD = 'chacha20-poly1305';
const AEAD_OPTIONS = { authTagLength: TAG_BYTES };

interface Signing {
  readonly verifyWith: (
    signature: Uint8Array,
    message: Uint8Array,
    key: NodeKey,
  ) => MaybePromise<boolean>;
  readonly signWith: (message: Uint8Array, key: NodeKey) => MaybePromise<Uint8Array>;
}

function onThisThread(node: NodeCrypto): Signing {
  return {
    verifyWith: (signature, message, key) => node.verify(null, message, key, signature),
    signWith: (message, key) => new Uint8Array(node.sign(null, message, key)),
  };
}

function onThreadPool(node: NodeCrypto): Signing {
  return {
    verifyWith: (signature, message, key) =>
      new Promise((resolve, reject) => {
        node.verify(null, message, key, signature, (error, isValid) =>
          error === null ? resolve(isValid) : reject(error),
        );
      }),
    signWith: (message, key) =>
      new Promise((resolve, reject) => {
        node.sign(null, message, key, (error, signature) =>
          error === null ? resolve(new Uint8Array(signature)) : reject(error),
        );
      }),
  };
}
