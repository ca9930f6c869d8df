// ChaCha20-Poly1305: one answer to every vector, by every provider.

import { describe, expect, test } from 'vitest';

import { utf8 } from '../support/wire/bytes.ts';
import { fromHex } from '../support/wire/cbor-hex.ts';
import { noble, providerRows } from '../support/trust/providers.ts';
import { hasVectors, vectorJson } from '../support/repository/vectors.ts';

interface AeadFile {
  readonly testGroups: readonly {
    readonly ivSize: number;
    readonly tests: readonly AeadCase[];
  }[];
}

interface AeadCase {
  readonly tcId: number;
  readonly key: string;
  readonly iv: string;
  readonly aad: string;
  readonly msg: string;
  readonly ct: string;
  readonly tag: string;
  readonly result: string;
}

function aeadCases(): AeadCase[] {
  const file = vectorJson<AeadFile>('wycheproof/chacha20_poly1305_test.json');
  return file.testGroups.flatMap(({ tests }) => tests);
}

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const NONCE = Uint8Array.from({ length: 12 }, (_, index) => index);

describe.each(providerRows)('sealing by $label', ({ provider }) => {
  test.skipIf(!hasVectors)('follows the 54 Wycheproof cases that carry no associated data', () => {
    const all = aeadCases();
    const cases = all.filter(({ aad }) => aad === '');
    // What this wire never uses: 271 cases with associated data.
    expect([all.length, cases.length]).toEqual([325, 54]);
    const count = { valid: 0, wrongNonce: 0 };
    for (const { key, iv, msg, ct, tag, result } of cases) {
      const sealed = fromHex(ct + tag);
      if (result === 'valid') {
        expect(provider.seal(fromHex(key), fromHex(iv), fromHex(msg))).toEqual(sealed);
        expect(provider.open(fromHex(key), fromHex(iv), sealed)).toEqual(fromHex(msg));
        count.valid += 1;
      } else {
        expect(() => provider.seal(fromHex(key), fromHex(iv), fromHex(msg))).toThrow(TypeError);
        expect(provider.open(fromHex(key), fromHex(iv), sealed)).toBeUndefined();
        count.wrongNonce += 1;
      }
    }
    expect(count).toEqual({ valid: 45, wrongNonce: 9 });
  });

  test.skipIf(!hasVectors)('opens none of the cases that were sealed with associated data', () => {
    const cases = aeadCases().filter(({ aad }) => aad !== '');
    expect(cases).toHaveLength(271);
    for (const { key, iv, ct, tag } of cases) {
      expect(provider.open(fromHex(key), fromHex(iv), fromHex(ct + tag))).toBeUndefined();
    }
  });

  test('opens nothing of which one bit was changed', () => {
    const sealed = provider.seal(KEY, NONCE, utf8('secret'));
    expect(provider.open(KEY, NONCE, sealed)).toEqual(utf8('secret'));
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = sealed.slice();
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(provider.open(KEY, NONCE, changed)).toBeUndefined();
    }
    expect(provider.open(KEY.toReversed(), NONCE, sealed)).toBeUndefined();
    expect(provider.open(KEY, NONCE.toReversed(), sealed)).toBeUndefined();
  });

  test('seals nothing at all, and a megabyte, as the others do', () => {
    for (const length of [0, 1, 63, 64, 65, 1_000_000]) {
      const plaintext = new Uint8Array(length).fill(length & 0xff);
      const sealed = provider.seal(KEY, NONCE, plaintext);
      expect(sealed).toHaveLength(length + 16);
      expect(Buffer.compare(sealed, noble.seal(KEY, NONCE, plaintext))).toBe(0);
      expect(Buffer.compare(provider.open(KEY, NONCE, sealed)!, plaintext)).toBe(0);
    }
  });

  test('answers wrong lengths from the wire with undefined, and refuses to seal with them', () => {
    const sealed = provider.seal(KEY, NONCE, utf8('secret'));
    expect(provider.open(KEY, NONCE, sealed.subarray(0, 15))).toBeUndefined();
    expect(provider.open(KEY, NONCE, new Uint8Array(0))).toBeUndefined();
    expect(provider.open(KEY.subarray(1), NONCE, sealed)).toBeUndefined();
    expect(provider.open(KEY, new Uint8Array(24), sealed)).toBeUndefined();
    expect(() => provider.seal(KEY.subarray(1), NONCE, sealed)).toThrow('"key" expected 32 bytes');
    expect(() => provider.seal(KEY, new Uint8Array(8), sealed)).toThrow(
      '"nonce" expected 12 bytes',
    );
  });

  test('leaves what it is given as it was', () => {
    const plaintext = utf8('secret');
    const sealed = provider.seal(KEY, NONCE, plaintext);
    const before = sealed.slice();
    provider.open(KEY, NONCE, sealed);
    expect(plaintext).toEqual(utf8('secret'));
    expect(sealed).toEqual(before);
  });
});
