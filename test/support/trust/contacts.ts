// Agents with bundles, and a store that counts what it is asked.

import type { KeyBundle } from '../../../src/security/identity/key-bundle-shape.ts';
import { signKeyBundle } from '../../../src/security/identity/key-bundle.ts';
import type { CryptoProvider } from '../../../src/crypto/provider.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import { didKeyFromPublicKey } from '../../../src/security/identity/did-key.ts';
import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { EntryStore } from '../../../src/stores/store.ts';
import { storeWith } from './replay.ts';

export const provider: CryptoProvider = chooseProvider();
const NOW = Date.UTC(2026, 0, 10);
const seed = (fill: number): Uint8Array => new Uint8Array(32).fill(fill); // TEST ONLY

/** The id of the agent whose root key is made of this byte. */
export const agentOf = (root: number): string =>
  didKeyFromPublicKey(provider.ed25519PublicKey(seed(root)));

export function bundleOf(root: number, seq: number): Promise<KeyBundle> {
  const end = NOW + 86_400_000;
  const publicKey = provider.ed25519PublicKey(seed(100 + seq));
  const keys = [{ use: 'sig' as const, publicKey, notAfterMs: end }];
  return signKeyBundle({ seq, notBeforeMs: NOW, notAfterMs: end, keys }, seed(root), provider);
}

export interface CountedStore {
  readonly store: EntryStore;
  /** Since the last look. */
  readonly calls: () => { gets: number; puts: number };
}

export function countedStore(): CountedStore {
  const inner = createMemoryStore();
  let gets = 0;
  let puts = 0;
  return {
    store: storeWith(inner, {
      get: (space, key) => {
        gets += 1;
        return inner.get(space, key);
      },
      put: (space, key, value, options) => {
        puts += 1;
        return inner.put(space, key, value, options);
      },
    }),
    calls: () => {
      const counted = { gets, puts };
      gets = 0;
      puts = 0;
      return counted;
    },
  };
}
