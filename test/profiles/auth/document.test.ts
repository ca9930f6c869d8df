// Proves that callers are read strictly from JSON, and that no two can be taken for each other.

import { describe, expect, test } from 'vitest';

import type { CallerEntry } from '../../../profiles/auth/index.ts';
import {
  createCallers,
  hashSecret,
  readCallers,
  writeCallers,
} from '../../../profiles/auth/index.ts';

const HASH = hashSecret('a-token-of-the-ci-machine');
const SCRYPT = `scrypt$32768$8$1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

describe('#callers the document', () => {
  test('says the same when it is written and read again', () => {
    const document = [
      { name: 'a', bearer: `sha256:${HASH}`, tools: ['math.add'], ct: ['task.v1'], tenant: 't' },
      { name: 'b', api_key: '@/keys/b.txt', peer: 'did:key:b', revoked: true },
      { name: 'c', basic: { user: 'c', password: SCRYPT }, expires: '2027-01-31T00:00:00.000Z' },
      { name: 'd', basic: { user: 'd', password: '@/keys/passwords' } },
      {
        name: 'e',
        jwt: {
          issuer: 'https://i.example',
          audience: 'x',
          jwks: 'https://k.example',
          subject: 's',
        },
      },
      { name: 'f', jwt: { issuer: 'https://i.example', audience: 'x' } },
      { name: 'g', certificate: `sha256:${HASH}` },
    ];
    const entries = readCallers(document, '/');
    expect(writeCallers(entries)).toEqual(document);
    expect(entries[2]!.expiresAt).toBe(Date.UTC(2027, 0, 31));
  });

  test('means its files from where it stands', () => {
    const [entry] = readCallers([{ name: 'a', bearer: '@../token' }], '/etc/agent');
    expect(entry!.proof).toEqual({ scheme: 'bearer', secret: { file: '/etc/token' } });
  });

  test.each<[string, unknown, string]>([
    ['a secret itself', { name: 'a', bearer: 'the-secret-token-itself' }, 'callers[0].bearer'],
    [
      'a password itself',
      { name: 'a', basic: { user: 'u', password: 'secret' } },
      'basic.password',
    ],
    ['no proof', { name: 'a' }, 'must have one of'],
    ['two proofs', { name: 'a', bearer: '@a', api_key: '@b' }, 'must have one of'],
    ['an unknown member', { name: 'a', bearer: '@a', admin: true }, '"admin"'],
    ['a pattern', { name: 'a', bearer: '@a', tools: ['math.*'] }, 'callers[0].tools[0]'],
    ['a day without a time', { name: 'a', bearer: '@a', expires: '2027-01-31' }, 'expires'],
    ['a name with blanks', { name: 'a b', bearer: '@a' }, 'its name'],
    ['a peer that is a caller', { name: 'a', bearer: '@a', peer: '~bearer:b' }, 'its peer'],
    [
      'an issuer with "|"',
      { name: 'a', jwt: { issuer: 'https://a|b', audience: 'x' } },
      'its issuer',
    ],
    [
      'an issuer that is no URL',
      { name: 'a', jwt: { issuer: 'sso', audience: 'x' } },
      'must be given',
    ],
    [
      'keys in a file',
      { name: 'a', jwt: { issuer: 'sso', audience: 'x', jwks: 'file:///x' } },
      'https:',
    ],
    ['a hash that is none', { name: 'a', certificate: 'sha256:xyz' }, 'SHA-256'],
  ])('with %s is refused, and holds nothing of a secret', (_what, entry, words) => {
    const read = (): unknown => readCallers([entry] as never, '/');
    expect(read).toThrow(TypeError);
    expect(read).toThrow(words);
    expect(read).not.toThrow(/the-secret-token-itself/);
  });

  const bearerOf = (name: string): CallerEntry => ({
    name,
    proof: { scheme: 'bearer', secret: { sha256: HASH } },
  });
  test.each<[string, readonly CallerEntry[]]>([
    [
      'one name',
      [bearerOf('a'), { ...bearerOf('a'), proof: { scheme: 'api-key', secret: { sha256: HASH } } }],
    ],
    ['one secret', [bearerOf('a'), bearerOf('b')]],
    [
      'one user',
      ['a', 'b'].map((name) => ({
        name,
        proof: { scheme: 'basic', user: 'u', password: { hash: SCRYPT } },
      })),
    ],
  ])('two callers with %s are refused', (_what, entries) => {
    expect(() => createCallers({ entries })).toThrow(/callers/);
  });
});
