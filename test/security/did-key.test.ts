// Agent ids that are keys, and the ids of keys.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeBase58, encodeBase58 } from '../../src/codec/base58.ts';
import { decodeBase64url } from '../../src/codec/base64url.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { didKeyFromPublicKey, publicKeyFromDidKey } from '../../src/security/identity/did-key.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import { utf8 } from '../support/wire/bytes.ts';
import { fromHex, toHex } from '../support/wire/cbor-hex.ts';

const crypto = chooseProvider();

/** RFC 8032, section 7.1, test 1. */
const SEED = fromHex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');
const PUBLIC_KEY = fromHex('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
const DID = 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw';

function didOf(codec: readonly number[], key: Uint8Array): string {
  return `did:key:z${encodeBase58(Uint8Array.of(...codec, ...key))}`;
}

describe('base58', () => {
  test.each([
    ['', ''],
    ['61', '2g'],
    ['626262', 'a3gV'],
    ['00000000000000000000', '1111111111'],
    ['00eb15231dfceb60925886b67d065299925915aeb172c06647', '1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L'],
  ])('the bytes %s are written "%s"', (hex, text) => {
    expect(encodeBase58(fromHex(hex))).toBe(text);
    expect(toHex(decodeBase58(text)!)).toBe(hex);
  });

  test('each byte string has one text and each text one byte string', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes);
      }),
    );
    const digits = fc.string({ unit: fc.constantFrom(...'1279AHJNPZakmz'), maxLength: 80 });
    fc.assert(
      fc.property(digits, (text) => {
        expect(encodeBase58(Uint8Array.of(...decodeBase58(text)!).slice(0, 64))).toBe(text);
      }),
    );
  });

  test('the four letters that look like others are refused', () => {
    for (const letter of '0OIl+ é') expect(decodeBase58(`2${letter}`)).toBeUndefined();
  });

  test('long text is refused before it costs anything, long bytes are a mistake of the caller', () => {
    expect(decodeBase58('1'.repeat(88))).toHaveLength(88);
    expect(decodeBase58('1'.repeat(89))).toBeUndefined();
    expect(() => encodeBase58(new Uint8Array(65))).toThrow(RangeError);
  });
});

describe('#sec-kid-bound a did:key is its own root key', () => {
  test('the key of RFC 8032 test 1 has its well-known id, both ways', () => {
    expect(crypto.ed25519PublicKey(SEED)).toEqual(PUBLIC_KEY);
    expect(didKeyFromPublicKey(PUBLIC_KEY)).toBe(DID);
    expect(publicKeyFromDidKey(DID)).toEqual(PUBLIC_KEY);
  });

  test('every key gives an id that begins with z6Mk and leads back to it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
        const publicKey = crypto.ed25519PublicKey(seed);
        const did = didKeyFromPublicKey(publicKey);
        expect(did).toMatch(/^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/);
        expect(publicKeyFromDidKey(did)).toEqual(publicKey);
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    ['a label', 'did:key:sender'],
    ['nothing', ''],
    ['another method', DID.replace('did:key', 'did:web')],
    ['capitals', DID.toUpperCase()],
    ['a fragment', `${DID}#${DID.slice(8)}`],
    ['a blank behind it', `${DID} `],
    ['a line feed behind it', `${DID}\n`],
    ['a digit more', `${DID}1`],
    ['a digit less', DID.slice(0, -1)],
    ['a zero byte in front', DID.replace(':z', ':z1')],
    ['another base', DID.replace(':z6', ':m6')],
    ['a letter that is no digit', DID.replace('upd', 'uOd')],
    ['an X25519 key', didOf([0xec, 0x01], PUBLIC_KEY)],
    ['a neighbour of the codec below', didOf([0xed, 0x00], PUBLIC_KEY)],
    ['a neighbour of the codec above', didOf([0xed, 0x02], PUBLIC_KEY)],
    ['a secp256k1 key', didOf([0xe7, 0x01], Uint8Array.of(2, ...PUBLIC_KEY))],
    ['a longer spelling of the codec', didOf([0xed, 0x81, 0x00], PUBLIC_KEY)],
    ['a key with a byte more', didOf([0xed, 0x01], Uint8Array.of(...PUBLIC_KEY, 0))],
    ['a key with a byte less', didOf([0xed, 0x01], PUBLIC_KEY.slice(1))],
    ['a megabyte of digits', `did:key:z6Mk${'1'.repeat(1_000_000)}`],
  ])('%s is not the id of a key', (_, did) => {
    expect(publicKeyFromDidKey(did)).toBeUndefined();
  });

  test.each([
    ['the identity', '0100000000000000000000000000000000000000000000000000000000000000'],
    ['a point of order 4', '0000000000000000000000000000000000000000000000000000000000000000'],
    ['a point of order 8', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    [
      'y = p + 3, not canonical',
      'f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    ],
    ['a y without a point', '0200000000000000000000000000000000000000000000000000000000000000'],
  ])('a weak key has no id: %s (W35)', (_, hex) => {
    expect(publicKeyFromDidKey(didKeyFromPublicKey(fromHex(hex)))).toBeUndefined();
  });

  test('bytes that are no key are a mistake of the caller', () => {
    expect(() => didKeyFromPublicKey(new Uint8Array(31))).toThrow('"publicKey"');
    expect(() => thumbprint('x25519', new Uint8Array(33))).toThrow('"publicKey"');
  });
});

describe('#kid the id of a key is its thumbprint', () => {
  test('the Ed25519 key of RFC 8037 appendix A has the thumbprint printed there', () => {
    expect(thumbprint('ed25519', PUBLIC_KEY)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });

  test('an X25519 key hashes its own curve name, so the same bytes have another id', () => {
    const minimal = `{"crv":"X25519","kty":"OKP","x":"${Buffer.from(PUBLIC_KEY).toString('base64url')}"}`;
    const kid = thumbprint('x25519', PUBLIC_KEY);
    expect(decodeBase64url(kid)).toEqual(crypto.sha256(utf8(minimal)));
    expect(kid).not.toBe(thumbprint('ed25519', PUBLIC_KEY));
  });
});
