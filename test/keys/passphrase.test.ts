// Secrets under a passphrase.

import { describe, expect, test } from 'vitest';

import {
  DEFAULT_SCRYPT_COST,
  decryptWithPassphrase,
  encryptWithPassphrase,
} from '../../keys/passphrase.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { utf8 } from '../support/wire/bytes.ts';

const crypto = chooseProvider();
const CHEAP = { n: 2 ** 14, r: 8, p: 1 };
const SECRET = utf8('a secret of some length');
const wellFormed: JsonObject = {
  kdf: 'scrypt',
  ...CHEAP,
  salt: 'A'.repeat(22),
  nonce: 'A'.repeat(16),
  ciphertext: 'A'.repeat(64),
};
const seal = (passphrase: string): Promise<JsonObject> =>
  encryptWithPassphrase(SECRET, passphrase, crypto, CHEAP);

describe('a secret under a passphrase', () => {
  test('opens with the same passphrase', async () => {
    const sealed = await seal('open sesame');
    expect(JSON.stringify(sealed)).not.toContain('secret');
    expect(await decryptWithPassphrase(sealed, 'open sesame', crypto)).toEqual(SECRET);
  });

  test('opens with the default cost, which is 128 MiB, and says what it took', async () => {
    const sealed = await encryptWithPassphrase(SECRET, 'p', crypto);
    expect(sealed).toMatchObject({ kdf: 'scrypt', n: 131_072, r: 8, p: 1 });
    expect(DEFAULT_SCRYPT_COST).toEqual({ n: 131_072, r: 8, p: 1 });
    expect(await decryptWithPassphrase(sealed, 'p', crypto)).toEqual(SECRET);
  });

  test('is another text each time', async () => {
    const [one, other] = [await seal('p'), await seal('p')];
    for (const member of ['salt', 'nonce', 'ciphertext']) {
      expect(one[member]).not.toBe(other[member]);
    }
  });

  test('opens whichever way an accented letter was typed', async () => {
    const sealed = await seal('caf\u00e9');
    expect(await decryptWithPassphrase(sealed, 'cafe\u0301', crypto)).toEqual(SECRET);
  });

  test('gives one and the same error for a wrong passphrase and for a changed file', async () => {
    const sealed = await seal('right');
    const flip = (text: JsonValue | undefined): string =>
      (text as string).replace(/^./, (digit) => (digit === 'A' ? 'B' : 'A'));
    const attempts: [JsonObject, string][] = [
      [sealed, 'wrong'],
      [sealed, 'Right'],
      [sealed, 'right '],
      [{ ...sealed, ciphertext: flip(sealed['ciphertext']) }, 'right'],
      [{ ...sealed, ciphertext: '' }, 'right'],
      [{ ...sealed, nonce: flip(sealed['nonce']) }, 'right'],
      [{ ...sealed, salt: flip(sealed['salt']) }, 'right'],
      [{ ...sealed, p: 2 }, 'right'],
    ];
    const errors = await Promise.all(
      attempts.map(([value, passphrase]) =>
        decryptWithPassphrase(value, passphrase, crypto).then(
          () => 'opened',
          (thrown: Error) => thrown.message,
        ),
      ),
    );
    expect(new Set(errors)).toEqual(
      new Set(['DECRYPT_FAILED: the passphrase is wrong, or the key file was changed']),
    );
  });

  test.each<[string, JsonObject]>([
    ['too little work', { n: 2 ** 13 }],
    ['an n that is no power of two', { n: 2 ** 14 + 2 }],
    ['four gigabytes', { n: 2 ** 22 }],
    ['an n beyond all memory', { n: 2 ** 52 }],
    ['an endless r', { r: 2 ** 30 }],
    ['an r of zero', { r: 0 }],
    ['a p of a million', { p: 1_000_000 }],
    ['a negative p', { p: -1 }],
    ['a fraction', { n: 2 ** 14 + 0.5 }],
    ['an n in text', { n: '16384' }],
    ['another function', { kdf: 'md5' }],
    ['a short salt', { salt: 'AAAA' }],
    ['a short nonce', { nonce: 'AAAA' }],
    ['a ciphertext that is no base64url', { ciphertext: '*' }],
    ['a member too many', { note: 'x' }],
  ])('that asks for %s is refused without trying', async (_, change) => {
    const opening = decryptWithPassphrase({ ...wellFormed, ...change }, 'p', crypto);
    await expect(opening).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  test('is tried when nothing is wrong with its form', async () => {
    const opening = decryptWithPassphrase(wellFormed, 'p', crypto);
    await expect(opening).rejects.toMatchObject({ code: 'DECRYPT_FAILED' });
  });

  test('refuses what is no object', async () => {
    for (const value of [null, [], 'x', 1]) {
      await expect(decryptWithPassphrase(value, 'p', crypto)).rejects.toThrow('known form');
    }
  });

  test('needs a passphrase, and a cost that it would read again', async () => {
    await expect(seal('')).rejects.toThrow('"passphrase"');
    const cost = { n: 1_024, r: 8, p: 1 };
    await expect(encryptWithPassphrase(SECRET, 'p', crypto, cost)).rejects.toThrow('"cost"');
  });
});
