// Base64url: strict in, exact out.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeBase64url, encodeBase64url } from '../../src/codec/base64url.ts';
import { utf8 } from '../support/wire/bytes.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('#sec-base64url base64url without padding (W31)', () => {
  test.each([
    ['', ''],
    ['f', 'Zg'],
    ['fo', 'Zm8'],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg'],
    ['fooba', 'Zm9vYmE'],
    ['foobar', 'Zm9vYmFy'],
  ])('the bytes of "%s" are written "%s" and read back', (plain, text) => {
    expect(encodeBase64url(utf8(plain))).toBe(text);
    expect(decodeBase64url(text)).toEqual(utf8(plain));
  });

  test('the digits 62 and 63 are "-" and "_"', () => {
    expect(encodeBase64url(Uint8Array.of(0xfb, 0xff, 0xbf))).toBe('-_-_');
    expect(decodeBase64url('-_-_')).toEqual(Uint8Array.of(0xfb, 0xff, 0xbf));
  });

  test('agrees with the platform on random bytes, and reading gives them back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600, size: 'max' }), (bytes) => {
        const text = encodeBase64url(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64url'));
        expect(decodeBase64url(text)).toEqual(bytes);
      }),
    );
  });

  test('a long text is read as strictly as a short one', () => {
    for (const length of [300, 301, 302]) {
      const bytes = new Uint8Array(length + 8).map((_, index) => index * 5).subarray(8);
      const text = encodeBase64url(bytes);
      expect(text).toBe(Buffer.from(bytes).toString('base64url'));
      expect(decodeBase64url(text)).toEqual(bytes);
      for (const junk of ['=', '+', '/', ' ', '\n', 'é', '\0']) {
        for (const at of [0, 200, text.length - 1]) {
          const spoilt = text.slice(0, at) + junk + text.slice(at + 1);
          expect(decodeBase64url(spoilt)).toBeUndefined();
        }
        expect(decodeBase64url(text + junk)).toBeUndefined();
      }
      const last = [...ALPHABET].filter((digit) => decodeBase64url(text.slice(0, -1) + digit));
      expect(last).toHaveLength([64, 4, 16][length % 3]!);
    }
  });

  test('a view into a larger buffer is read within its bounds', () => {
    const whole = Uint8Array.of(1, 2, 3, 4, 5, 6);
    expect(encodeBase64url(whole.subarray(2, 4))).toBe('AwQ');
  });

  test.each([
    ['padding', 'Zg=='],
    ['padding of one', 'Zm8='],
    ['padding alone', '===='],
    ['a lone digit', 'Z'],
    ['a lone digit behind a whole group', 'Zm9vY'],
    ['the plain alphabet', '+/+/'],
    ['a blank', 'Zm 9'],
    ['a line feed at the end', 'Zm9v\n'],
    ['a null character', 'Zm9\0'],
    ['a character beyond ASCII', 'Zm9é'],
    ['a full-width letter', 'Zm9Ａ'],
    ['an emoji', 'Zm😀'],
    ['unused bits in two digits', 'Zh'],
    ['unused bits in three digits', 'Zm9'],
  ])('%s is refused', (_, text) => {
    expect(decodeBase64url(text)).toBeUndefined();
  });

  test('of the 64 last digits of a signature only the ones with zero bits are read: 4, not 64', () => {
    const signature = encodeBase64url(new Uint8Array(64).fill(0xa5));
    expect(signature).toHaveLength(86);
    const read = [...ALPHABET].filter(
      (digit) => decodeBase64url(signature.slice(0, -1) + digit) !== undefined,
    );
    expect(read).toEqual(['A', 'Q', 'g', 'w']);
  });

  test('no two texts give the same bytes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...ALPHABET, '=', '+', '/', ' '), maxLength: 12 }),
        (text) => {
          const bytes = decodeBase64url(text);
          if (bytes !== undefined) expect(encodeBase64url(bytes)).toBe(text);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
