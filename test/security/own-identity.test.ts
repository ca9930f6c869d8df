// The agent's own keys: which signs now, which opens, which vouches for grants.

import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest';

import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import { createIdentity, rotateIdentity } from '../../src/security/identity/identity.ts';
import { SecretKey } from '../../src/security/identity/secret-key.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import type { OwnIdentity, OwnKey } from '../../src/security/identity/own-identity.ts';
import {
  decryptionKeyOf,
  ownVerificationKeys,
  signingKeyOf,
} from '../../src/security/identity/own-identity.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import { errorOf } from '../support/wire/bytes.ts';
import { DAY_MS, NOW } from '../support/trust/key-home.ts';

const crypto = chooseProvider();
const YEAR_MS = 365 * DAY_MS;

let identity: LocalIdentity;
let rotated: LocalIdentity;
beforeAll(async () => {
  identity = await createIdentity({ crypto, nowMs: NOW });
  rotated = await rotateIdentity(identity, { crypto, nowMs: NOW + DAY_MS });
});

const rootKid = (): string => thumbprint('ed25519', identity.root.publicKey);
const keyOf = ({ keys }: OwnIdentity, use: OwnKey['use'], index = 0): OwnKey =>
  keys.filter((key) => key.use === use)[index]!;

/** An agent with a label for an id: keys, and nothing that vouches for them. */
const label = (...keys: OwnKey[]): OwnIdentity => ({ agentId: 'did:key:sender', keys });
const labelKey = (kid: string, notAfterMs: number, use: OwnKey['use'] = 'sig'): OwnKey => ({
  kid,
  use,
  notAfterMs,
  key: SecretKey.generate(use === 'sig' ? 'ed25519' : 'x25519', crypto),
});

test('an identity of the key directory is one', () => {
  expectTypeOf<LocalIdentity>().toExtend<OwnIdentity>();
});

describe('#key-bundle the key that signs', () => {
  test('is the newest that is valid', () => {
    expect(signingKeyOf(identity, NOW)).toBe(keyOf(identity, 'sig'));
    expect(signingKeyOf(rotated, NOW + DAY_MS)).toBe(keyOf(rotated, 'sig'));
    expect(keyOf(rotated, 'sig').kid).not.toBe(keyOf(identity, 'sig').kid);
  });

  test('is one that has not ended, though a newer one has', () => {
    const keys = [labelKey('newer', NOW - 1), labelKey('older', NOW), labelKey('last', NOW)];
    expect(signingKeyOf(label(...keys), NOW).kid).toBe('older');
  });

  test('is the root once all have ended, because it always speaks for its did:key', () => {
    const end = keyOf(identity, 'sig').notAfterMs;
    expect(signingKeyOf(identity, end).kid).toBe(keyOf(identity, 'sig').kid);
    expect(signingKeyOf(identity, end + 1)).toEqual({ kid: rootKid(), key: identity.root });
  });

  test('is the root once the bundle has ended: no peer takes a key from it', () => {
    const longLived = { ...keyOf(identity, 'sig'), notAfterMs: NOW + 2 * YEAR_MS };
    const late = { ...identity, keys: [longLived] };
    expect(signingKeyOf(late, identity.bundle.notAfterMs)).toBe(longLived);
    expect(signingKeyOf(late, identity.bundle.notAfterMs + 1).kid).toBe(rootKid());
  });

  test('is no encryption key', () => {
    const keys = [labelKey('enc', NOW, 'enc'), labelKey('sig', NOW)];
    expect(signingKeyOf(label(...keys), NOW).kid).toBe('sig');
  });

  test('is missing where all have ended and there is no root: the error says what to do', () => {
    for (const keys of [[], [labelKey('sig', NOW - 1)], [labelKey('enc', NOW, 'enc')]]) {
      const error = errorOf(() => signingKeyOf(label(...keys), NOW));
      expect(error?.code).toBe('INTERNAL');
      expect(error?.reason).toContain('rotate its keys');
    }
  });

  test('is none at a time that is no number', () => {
    expect(signingKeyOf(identity, NaN).kid).toBe(rootKid());
    expect(errorOf(() => signingKeyOf(label(labelKey('sig', NOW)), NaN))?.code).toBe('INTERNAL');
  });
});

describe('#key-bundle the key that opens', () => {
  test('is the one of that kid, the replaced ones too', () => {
    for (const index of [0, 1]) {
      const key = keyOf(rotated, 'enc', index);
      expect(decryptionKeyOf(rotated, key.kid)).toBe(key);
    }
  });

  test('is one that has ended, as long as the identity holds it', () => {
    const ended = labelKey('e', NOW - YEAR_MS, 'enc');
    expect(decryptionKeyOf(label(ended), 'e')).toBe(ended);
  });

  test('is never a signing key, and none for another kid', () => {
    expect(decryptionKeyOf(identity, keyOf(identity, 'sig').kid)).toBeUndefined();
    expect(decryptionKeyOf(identity, rootKid())).toBeUndefined();
    expect(decryptionKeyOf(identity, 'other')).toBeUndefined();
  });
});

describe('#grant the keys that vouch for our own grants', () => {
  test('are the root and the signing keys that are valid', () => {
    expect(ownVerificationKeys(rotated, NOW + DAY_MS)).toEqual([
      identity.root.publicKey,
      keyOf(rotated, 'sig', 0).key.publicKey,
      keyOf(rotated, 'sig', 1).key.publicKey,
    ]);
  });

  test('are the root alone once the others have ended', () => {
    expect(ownVerificationKeys(identity, NOW + YEAR_MS + 1)).toEqual([identity.root.publicKey]);
  });

  test('of a label are its valid signing keys', () => {
    const keys = [labelKey('old', NOW - 1), labelKey('new', NOW), labelKey('e', NOW, 'enc')];
    expect(ownVerificationKeys(label(...keys), NOW)).toEqual([keys[1]!.key.publicKey]);
  });
});
