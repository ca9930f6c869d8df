// The choice of the crypto provider, the memory of imported keys and the comparison of bytes.

import { verify as cofactored } from '@noble/ed25519';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { equalBytes } from '../../src/crypto/bytes.ts';
import { expectCofactorless } from '../../src/crypto/equation-probe.ts';
import { cachePublicKeys, cacheSecretKeys } from '../../src/crypto/key-cache.ts';
import { createNativeProvider } from '../../src/crypto/native.ts';
import { nodeCrypto } from '../../src/crypto/node-modules.ts';
import type { CryptoProvider, ProviderMakers } from '../../src/crypto/provider.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { createSodiumProvider } from '../../src/crypto/sodium.ts';
import { noble, providers } from '../support/trust/providers.ts';

const absent = (): never => {
  throw new Error('Cannot find module');
};

function makers(changes: Partial<ProviderMakers>): ProviderMakers {
  return {
    sodium: () => createSodiumProvider(absent),
    native: () => createNativeProvider(nodeCrypto),
    noble: () => noble,
    ...changes,
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the choice of a provider', () => {
  test('is by name, and keeps what it made', () => {
    for (const name of ['native', 'noble'] as const) {
      expect(chooseProvider(name).name).toBe(name);
      expect(chooseProvider(name)).toBe(chooseProvider(name));
    }
    expect(() => chooseProvider('openssl' as 'noble')).toThrow(TypeError);
  });

  test('takes by itself sodium where it is installed, else native', () => {
    const hasSodium = providers.some(({ name }) => name === 'sodium');
    expect(chooseProvider().name).toBe(hasSodium ? 'sodium' : 'native');
    expect(chooseProvider('auto')).toBe(chooseProvider());
  });

  test('goes on to native when sodium-native cannot be loaded', () => {
    expect(chooseProvider('auto', makers({})).name).toBe('native');
  });

  test('goes on to noble when there is no node:crypto either', () => {
    const chosen = chooseProvider('auto', makers({ native: absent }));
    expect(chosen).toBe(noble);
  });

  test('says what to do when the named one cannot run, and why it could not', () => {
    const choose = (): CryptoProvider => chooseProvider('sodium', makers({}));
    expect(choose).toThrow('run "npm install sodium-native", or choose the provider "auto"');
    expect(choose).toThrow(expect.objectContaining({ cause: new Error('Cannot find module') }));
  });

  test('is noble where the platform has no modules of Node', async () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    const bare = await freshProvider();
    expect(bare.chooseProvider().name).toBe('noble');
    expect(() => bare.chooseProvider('native')).toThrow(
      'node:crypto is not here; choose the provider "noble"',
    );
    expect(() => bare.chooseProvider('sodium')).toThrow('sodium-native could not be loaded');
  });

  test('of noble loads neither of the others', async () => {
    const fresh = await freshProvider();
    const asked = vi.spyOn(process, 'getBuiltinModule');
    expect(fresh.chooseProvider('noble').randomBytes(12)).toHaveLength(12);
    expect(asked).not.toHaveBeenCalled();
    fresh.chooseProvider('auto');
    expect(asked).toHaveBeenCalledWith('node:module');
  });
});

function freshProvider(): Promise<{ readonly chooseProvider: typeof chooseProvider }> {
  vi.resetModules();
  return import('../../src/crypto/provider.ts');
}

describe('#sec-ed25519 the probe of the equation', () => {
  test('tells our rule from the one with the cofactor, which the library under noble has', () => {
    expect(() => expectCofactorless(noble.verify as typeof cofactored)).not.toThrow();
    expect(() => expectCofactorless(cofactored)).toThrow('not the cofactorless one');
  });

  test('keeps out a library that multiplies by the cofactor, or refuses keys with a part of small order', () => {
    const library = (answer: boolean) => () => ({ crypto_sign_verify_detached: () => answer });
    for (const answer of [true, false]) {
      expect(() => createSodiumProvider(library(answer))).toThrow('not the cofactorless one');
    }
    const lax = makers({ sodium: () => createSodiumProvider(library(true)) });
    expect(chooseProvider('auto', lax).name).toBe('native');
    const laxNode = { ...nodeCrypto!, verify: () => true } as unknown as typeof nodeCrypto;
    expect(() => createNativeProvider(laxNode)).toThrow('not the cofactorless one');
  });
});

describe('the memory of imported keys', () => {
  test('imports a public key once, and forgets the least used beyond 1,024', () => {
    const importKey = vi.fn((publicKey: Uint8Array) => ({ first: publicKey[0] }));
    const imported = cachePublicKeys(importKey);
    const key = (number: number): Uint8Array => Uint8Array.of(number >> 8, number & 0xff);
    expect(imported(key(1))).toBe(imported(key(1)));
    expect(importKey).toHaveBeenCalledTimes(1);
    for (let number = 2; number <= 1_024; number += 1) imported(key(number));
    imported(key(1));
    expect(importKey).toHaveBeenCalledTimes(1_024);
    imported(key(1_025));
    imported(key(1));
    expect(importKey).toHaveBeenCalledTimes(1_025);
    imported(key(2));
    expect(importKey).toHaveBeenCalledTimes(1_026);
  });

  test('imports a secret key once an array, and again when the array holds another key', () => {
    const importKey = vi.fn((secretKey: Uint8Array) => ({ first: secretKey[0] }));
    const imported = cacheSecretKeys(importKey);
    const secretKey = Uint8Array.of(1, 2);
    expect(imported(secretKey)).toBe(imported(secretKey));
    expect(importKey).toHaveBeenCalledTimes(1);
    secretKey[0] = 9;
    expect(imported(secretKey)).toEqual({ first: 9 });
    expect(importKey).toHaveBeenCalledTimes(2);
  });
});

describe('the comparison of bytes', () => {
  test('tells equal from unequal, whatever differs', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    expect(equalBytes(bytes, bytes.slice())).toBe(true);
    expect(equalBytes(new Uint8Array(0), new Uint8Array(0))).toBe(true);
    for (const other of [[0, 2, 3], [1, 2, 131], [1, 2], [1, 2, 3, 0], []]) {
      expect(equalBytes(bytes, Uint8Array.from(other))).toBe(false);
    }
  });
});
