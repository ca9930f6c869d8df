// Every crypto provider that runs here. sodium-native is optional: its rows are left out, except in CI, where they must run.

import { createNativeProvider } from '../../../src/crypto/native.ts';
import { nodeCrypto } from '../../../src/crypto/node-modules.ts';
import { createNobleProvider } from '../../../src/crypto/noble.ts';
import type { CryptoProvider } from '../../../src/crypto/provider.ts';
import { createSodiumProvider } from '../../../src/crypto/sodium.ts';

export interface Row {
  readonly label: string;
  readonly provider: CryptoProvider;
}

function sodiumRows(): Row[] {
  try {
    return [{ label: 'sodium', provider: createSodiumProvider() }];
  } catch (missing) {
    if (process.env['CI'] === 'true') throw missing;
    console.log('sodium-native is not installed: the rows of the provider "sodium" are left out');
    return [];
  }
}

export const noble: CryptoProvider = createNobleProvider();

export const providerRows: readonly Row[] = [
  { label: 'noble', provider: noble },
  { label: 'native, one thread', provider: createNativeProvider(nodeCrypto, 1) },
  { label: 'native, thread pool', provider: createNativeProvider(nodeCrypto, 2) },
  ...sodiumRows(),
];

export const providers: readonly CryptoProvider[] = providerRows.map(({ provider }) => provider);
