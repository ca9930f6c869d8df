// X25519: one verdict on every vector, by every provider.

import { describe, expect, test } from 'vitest';

import { P, littleEndian } from '../../src/crypto/field-25519.ts';
import { createNativeProvider } from '../../src/crypto/native.ts';
import type { NodeCrypto } from '../../src/crypto/node-modules.ts';
import { nodeCrypto } from '../../src/crypto/node-modules.ts';
import { fromHex } from '../support/wire/cbor-hex.ts';
import { noble, providerRows } from '../support/trust/providers.ts';
import { hasVectors, vectorJson } from '../support/repository/vectors.ts';

interface WycheproofFile {
  readonly testGroups: readonly {
    readonly tests: readonly {
      readonly tcId: number;
      readonly public: string;
      readonly private: string;
      readonly shared: string;
      readonly flags: readonly string[];
    }[];
  }[];
}

const SECRET = Uint8Array.from({ length: 32 }, (_, index) => index * 7);

describe.each(providerRows)('#sec-x25519 $label', ({ provider }) => {
  test.skipIf(!hasVectors)(
    'agrees on 474 of the 518 Wycheproof cases, twist points among them',
    () => {
      const { testGroups } = vectorJson<WycheproofFile>('wycheproof/x25519_test.json');
      const cases = testGroups.flatMap(({ tests }) => tests);
      const wrong: number[] = [];
      const count = { zero: 0, notCanonical: 0, twist: 0, others: 0 };
      for (const { tcId, public: publicKey, private: secretKey, shared, flags } of cases) {
        const answer = provider.agree(fromHex(secretKey), fromHex(publicKey));
        const isZero = flags.includes('ZeroSharedSecret');
        const isRefused = isZero || flags.includes('NonCanonicalPublic');
        const isRight = isRefused ? answer === undefined : equal(answer, fromHex(shared));
        if (!isRight) wrong.push(tcId);
        if (isRefused) count[isZero ? 'zero' : 'notCanonical'] += 1;
        else count[flags.includes('Twist') ? 'twist' : 'others'] += 1;
      }
      expect(wrong).toEqual([]);
      expect(count).toEqual({ zero: 31, notCanonical: 13, twist: 210, others: 264 });
    },
  );

  test('refuses a second encoding of a key: u + p, and bit 255', () => {
    for (let u = 2n; u < 19n; u += 1n) {
      expect(provider.agree(SECRET, littleEndian(u))).toHaveLength(32);
      expect(provider.agree(SECRET, littleEndian(u + P))).toBeUndefined();
      expect(provider.agree(SECRET, littleEndian(u + 2n ** 255n))).toBeUndefined();
    }
    expect(provider.agree(SECRET, littleEndian(P - 2n))).toHaveLength(32);
    expect(provider.agree(SECRET, littleEndian(P))).toBeUndefined();
  });

  test('refuses wrong lengths from the wire', () => {
    for (const length of [0, 31, 33]) {
      expect(provider.agree(SECRET, new Uint8Array(length).fill(9))).toBeUndefined();
    }
  });

  test('refuses a secret key of a wrong length as a mistake of the program', () => {
    const publicKey = provider.x25519PublicKey(SECRET);
    for (const length of [0, 31, 33]) {
      const secretKey = new Uint8Array(length);
      expect(() => provider.x25519PublicKey(secretKey)).toThrow(TypeError);
      for (const peer of [publicKey, new Uint8Array(32), new Uint8Array(0)]) {
        expect(() => provider.agree(secretKey, peer)).toThrow('"secretKey" expected 32 bytes');
      }
    }
  });

  test('makes a public key by multiplying the base point: RFC 7748, section 5.2, one round', () => {
    const nine = littleEndian(9n);
    const once = fromHex('422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079');
    expect(provider.x25519PublicKey(nine)).toEqual(once);
    expect(provider.agree(SECRET, nine)).toEqual(provider.x25519PublicKey(SECRET));
  });

  test('multiplies by what the key array holds now, not by what it held before', () => {
    const secretKey = SECRET.slice();
    expect(provider.x25519PublicKey(secretKey)).toEqual(noble.x25519PublicKey(SECRET));
    secretKey.fill(3);
    expect(provider.x25519PublicKey(secretKey)).toEqual(noble.x25519PublicKey(secretKey.slice()));
  });
});

describe('#sec-x25519 native where an imported secret keeps the public half that it was given', () => {
  test('multiplies the base point itself', () => {
    const createPublicKey = (...args: Parameters<NodeCrypto['createPublicKey']>): unknown =>
      args[0] instanceof nodeCrypto!.KeyObject
        ? { export: () => ({ x: 'A'.repeat(43) }) }
        : nodeCrypto!.createPublicKey(...args);
    const provider = createNativeProvider({ ...nodeCrypto!, createPublicKey } as NodeCrypto, 1);
    expect(provider.x25519PublicKey(SECRET)).toEqual(noble.x25519PublicKey(SECRET));
  });
});

function equal(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return (
    one !== undefined && one.length === other.length && one.every((byte, at) => byte === other[at])
  );
}
