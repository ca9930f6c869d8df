// Keys in and out of text: three formats, both curves, nothing echoed.

import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';

import type { KeyFormat } from '../../keys/format.ts';
import {
  exportPublicKey,
  exportSecretKey,
  importPublicKey,
  importSecretKey,
} from '../../keys/format.ts';
import { SecretKey } from '../../src/security/identity/secret-key.ts';
import { encodeBase64url } from '../../src/codec/base64url.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { SdlError } from '../../src/errors.ts';
import type { KeyAlgorithm } from '../../src/security/identity/public-key.ts';
import { errorOf } from '../support/wire/bytes.ts';
import { hasVectors, vectorJson } from '../support/repository/vectors.ts';

const crypto = chooseProvider();
const FORMATS: readonly KeyFormat[] = ['raw', 'pem', 'jwk'];
const ALGORITHMS: readonly KeyAlgorithm[] = ['ed25519', 'x25519'];
const CASES = ALGORITHMS.flatMap((alg) => FORMATS.map((format) => ({ alg, format })));

const keyOf = (alg: KeyAlgorithm): SecretKey =>
  new SecretKey(alg, new Uint8Array(32).fill(0x5a), crypto);

/** RFC 8037, appendix A.1. */
const JWK_D = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A';
const JWK_X = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';

describe('keys as text', () => {
  test.each(CASES)('a secret $alg key comes back from $format', ({ alg, format }) => {
    const key = keyOf(alg);
    const text = exportSecretKey(key, format);
    const back = importSecretKey(`\n ${text}\r\n`, crypto, { alg });
    expect(back.reveal()).toEqual(key.reveal());
    expect(back.publicKey).toEqual(key.publicKey);
    expect(exportSecretKey(back, format)).toBe(text);
  });

  test.each(CASES)('a public $alg key comes back from $format', ({ alg, format }) => {
    const { publicKey } = keyOf(alg);
    const text = exportPublicKey({ alg, publicKey }, format);
    expect(importPublicKey(text, { alg })).toEqual({ alg, publicKey });
  });

  test.each(ALGORITHMS)('PEM and JWK of %s are the ones of the platform, both ways', (alg) => {
    const pair = generateKeyPairSync(alg as 'ed25519');
    const secretPem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const publicPem = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const secret = importSecretKey(secretPem, crypto);
    expect(exportSecretKey(secret, 'pem')).toBe(secretPem);
    expect(exportPublicKey(secret, 'pem')).toBe(publicPem);
    const jwk = pair.privateKey.export({ format: 'jwk' });
    expect(JSON.parse(exportSecretKey(secret, 'jwk'))).toEqual(jwk);
    expect(importSecretKey(JSON.stringify(jwk), crypto).reveal()).toEqual(secret.reveal());
    const there = createPrivateKey(exportSecretKey(secret, 'pem'));
    expect(createPublicKey(there).equals(pair.publicKey)).toBe(true);
  });

  test('the JWK of RFC 8037 is read, and members that are not needed are ignored', () => {
    const text = `{"kty":"OKP","crv":"Ed25519","d":"${JWK_D}","x":"${JWK_X}","kid":"k","use":"sig"}`;
    const key = importSecretKey(text, crypto, { alg: 'ed25519' });
    expect(encodeBase64url(key.reveal())).toBe(JWK_D);
    expect(exportPublicKey(key, 'jwk')).toBe(`{"kty":"OKP","crv":"Ed25519","x":"${JWK_X}"}`);
  });

  test('PEM with the line ends of Windows is read', () => {
    const pem = exportSecretKey(keyOf('x25519'), 'pem').replaceAll('\n', '\r\n');
    expect(importSecretKey(pem, crypto).alg).toBe('x25519');
  });
});

const jwkText = (members: object): string =>
  JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: JWK_X, d: JWK_D, ...members });
const secretPem = exportSecretKey(keyOf('ed25519'), 'pem');
const pemOf = (label: string, der: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`;
const derOf = (pem: string): Uint8Array =>
  Uint8Array.from(Buffer.from(pem.split('\n')[1]!, 'base64'));
const { privateKey: ecKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

describe('text that is no secret key is refused, with the formats that are understood and without the text', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['words', 'correct horse battery staple'],
    ['31 bytes', encodeBase64url(new Uint8Array(31).fill(0x5a))],
    ['64 bytes', encodeBase64url(new Uint8Array(64).fill(0x5a))],
    ['a padded raw key', `${JWK_D}=`],
    ['a raw key with unused bits', `${JWK_D.slice(0, -1)}B`],
    ['hex', Buffer.from(keyOf('ed25519').reveal()).toString('hex')],
    ['a very long text', 'A'.repeat(100_000)],
    ['a public key in PEM', exportPublicKey(keyOf('ed25519'), 'pem')],
    ['a public key in JWK', exportPublicKey(keyOf('ed25519'), 'jwk')],
    ['PEM without an end', secretPem.slice(0, 90)],
    ['PEM with two keys', secretPem + secretPem],
    ['PEM with a header', secretPem.replace('KEY-----\n', 'KEY-----\nProc-Type: 4\n\n')],
    ['PEM whose labels differ', secretPem.replace('END PRIVATE', 'END PUBLIC')],
    ['a secret under the label of a public key', secretPem.replaceAll('PRIVATE', 'PUBLIC')],
    ['PEM without its last digit', secretPem.replace(/.\n-----END/, '\n-----END')],
    ['DER with a byte more', pemOf('PRIVATE KEY', Uint8Array.of(...derOf(secretPem), 0))],
    ['DER of another length', pemOf('PRIVATE KEY', derOf(secretPem).with(1, 0x2d))],
    ['DER of another version', pemOf('PRIVATE KEY', derOf(secretPem).with(4, 1))],
    ['DER of another curve', pemOf('PRIVATE KEY', derOf(secretPem).with(11, 0x71))],
    ['an elliptic key', ecKey.export({ type: 'pkcs8', format: 'pem' }) as string],
    ['an elliptic key in its own label', ecKey.export({ type: 'sec1', format: 'pem' }) as string],
    ['an OpenSSH key', pemOf('OPENSSH PRIVATE KEY', new Uint8Array(60))],
    ['JSON that is none', '{"kty":'],
    ['a member twice', jwkText({}).replace('{', '{"d":"x",')],
    ['another key type', jwkText({ kty: 'EC' })],
    ['another curve', jwkText({ crv: 'Ed448' })],
    ['no curve', jwkText({ crv: undefined })],
    ['no x', jwkText({ x: undefined })],
    ['a padded d', jwkText({ d: `${JWK_D}=` })],
    ['a d that is no text', jwkText({ d: 7 })],
    ['a d that does not belong to x', jwkText({ d: encodeBase64url(new Uint8Array(32).fill(1)) })],
  ])('%s', (_, text) => {
    const error = errorOf(() => importSecretKey(text, crypto, { alg: 'ed25519' }));
    expect(error?.code).toBe('ENCODING_INVALID');
    expect(error?.message).toMatch(/understood are: raw base64url .* PEM .* JWK/);
    expect(error?.cause).toBeUndefined();
    for (let at = 0; at + 12 <= Math.min(text.length, 500); at += 1) {
      const piece = text.slice(at, at + 12);
      if (!/KEY|PRIVATE|PUBLIC/.test(piece)) expect(error?.message).not.toContain(piece);
    }
  });

  test('a raw key is not guessed at: the algorithm must be given', () => {
    expect(() => importSecretKey(JWK_D, crypto)).toThrow('needs to be told its algorithm');
  });

  test('a key of the other algorithm is refused by name', () => {
    expect(() => importSecretKey(secretPem, crypto, { alg: 'x25519' })).toThrow(
      'this is an ed25519 key, and an x25519 key is needed',
    );
  });

  test('a format outside the list is a mistake of the caller', () => {
    const format = 'der' as KeyFormat;
    expect(() => exportSecretKey(keyOf('ed25519'), format)).toThrow('"format"');
    expect(() => exportPublicKey(keyOf('ed25519'), format)).toThrow('"format"');
  });
});

describe('public keys', () => {
  // Not raw: 32 bytes do not say which half they are.
  test.each(['pem', 'jwk'] as const)('a secret key is refused for a public one: %s', (format) => {
    const text = exportSecretKey(keyOf('ed25519'), format);
    expect(() => importPublicKey(text)).toThrow('this is a secret key');
  });

  test('PEM with other padding than its length asks for is refused', () => {
    const pem = exportPublicKey(keyOf('ed25519'), 'pem');
    expect(pem).toContain('=\n');
    for (const padding of ['', '==', '===']) {
      expect(() => importPublicKey(pem.replace('=\n', `${padding}\n`))).toThrow(
        'standard structure',
      );
    }
  });

  test.each(FORMATS)('a weak key is refused: %s (W35)', (format) => {
    const identity = Uint8Array.of(1, ...new Uint8Array(31));
    for (const alg of ALGORITHMS) {
      const text = exportPublicKey({ alg, publicKey: identity }, format);
      expect(() => importPublicKey(text, { alg })).toThrow(SdlError);
    }
  });
});

describe('a secret key in memory', () => {
  test('shows its secret neither when printed nor as JSON nor when spread', () => {
    const key = keyOf('ed25519');
    const shown = [
      inspect(key, { showHidden: true, depth: 9 }),
      JSON.stringify(key),
      inspect({ ...key }),
    ].join();
    expect(shown).toContain('ed25519');
    expect(shown).not.toMatch(/90, *90, *90|5a5a|"0":90|Wlpa/);
  });

  test('is a copy of what it was made from, and the same array each time', () => {
    const bytes = new Uint8Array(32).fill(0x5a);
    const key = new SecretKey('x25519', bytes, crypto);
    bytes.fill(0);
    expect(key.reveal()).toEqual(new Uint8Array(32).fill(0x5a));
    expect(key.reveal()).toBe(key.reveal());
    expect(() => new SecretKey('x25519', new Uint8Array(31), crypto)).toThrow('"secret"');
  });

  test('is fresh each time it is generated', () => {
    const one = SecretKey.generate('ed25519', crypto);
    expect(one.reveal()).not.toEqual(SecretKey.generate('ed25519', crypto).reveal());
  });
});

interface GoldenKey {
  readonly ed25519_public_b64url?: string;
  readonly ed25519_private_b64url?: string;
  readonly x25519_public_b64url?: string;
  readonly x25519_private_b64url?: string;
  readonly public_pem?: string;
  readonly private_pem?: string;
}

describe.skipIf(!hasVectors)('the keys of the v1 reference', () => {
  const golden = hasVectors
    ? vectorJson<{ keys: Record<string, GoldenKey> }>('a2a-sdl/golden.json').keys
    : {};
  test.each([
    ['sig-1', 'ed25519'],
    ['enc-1', 'x25519'],
    ['enc-2', 'x25519'],
  ] as const)('%s is the same key in every text, and exports to the same text', (name, alg) => {
    const entry = golden[name]!;
    const rawSecret = entry[`${alg}_private_b64url`]!;
    const rawPublic = entry[`${alg}_public_b64url`]!;
    const key = importSecretKey(rawSecret, crypto, { alg });
    expect(exportSecretKey(key, 'raw')).toBe(rawSecret);
    expect(exportPublicKey(key, 'raw')).toBe(rawPublic);
    expect(importPublicKey(rawPublic, { alg }).publicKey).toEqual(key.publicKey);
    if (entry.private_pem !== undefined) {
      expect(importSecretKey(entry.private_pem, crypto).reveal()).toEqual(key.reveal());
      expect(exportSecretKey(key, 'pem')).toBe(entry.private_pem);
    }
    if (entry.public_pem !== undefined) {
      expect(importPublicKey(entry.public_pem)).toEqual({ alg, publicKey: key.publicKey });
      expect(exportPublicKey(key, 'pem')).toBe(entry.public_pem);
    }
  });
});
