// What the trust registry leaves of a peer's keys.

import { describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import { signingKeysOf } from '../../src/security/peers/keys.ts';
import type { Peer } from '../../src/security/peers/peer.ts';
import type { RegistryContent } from '../../src/security/trust/registry-document.ts';
import { underRegistry } from '../../src/security/trust/registry-peers.ts';
import { directoryOf, makePeer } from '../support/trust/peers.ts';

const EMPTY: RegistryContent = {
  trusted_signing_keys: {},
  required_kid_by_agent: {},
  allowed_kids_by_agent: {},
  revoked_kids: [],
  kid_not_after: {},
};
const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const peer = makePeer('a', {
  signingKeys: [
    { kid: 'one', key: key(1) },
    { kid: 'two', key: key(2), notAfter: Date.UTC(2030, 0, 1) },
  ],
});
const peers = directoryOf(peer);

function kidsUnder(parts: Partial<RegistryContent>, of: Peer = peer): string[] {
  const found = underRegistry(directoryOf(of), { ...EMPTY, ...parts } as RegistryContent).find(
    of.agentId,
  )!;
  return signingKeysOf(found).map(({ kid }) => kid);
}

describe('#registry peers under a registry', () => {
  test('an empty registry changes nothing', () => {
    expect(underRegistry(peers, EMPTY)).toBe(peers);
  });

  test('a revoked kid speaks no more', () => {
    expect(kidsUnder({ revoked_kids: ['one'] })).toEqual(['two']);
  });

  test('an allowed list leaves no others, and a required kid none but itself', () => {
    expect(kidsUnder({ allowed_kids_by_agent: { a: ['two'] } })).toEqual(['two']);
    expect(kidsUnder({ required_kid_by_agent: { a: 'one' } })).toEqual(['one']);
    expect(kidsUnder({ required_kid_by_agent: { b: 'one' } })).toEqual(['one', 'two']);
  });

  test('a trusted key that an agent is given becomes its own', () => {
    const parts = {
      trusted_signing_keys: { three: encodeBase64url(key(3)) },
      allowed_kids_by_agent: { a: ['one', 'three'] },
    };
    expect(kidsUnder(parts)).toEqual(['one', 'three']);
  });

  test('a trusted key that no agent is given is nobody’s', () => {
    const parts = {
      trusted_signing_keys: { three: encodeBase64url(key(3)) },
      revoked_kids: ['zero'],
    };
    expect(kidsUnder(parts)).toEqual(['one', 'two']);
  });

  test('a kid ends when the registry says so, and never later than its entry says', () => {
    const ends = { one: '2029-01-01T00:00:00Z', two: '2031-01-01T00:00:00Z' };
    const found = underRegistry(peers, { ...EMPTY, kid_not_after: ends });
    expect(signingKeysOf(found.find('a')!).map(({ notAfter }) => notAfter)).toEqual([
      Date.UTC(2029, 0, 1),
      Date.UTC(2030, 0, 1),
    ]);
  });

  test('keys that come with a bundle fall under it too', () => {
    const found = underRegistry(peers, { ...EMPTY, revoked_kids: ['op'] }).find('a')!;
    const withBundle = {
      ...found,
      signingKeys: [...found.signingKeys, { kid: 'op', key: key(4) }],
    };
    expect(signingKeysOf(withBundle).map(({ kid }) => kid)).toEqual(['one', 'two']);
  });

  test('nobody becomes a peer by it', () => {
    const parts = {
      trusted_signing_keys: { three: encodeBase64url(key(3)) },
      allowed_kids_by_agent: { stranger: ['three'] },
    };
    const found = underRegistry(peers, { ...EMPTY, ...parts });
    expect(found.find('stranger')).toBeUndefined();
  });
});
