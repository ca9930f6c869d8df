// Owns imported keys: importing costs as much as using, so each is done once.

import { LRUCache } from 'lru-cache';

import { equalBytes } from './bytes.ts';

const MOST_PUBLIC_KEYS = 1_024;

/** Public keys by their bytes; the least used go first. */
export function cachePublicKeys<K extends object>(
  importKey: (publicKey: Uint8Array) => K,
): (publicKey: Uint8Array) => K {
  const imported = new LRUCache<string, K>({ max: MOST_PUBLIC_KEYS });
  return (publicKey) => {
    const name = String.fromCharCode.apply(undefined, publicKey as unknown as number[]);
    const known = imported.get(name);
    if (known !== undefined) return known;
    const key = importKey(publicKey);
    imported.set(name, key);
    return key;
  };
}

/**
 * Secret keys by the array that holds them, so that an imported key lives no longer than its owner wants it to:
 * keyed by content, every ephemeral key would stay in memory long after its message.
 */
export function cacheSecretKeys<K extends object>(
  importKey: (secretKey: Uint8Array) => K,
): (secretKey: Uint8Array) => K {
  const imported = new WeakMap<Uint8Array, { readonly bytes: Uint8Array; readonly key: K }>();
  return (secretKey) => {
    const known = imported.get(secretKey);
    // The array may have been filled anew since.
    if (known !== undefined && equalBytes(known.bytes, secretKey)) return known.key;
    const bytes = new Uint8Array(secretKey);
    const key = importKey(bytes);
    imported.set(secretKey, { bytes, key });
    return key;
  };
}
