// Key bundles: signed by the root, strict, valid now, never older than before.

import { beforeAll, describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { SdlError } from '../../src/errors.ts';
import { didKeyFromPublicKey } from '../../src/security/identity/did-key.ts';
import { signDocument } from '../../src/security/identity/document-signature.ts';
import type { KeyBundle } from '../../src/security/identity/key-bundle-shape.ts';
import type { NewBundleKey, VerifyBundleOptions } from '../../src/security/identity/key-bundle.ts';
import {
  bundleKeys,
  signKeyBundle,
  verifyKeyBundle,
  verifyStoredBundle,
} from '../../src/security/identity/key-bundle.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import { parse, textOf } from '../support/wire/bytes.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import { applyPatch } from '../../src/state/apply-patch.ts';

const crypto = chooseProvider();
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 10);
const END = NOW + 30 * DAY_MS;

const seed = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const ROOT = seed(1);
const rootPublic = crypto.ed25519PublicKey(ROOT);
const AGENT = didKeyFromPublicKey(rootPublic);
const sigKey = crypto.ed25519PublicKey(seed(2));
const encKey = crypto.x25519PublicKey(seed(3));

const KEYS: readonly NewBundleKey[] = [
  { use: 'sig', publicKey: sigKey, notAfterMs: END },
  { use: 'enc', publicKey: encKey, notAfterMs: NOW + DAY_MS },
];

function makeBundle(
  content: Partial<Parameters<typeof signKeyBundle>[0]> = {},
): Promise<KeyBundle> {
  const whole = { seq: 4, notBeforeMs: NOW - DAY_MS, notAfterMs: END, keys: KEYS, ...content };
  return signKeyBundle(whole, ROOT, crypto);
}

let bundle: KeyBundle;
let document: JsonObject;
beforeAll(async () => {
  bundle = await makeBundle();
  // As a peer reads it from the wire.
  document = parse(textOf(writeJson(bundle.document))) as JsonObject;
});

async function refusal(
  value: JsonValue,
  options: Partial<VerifyBundleOptions> = {},
): Promise<SdlError> {
  try {
    await verifyKeyBundle(value, { crypto, nowMs: NOW, ...options });
  } catch (thrown) {
    if (thrown instanceof SdlError) return thrown;
    throw thrown;
  }
  throw new Error('the bundle was accepted');
}

describe('#key-bundle a key bundle (W14)', () => {
  test('has the members of the wire and is signed for the did:key of its root', async () => {
    expect(document).toEqual({
      agent_id: AGENT,
      seq: 4,
      not_before: '2026-01-09T00:00:00Z',
      not_after: '2026-02-09T00:00:00Z',
      keys: [
        {
          kid: thumbprint('ed25519', sigKey),
          use: 'sig',
          alg: 'ed25519',
          key: encodeBase64url(sigKey),
          not_after: '2026-02-09T00:00:00Z',
        },
        {
          kid: thumbprint('x25519', encKey),
          use: 'enc',
          alg: 'x25519',
          key: encodeBase64url(encKey),
          not_after: '2026-01-11T00:00:00Z',
        },
      ],
      sig: expect.stringMatching(/^[\w-]{86}$/) as string,
    });
    const verified = await verifyKeyBundle(document, { crypto, nowMs: NOW, agentId: AGENT });
    expect(verified).toEqual(bundle);
    expect(verified.rootKey).toEqual(rootPublic);
    expect(verified.keys.map((key) => key.publicKey)).toEqual([sigKey, encKey]);
  });

  test('keeps a kid that the owner gives', async () => {
    const named = await makeBundle({ keys: [{ ...KEYS[0]!, kid: 'sig-1' }] });
    expect(named.keys[0]!.kid).toBe('sig-1');
  });

  test.each<[string, JsonObject[], string]>([
    ['no object', [{ op: 'replace', path: '', value: [] }], ''],
    ['a member too many', [{ op: 'add', path: '/revoked', value: false }], ''],
    [
      'a label as agent id',
      [{ op: 'replace', path: '/agent_id', value: 'did:key:a' }],
      '/agent_id',
    ],
    ['no agent id', [{ op: 'remove', path: '/agent_id' }], '/agent_id'],
    ['no seq', [{ op: 'remove', path: '/seq' }], '/seq'],
    ['a negative seq', [{ op: 'replace', path: '/seq', value: -1 }], '/seq'],
    ['a seq in text', [{ op: 'replace', path: '/seq', value: '4' }], '/seq'],
    ['a seq that is true', [{ op: 'replace', path: '/seq', value: true }], '/seq'],
    [
      'a seq that JCS would write alike',
      [{ op: 'replace', path: '/seq', value: new LosslessNumber('4.0') }],
      '/seq',
    ],
    [
      'a seq beyond exactness',
      [{ op: 'replace', path: '/seq', value: new LosslessNumber('9007199254740993') }],
      '/seq',
    ],
    ['a loose time', [{ op: 'replace', path: '/not_before', value: '2026-01-09' }], '/not_before'],
    ['a time as number', [{ op: 'replace', path: '/not_after', value: 1 }], '/not_after'],
    [
      'an end before the start',
      [{ op: 'replace', path: '/not_after', value: '2026-01-08T00:00:00Z' }],
      '/not_after',
    ],
    ['no sig', [{ op: 'remove', path: '/sig' }], '/sig'],
    ['no keys', [{ op: 'remove', path: '/keys' }], '/keys'],
    ['an empty list of keys', [{ op: 'replace', path: '/keys', value: [] }], '/keys'],
    ['keys as object', [{ op: 'replace', path: '/keys', value: {} }], '/keys'],
    ['a key that is text', [{ op: 'replace', path: '/keys/1', value: 'k' }], '/keys/1'],
    ['a member too many in a key', [{ op: 'add', path: '/keys/1/d', value: 'x' }], '/keys/1'],
    ['an empty kid', [{ op: 'replace', path: '/keys/0/kid', value: '' }], '/keys/0/kid'],
    ['another use', [{ op: 'replace', path: '/keys/0/use', value: 'auth' }], '/keys/0/use'],
    [
      'an encryption key used to sign',
      [{ op: 'replace', path: '/keys/1/use', value: 'sig' }],
      '/keys/1/alg',
    ],
    ['another algorithm', [{ op: 'replace', path: '/keys/0/alg', value: 'rsa' }], '/keys/0/alg'],
    ['no end of a key', [{ op: 'remove', path: '/keys/0/not_after' }], '/keys/0/not_after'],
    [
      'a short key',
      [{ op: 'replace', path: '/keys/0/key', value: encodeBase64url(sigKey.slice(1)) }],
      '/keys/0/key',
    ],
    [
      'a padded key',
      [{ op: 'replace', path: '/keys/0/key', value: `${encodeBase64url(sigKey)}=` }],
      '/keys/0/key',
    ],
    ['one kid twice', [{ op: 'copy', from: '/keys/0/kid', path: '/keys/1/kid' }], '/keys/1/kid'],
    [
      'one key in two roles',
      [{ op: 'copy', from: '/keys/0/key', path: '/keys/1/key' }],
      '/keys/1/key',
    ],
    [
      'the root key in the list',
      [{ op: 'replace', path: '/keys/0/key', value: encodeBase64url(rootPublic) }],
      '/keys/0/key',
    ],
  ])(
    'with %s is refused with the path, before its signature is looked at',
    async (_, patch, path) => {
      const error = await refusal(applyPatch(document, patch), { path: '/cap/a2a_sdl/bundle' });
      expect(error.code).toBe('ENVELOPE_INVALID');
      expect(error.details['path']).toBe(`/cap/a2a_sdl/bundle${path}`);
    },
  );

  test.each([
    ['the identity point to sign with', '/keys/0/key', Uint8Array.of(1, ...new Uint8Array(31))],
    ['a y that has no point', '/keys/0/key', Uint8Array.of(2, ...new Uint8Array(31))],
    ['an X25519 key of low order', '/keys/1/key', new Uint8Array(32)],
    ['an X25519 key that is not canonical', '/keys/1/key', new Uint8Array(32).fill(0xff)],
  ])('with %s is refused even though the root signed it (W35)', async (_, path, weak) => {
    const patch = [{ op: 'replace', path, value: encodeBase64url(weak) }];
    const unsigned = applyPatch(document, patch) as JsonObject;
    expect((await refusal(unsigned)).code).toBe('SIGNATURE_INVALID');
    const signed = await signDocument('bundle', unsigned, ROOT, crypto);
    const error = await refusal(signed);
    expect([error.code, error.details['path']]).toEqual(['ENVELOPE_INVALID', path]);
    await expect(verifyStoredBundle(signed, crypto)).rejects.toThrow(path);
    const key = {
      use: path.includes('0') ? 'sig' : 'enc',
      publicKey: weak,
      notAfterMs: END,
    } as const;
    await expect(makeBundle({ keys: [key] })).rejects.toThrow('/keys/0/key');
  });

  test('holds up to 16 keys', async () => {
    const many = (count: number): NewBundleKey[] =>
      Array.from({ length: count }, (_, index) => ({
        use: 'sig',
        publicKey: crypto.ed25519PublicKey(seed(100 + index)),
        notAfterMs: END,
      }));
    expect((await makeBundle({ keys: many(16) })).keys).toHaveLength(16);
    await expect(makeBundle({ keys: many(17) })).rejects.toMatchObject({ code: 'LIMIT_ARRAY' });
  });

  test('that another key signed is refused, and so is one that was changed', async () => {
    const forged = await signDocument('bundle', document, seed(9), crypto);
    expect((await refusal(forged)).code).toBe('SIGNATURE_INVALID');
    const changed = applyPatch(document, [
      {
        op: 'replace',
        path: '/keys/1/key',
        value: encodeBase64url(crypto.x25519PublicKey(seed(8))),
      },
    ]);
    expect((await refusal(changed)).code).toBe('SIGNATURE_INVALID');
    await expect(verifyStoredBundle(changed, crypto)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    });
  });

  test('signed for another purpose is refused', async () => {
    const agent = await signDocument('agent', document, ROOT, crypto);
    expect((await refusal(agent)).code).toBe('SIGNATURE_INVALID');
  });

  test('of another agent than the sender is refused', async () => {
    const error = await refusal(document, { agentId: didKeyFromPublicKey(sigKey) });
    expect(error.code).toBe('SENDER_REFUSED');
  });

  test('with a lower seq than one seen before is refused; the same or a higher one is not', async () => {
    expect((await refusal(document, { lastSeq: 5 })).code).toBe('SENDER_REFUSED');
    expect((await refusal(document, { lastSeq: Number.NaN })).code).toBe('SENDER_REFUSED');
    for (const lastSeq of [0, 3, 4]) {
      const verified = await verifyKeyBundle(document, { crypto, nowMs: NOW, lastSeq });
      expect(verified.seq).toBe(4);
    }
  });

  test('is valid from not_before to not_after, with the skew on both sides', async () => {
    const valid = async (nowMs: number, skewMs?: number): Promise<boolean> => {
      const options = skewMs === undefined ? { nowMs } : { nowMs, skewMs };
      return verifyKeyBundle(document, { crypto, ...options }).then(
        () => true,
        (thrown: SdlError) => {
          expect(thrown.code).toBe('SENDER_REFUSED');
          return false;
        },
      );
    };
    const start = bundle.notBeforeMs;
    expect([await valid(start, 0), await valid(start - 1, 0)]).toEqual([true, false]);
    expect([await valid(END, 0), await valid(END + 1, 0)]).toEqual([true, false]);
    expect([await valid(start - 120_000), await valid(start - 120_001)]).toEqual([true, false]);
    expect([await valid(END + 120_000), await valid(END + 120_001)]).toEqual([true, false]);
    expect(await valid(Number.NaN)).toBe(false);
  });

  test('that has ended can still be read from one’s own store', async () => {
    expect(await verifyStoredBundle(document, crypto)).toEqual(bundle);
  });

  test('gives only keys of the use that have not ended, in the order of the list', async () => {
    const newer = crypto.ed25519PublicKey(seed(20));
    const two = await makeBundle({
      keys: [{ use: 'sig', publicKey: newer, notAfterMs: END + DAY_MS }, ...KEYS],
    });
    const keysAt = (use: 'sig' | 'enc', nowMs: number): Uint8Array[] =>
      bundleKeys(two, use, nowMs).map((key) => key.publicKey);
    expect(keysAt('sig', NOW)).toEqual([newer, sigKey]);
    expect(keysAt('enc', NOW + DAY_MS)).toEqual([encKey]);
    expect(keysAt('enc', NOW + DAY_MS + 1)).toEqual([]);
    expect(keysAt('sig', END + 1)).toEqual([]);
    expect(keysAt('sig', Number.NaN)).toEqual([]);
  });

  test('errors hold neither keys nor what the sender wrote', async () => {
    const hostile = applyPatch(document, [{ op: 'add', path: '/evil-name', value: 'evil-value' }]);
    const error = await refusal(hostile);
    expect(JSON.stringify([error.message, error.details])).not.toMatch(/evil/);
  });
});
