// Encryption of payloads, and what ties a ciphertext to its envelope.

import { describe, expect, test } from 'vitest';

import { readJson } from '../../src/codec/json/read.ts';
import { writePythonJson } from '../../src/codec/canonical-python.ts';
import { decodeBase64url, encodeBase64url } from '../../src/codec/base64url.ts';
import type { CryptoProvider } from '../../src/crypto/provider.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import type { Envelope } from '../../src/envelope/types.ts';
import { bindTag, checkBind } from '../../src/security/message/bind.ts';
import type { EncryptionBlock } from '../../src/security/message/encrypt-payload.ts';
import { decryptPayload, encryptPayload } from '../../src/security/message/encrypt-payload.ts';
import { codeOf, errorOf, textOf, utf8 } from '../support/wire/bytes.ts';
import { taskPayload, taskRequest } from '../support/wire/envelopes.ts';
import { goldenCases, goldenKey, goldenValue } from '../support/wire/golden.ts';
import { hasVectors } from '../support/repository/vectors.ts';

const crypto = chooseProvider('noble');
const bobSecret = new Uint8Array(32).fill(9); // TEST ONLY
const bob = { kid: 'bob', publicKey: crypto.x25519PublicKey(bobSecret) };
const carolSecret = new Uint8Array(32).fill(11); // TEST ONLY
const carol = { kid: 'carol', publicKey: crypto.x25519PublicKey(carolSecret) };
const keyOf =
  (keys: Record<string, Uint8Array>) =>
  (kid: string): Uint8Array | undefined =>
    keys[kid];
const plaintext = writePythonJson(taskPayload);

describe.skipIf(!hasVectors)('#sec-encrypt payloads sealed by the Python reference', () => {
  const sealed = goldenCases.filter(({ name }) => name.startsWith('enc+sig'));
  const blockOf = (one: (typeof sealed)[number]): EncryptionBlock =>
    (goldenValue(one) as unknown as Envelope).sec!.enc!;

  test('are 24', () => expect(sealed).toHaveLength(24));

  test.each(sealed)('$name opens for each recipient to the very bytes', (one) => {
    for (const kid of ['enc-1', 'enc-2']) {
      const own = goldenKey(kid, 'x25519_private_b64url');
      const opened = decryptPayload(blockOf(one), keyOf({ [kid]: own }), crypto);
      expect(textOf(opened.plaintext)).toBe(one.payload_canonical);
    }
  });

  test.each(goldenCases.filter(({ name }) => name.startsWith('bad/enc')))(
    '$name is refused',
    (one) => {
      const own = goldenKey('enc-1', 'x25519_private_b64url');
      expect(codeOf(() => decryptPayload(blockOf(one), keyOf({ 'enc-1': own }), crypto))).toBe(
        'DECRYPT_FAILED',
      );
    },
  );
});

describe('#sec-encrypt payloads sealed by us', () => {
  test('open for every recipient, to the bytes that were sealed', () => {
    const { enc, contentKey } = encryptPayload(plaintext, [bob, carol], crypto);
    expect(enc.recipients.map(({ kid }) => kid)).toEqual(['bob', 'carol']);
    for (const keys of [{ bob: bobSecret }, { carol: carolSecret }]) {
      const opened = decryptPayload(enc, keyOf(keys), crypto);
      expect(opened.plaintext).toEqual(plaintext);
      expect(opened.contentKey).toEqual(contentKey);
      expect(readJson(opened.plaintext)).toEqual(taskPayload);
    }
  });

  test('never use a key, a nonce or an ephemeral key twice', () => {
    const seen = new Set<string>();
    for (let time = 0; time < 20; time += 1) {
      const { enc, contentKey } = encryptPayload(plaintext, [bob, bob], crypto);
      seen.add(encodeBase64url(contentKey)).add(enc.nonce);
      for (const { eph, wn } of enc.recipients) seen.add(eph).add(wn);
    }
    expect(seen.size).toBe(20 * 6);
  });

  test('a recipient key that is no key is refused when sealing', () => {
    const weak = { kid: 'weak', publicKey: new Uint8Array(32) };
    expect(() => encryptPayload(plaintext, [weak], crypto)).toThrow(
      /"weak" is not a usable X25519/,
    );
  });
});

describe('#sec-undecryptable W47 whatever fails', () => {
  const { enc } = encryptPayload(plaintext, [bob], crypto);
  const [recipient] = enc.recipients;
  const flip = (text: string): string => {
    const bytes = decodeBase64url(text)!;
    bytes[0]! ^= 1;
    return encodeBase64url(bytes);
  };
  const damaged: [string, EncryptionBlock][] = [
    ['nobody of ours is named', { ...enc, recipients: [{ ...recipient!, kid: 'x' }] }],
    ['the ciphertext is changed', { ...enc, ciphertext: flip(enc.ciphertext) }],
    ['the ciphertext is cut', { ...enc, ciphertext: 'AAAA' }],
    ['the nonce is changed', { ...enc, nonce: flip(enc.nonce) }],
    ['the nonce is short', { ...enc, nonce: 'AAAA' }],
    ['the ephemeral key is changed', withRecipient({ eph: flip(recipient!.eph) })],
    ['the ephemeral key is zero', withRecipient({ eph: encodeBase64url(new Uint8Array(32)) })],
    ['the ephemeral key is short', withRecipient({ eph: 'AAAA' })],
    ['the wrapped key is changed', withRecipient({ ek: flip(recipient!.ek) })],
    ['the wrap nonce is changed', withRecipient({ wn: flip(recipient!.wn) })],
    ['the wrap nonce is short', withRecipient({ wn: 'AAAA' })],
    ['something is not base64url', withRecipient({ ek: '+/+/' })],
  ];
  function withRecipient(change: object): EncryptionBlock {
    return { ...enc, recipients: [{ ...recipient!, ...change }] };
  }

  test.each(damaged)('%s: the error is the same', (_name, block) => {
    const error = errorOf(() => decryptPayload(block, keyOf({ bob: bobSecret }), crypto));
    expect(error?.code).toBe('DECRYPT_FAILED');
    expect(error?.reason).toBe('the payload cannot be opened');
    expect(error?.details).toEqual({});
    expect(error?.cause).toBeUndefined();
  });

  test('W43 only entries for our own keys are tried, and only one of them', () => {
    let attempts = 0;
    const counting: CryptoProvider = {
      ...crypto,
      agree: (...input) => {
        attempts += 1;
        return crypto.agree(...input);
      },
    };
    const foreign = Array.from({ length: 62 }, () => ({ ...recipient!, kid: 'x' }));
    const wrong = { ...recipient!, ek: flip(recipient!.ek) };
    const block = { ...enc, recipients: [...foreign, wrong, recipient!] };
    const run = (): unknown => decryptPayload(block, keyOf({ bob: bobSecret }), counting);
    expect(codeOf(run)).toBe('DECRYPT_FAILED');
    expect(attempts).toBe(1);
  });
});

describe('#x-bind W1 W16 a ciphertext and its envelope', () => {
  const { enc, contentKey } = encryptPayload(plaintext, [bob, carol], crypto);
  const base: Envelope = {
    ...taskRequest(),
    payload: null,
    sec: { mode: 'enc+sig', kid: 'alice-1', sig: { alg: 'ed25519', value: 'AA' }, enc },
  };
  const bound: Envelope = {
    ...base,
    sec: { ...base.sec!, x: { bind: bindTag(base, contentKey, crypto) } },
  };

  test('belong together', () => {
    expect(codeOf(() => checkBind(bound, contentKey, crypto))).toBeUndefined();
  });

  const other = { ...bound.from, agent_id: 'did:key:mallory' };
  const { sec } = bound;
  test.each<[string, Envelope]>([
    ["W1 lifted into another signer's envelope", { ...bound, sec: { ...sec!, kid: 'mallory-1' } }],
    ['another sender', { ...bound, from: other }],
    ['another receiver', { ...bound, to: other }],
    ['another id', { ...bound, id: 'other' }],
    ['another time', { ...bound, ts: '2026-01-01T00:00:01Z' }],
    ['another type of message', { ...bound, type: 'evt' }],
    ['another content type', { ...bound, ct: 'state.v1' }],
    ['another schema', { ...bound, schema: { ...bound.schema, id: `sha256:${'0'.repeat(64)}` } }],
    [
      'a recipient taken away',
      { ...bound, sec: { ...sec!, enc: { ...enc, recipients: [enc.recipients[0]!] } } },
    ],
    ['no tag', base],
    [
      'another tag',
      { ...bound, sec: { ...sec!, x: { bind: encodeBase64url(utf8('x'.repeat(32))) } } },
    ],
    ['a tag that is no text', { ...bound, sec: { ...sec!, x: { bind: 1 } } }],
  ])('%s is refused', (_name, changed) => {
    expect(codeOf(() => checkBind(changed, contentKey, crypto))).toBe('BINDING_INVALID');
  });

  test('W16 another content key is refused: the tag commits to one', () => {
    expect(codeOf(() => checkBind(bound, crypto.randomBytes(32), crypto))).toBe('BINDING_INVALID');
  });
});
