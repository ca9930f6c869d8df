// SHA-256, HMAC, HKDF and random bytes, by every provider.

import { describe, expect, test } from 'vitest';

import { nodeCrypto } from '../../src/crypto/node-modules.ts';
import { createRandomBytes } from '../../src/crypto/random-pool.ts';
import { createNodeSha256, sha256 } from '../../src/crypto/sha256.ts';
import { utf8 } from '../support/wire/bytes.ts';
import { fromHex } from '../support/wire/cbor-hex.ts';
import { noble, providerRows } from '../support/trust/providers.ts';
import { hasVectors, vectorJson } from '../support/repository/vectors.ts';

interface HmacFile {
  readonly testGroups: readonly {
    readonly tagSize: number;
    readonly tests: readonly {
      readonly key: string;
      readonly msg: string;
      readonly tag: string;
      readonly result: string;
    }[];
  }[];
}

interface HkdfFile {
  readonly testGroups: readonly {
    readonly tests: readonly {
      readonly ikm: string;
      readonly salt: string;
      readonly info: string;
      readonly size: number;
      readonly okm: string;
      readonly result: string;
    }[];
  }[];
}

const ABC = fromHex('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');

describe.each(providerRows)('hashing by $label', ({ provider }) => {
  test('gives the SHA-256 of "abc" as a plain Uint8Array', () => {
    expect(provider.sha256(utf8('abc'))).toEqual(ABC);
    expect(Object.getPrototypeOf(provider.sha256(utf8('abc')))).toBe(Uint8Array.prototype);
  });

  test.skipIf(!hasVectors)('gives the verdict of all 174 Wycheproof cases of HMAC', () => {
    const count = { valid: 0, invalid: 0 };
    for (const { tagSize, tests } of vectorJson<HmacFile>('wycheproof/hmac_sha256_test.json')
      .testGroups) {
      for (const { key, msg, tag, result } of tests) {
        const mac = provider.hmacSha256(fromHex(key), fromHex(msg)).subarray(0, tagSize / 8);
        expect(Buffer.compare(mac, fromHex(tag)) === 0).toBe(result === 'valid');
        count[result === 'valid' ? 'valid' : 'invalid'] += 1;
      }
    }
    expect(count).toEqual({ valid: 66, invalid: 108 });
  });

  test.skipIf(!hasVectors)('follows all 86 Wycheproof cases of HKDF', () => {
    const { testGroups } = vectorJson<HkdfFile>('wycheproof/hkdf_sha256_test.json');
    const count = { valid: 0, tooLong: 0 };
    for (const { ikm, salt, info, size, okm, result } of testGroups.flatMap(({ tests }) => tests)) {
      const derive = (): Uint8Array =>
        provider.hkdfSha256(fromHex(ikm), fromHex(salt), fromHex(info), size);
      if (result === 'valid') expect(derive()).toEqual(fromHex(okm));
      else expect(derive).toThrow(RangeError);
      count[result === 'valid' ? 'valid' : 'tooLong'] += 1;
    }
    expect(count).toEqual({ valid: 83, tooLong: 3 });
  });

  test('derives up to 255 blocks and refuses other lengths', () => {
    const derive = (length: number): Uint8Array => provider.hkdfSha256(ABC, ABC, ABC, length);
    expect(derive(0)).toHaveLength(0);
    expect(derive(8_160)).toEqual(noble.hkdfSha256(ABC, ABC, ABC, 8_160));
    for (const length of [8_161, -1, 1.5, Number.NaN])
      expect(() => derive(length)).toThrow(RangeError);
  });

  test('draws as many random bytes as asked for, never the same twice', () => {
    for (const length of [0, 1, 12, 256, 257, 65_536, 70_000]) {
      expect(provider.randomBytes(length)).toHaveLength(length);
    }
    const drawn = Array.from({ length: 2_000 }, () => provider.randomBytes(12).join());
    expect(new Set(drawn).size).toBe(drawn.length);
    const long = provider.randomBytes(70_000);
    expect(long.subarray(0, 4_464)).not.toEqual(long.subarray(65_536));
    expect(long.subarray(69_900).some((byte) => byte !== 0)).toBe(true);
    expect(() => provider.randomBytes(-1)).toThrow(RangeError);
    expect(() => provider.randomBytes(1.5)).toThrow(RangeError);
  });
});

describe('hashing outside the providers', () => {
  test('gives the SHA-256 of "abc", also where Node has no one-shot hash', () => {
    expect(sha256(utf8('abc'))).toEqual(ABC);
    const older = { createHash: nodeCrypto!.createHash } as typeof nodeCrypto & object;
    expect(createNodeSha256(older)(utf8('abc'))).toEqual(ABC);
  });
});

describe('the pool of random bytes', () => {
  test('is filled once in many draws and keeps no copy of what it gave', () => {
    const filled: Uint8Array[] = [];
    const randomBytes = createRandomBytes((bytes) => {
      filled.push(bytes.fill(filled.length + 1));
    });
    expect(filled).toEqual([]);
    expect(randomBytes(12)).toEqual(new Uint8Array(12).fill(1));
    expect(filled[0]!.subarray(0, 12)).toEqual(new Uint8Array(12));
    for (let draw = 1; draw < 341; draw += 1) randomBytes(12);
    expect(filled).toHaveLength(1);
    // 4,096 bytes hold 341 draws of 12: the next one does not fit.
    expect(randomBytes(12)).toEqual(new Uint8Array(12).fill(2));
    expect(filled).toHaveLength(2);
  });

  test('hands out arrays of their own', () => {
    const randomBytes = createRandomBytes((bytes) => void bytes.fill(5));
    const first = randomBytes(4);
    first.fill(0);
    expect(randomBytes(4)).toEqual(new Uint8Array(4).fill(5));
    expect(first.buffer.byteLength).toBe(4);
  });
});
