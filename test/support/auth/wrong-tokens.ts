// Owns tokens of every wrong kind: each looks like one of the issuer, and none may be taken for one.

import { generateKeyPairSync, sign } from 'node:crypto';

import type { Json } from './issuer.ts';
import { hmacToken, jwkOf, makeKey, signToken, unsignedToken } from './issuer.ts';

type KeyPair = ReturnType<typeof makeKey>;

export interface TokenParts {
  /** The key of the issuer that is taken. */
  readonly key: KeyPair;
  /** Another one of the issuer. */
  readonly second: KeyPair;
  /** One of the issuer that is for encryption. */
  readonly encrypting: KeyPair;
  /** Claims that hold, with these instead. */
  readonly claims: (members?: Json) => Json;
  readonly audience: string;
  readonly nowS: number;
  /** An address with keys that nobody may ask. */
  readonly trap: string;
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** What the issuer tells of its keys. */
export function issuerKeys({ key, second, encrypting }: TokenParts): readonly Json[] {
  return [
    jwkOf(key),
    jwkOf(second),
    { ...jwkOf(encrypting), use: 'enc' },
    { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'rsa' },
  ];
}

const encode = (text: string): string => Buffer.from(text).toString('base64url');

/** Signed over exactly this text of its claims. */
function signText({ kid, privateKey }: KeyPair, claims: string, header: string): string {
  const input = `${encode(header === '' ? `{"alg":"ES256","kid":"${kid}"}` : header)}.${encode(claims)}`;
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

function twice(claims: Json, member: string, value: unknown): string {
  return `${JSON.stringify(claims).slice(0, -1)},${JSON.stringify(member)}:${JSON.stringify(value)}}`;
}

export const WRONG_TOKENS: Readonly<Record<string, (parts: TokenParts) => string>> = {
  'signed by nobody': ({ claims }) => unsignedToken(claims()),
  'signed by nobody under the id of a key': ({ claims, key }) =>
    unsignedToken(claims(), { kid: key.kid }),
  'with "None" in another spelling': ({ claims, key }) =>
    unsignedToken(claims(), { alg: 'nOnE', kid: key.kid }),
  'HS256 with the public key in PEM': ({ claims, key }) =>
    hmacToken(key.publicKey.export({ format: 'pem', type: 'spki' }), claims(), { kid: key.kid }),
  'HS256 with the public key as JWK': ({ claims, key }) =>
    hmacToken(JSON.stringify(jwkOf(key)), claims(), { kid: key.kid }),
  'HS256 with the RSA key in PEM': ({ claims }) =>
    hmacToken(rsa.publicKey.export({ format: 'pem', type: 'spki' }), claims(), { kid: 'rsa' }),
  'ES256 said to be RS256': ({ claims, key }) => signToken(key, claims(), { alg: 'RS256' }),
  'by a key of its own under a known id': ({ claims, key }) =>
    signToken(makeKey(key.kid), claims()),
  'by one key of the issuer under the id of another': ({ claims, key, second }) =>
    signToken(key, claims(), { kid: second.kid }),
  'by a key of the issuer that is for encryption': ({ claims, encrypting }) =>
    signToken(encrypting, claims()),
  'by a key that it brings along': ({ claims }) => {
    const own = makeKey('own');
    return signToken(own, claims(), { jwk: jwkOf(own) });
  },
  'by a key that it brings along under a known id': ({ claims, key }) => {
    const own = makeKey(key.kid);
    return signToken(own, claims(), { jwk: jwkOf(own) });
  },
  'by a key at an address that it names': ({ claims, trap }) =>
    signToken(makeKey('own'), claims(), { jku: trap, x5u: trap }),
  'with a chain of certificates of its own': ({ claims, trap }) =>
    signToken(makeKey('own'), claims(), { x5c: ['AAAA'], x5u: trap }),
  'by a key of an unknown id': ({ claims }) => signToken(makeKey('k9'), claims()),
  'for another audience': ({ claims, key }) =>
    signToken(key, claims({ aud: 'https://other.example' })),
  'for no audience': ({ claims, key }) => signToken(key, claims({ aud: undefined })),
  'for an audience that only begins so': ({ claims, key, audience }) =>
    signToken(key, claims({ aud: `${audience}.evil` })),
  'of another issuer': ({ claims, key }) =>
    signToken(key, claims({ iss: 'https://other.example' })),
  'of no issuer': ({ claims, key }) => signToken(key, claims({ iss: undefined })),
  'that is over': ({ claims, key, nowS }) => signToken(key, claims({ exp: nowS })),
  'that was over a few seconds ago': ({ claims, key, nowS }) =>
    signToken(key, claims({ exp: nowS - 3 })),
  'without an end': ({ claims, key }) => signToken(key, claims({ exp: undefined })),
  'with an end that is text': ({ claims, key }) => signToken(key, claims({ exp: '9999999999' })),
  'that has not begun': ({ claims, key, nowS }) => signToken(key, claims({ nbf: nowS + 60 })),
  'without a subject': ({ claims, key }) => signToken(key, claims({ sub: undefined })),
  'with a subject that is no text': ({ claims, key }) => signToken(key, claims({ sub: 7 })),
  'with an empty subject': ({ claims, key }) => signToken(key, claims({ sub: '' })),
  'with two subjects': ({ claims, key }) => signText(key, twice(claims(), 'sub', 'root'), ''),
  'with two ends': ({ claims, key, nowS }) => signText(key, twice(claims(), 'exp', nowS + 999), ''),
  'with two algorithms': ({ claims, key }) =>
    signText(key, JSON.stringify(claims()), `{"alg":"none","alg":"ES256","kid":"${key.kid}"}`),
  'with an extension that must be understood': ({ claims, key }) =>
    signToken(key, claims(), { crit: ['x'], x: 1 }),
  'with changed claims': ({ claims, key }) => {
    const [head, , signature] = signToken(key, claims()).split('.');
    return `${head}.${encode(JSON.stringify(claims({ sub: 'root' })))}.${signature}`;
  },
  'without its signature': ({ claims, key }) =>
    `${signToken(key, claims()).split('.').slice(0, 2).join('.')}.`,
  'with something behind it': ({ claims, key }) => `${signToken(key, claims())}.x`,
  'with claims that are no object': ({ key }) => signText(key, '[1]', ''),
  'as long as a header may be': ({ claims, key }) =>
    signToken(makeKey(key.kid), claims({ more: 'x'.repeat(8_000) })),
};
