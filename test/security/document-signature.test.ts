// Signatures of documents: one purpose each.

import { describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { SdlError } from '../../src/errors.ts';
import type {
  DocumentPurpose,
  SignedDocument,
} from '../../src/security/identity/document-signature.ts';
import {
  DOCUMENT_PURPOSES,
  documentSigningInput,
  signDocument,
  verifyDocument,
} from '../../src/security/identity/document-signature.ts';
import { signingInput } from '../../src/security/message/signing-input.ts';
import { parse, textOf } from '../support/wire/bytes.ts';
import { request } from '../support/wire/envelopes.ts';

const crypto = chooseProvider();
const SECRET = new Uint8Array(32).fill(7);
const PUBLIC = crypto.ed25519PublicKey(SECRET);
const document: JsonObject = { b: 2, a: 'é', nested: { z: null, y: [true] } };

const envelope: JsonObject = {
  ...request,
  sec: { mode: 'sig', kid: 'k', sig: { alg: 'ed25519', value: '' } },
};

describe('#doc-signature signatures of documents (W7)', () => {
  test('cover the purpose, a line feed and the JCS form without sig', () => {
    expect(textOf(documentSigningInput('audit-head', { ...document, sig: 'x' }))).toBe(
      'a2a-sdl/audit-head/v1\n{"a":"é","b":2,"nested":{"y":[true],"z":null}}',
    );
  });

  test('hold for what was signed, and a second signing gives the same', async () => {
    const signed = await signDocument('grant', document, SECRET, crypto);
    expect(Object.keys(signed)).toEqual(['b', 'a', 'nested', 'sig']);
    expect(await verifyDocument('grant', signed, PUBLIC, crypto)).toBe(true);
    expect(await signDocument('grant', signed, SECRET, crypto)).toEqual(signed);
  });

  const pairs = DOCUMENT_PURPOSES.flatMap((signedFor) =>
    DOCUMENT_PURPOSES.map((readAs) => ({ signedFor, readAs })),
  );
  test('there are 64 pairs of purposes', () => expect(pairs).toHaveLength(64));

  test.each(pairs)('signed as $signedFor, read as $readAs', async ({ signedFor, readAs }) => {
    const signed = await signDocument(signedFor, document, SECRET, crypto);
    expect(await verifyDocument(readAs, signed, PUBLIC, crypto)).toBe(signedFor === readAs);
  });

  test.each(['jcs', 'python', 'cbor'] as const)(
    'an envelope signed over its %s form passes as no document, and no document as that envelope',
    async (form) => {
      const input = signingInput(envelope, form);
      const ofEnvelope = await crypto.sign(input, SECRET);
      expect(await crypto.verify(ofEnvelope, input, PUBLIC)).toBe(true);
      for (const purpose of DOCUMENT_PURPOSES) {
        const asDocument = { ...envelope, sig: encodeBase64url(ofEnvelope) };
        expect(await verifyDocument(purpose, asDocument, PUBLIC, crypto)).toBe(false);
        const ofDocument = await crypto.sign(documentSigningInput(purpose, envelope), SECRET);
        expect(await crypto.verify(ofDocument, input, PUBLIC)).toBe(false);
      }
    },
  );

  test.each<[string, (signed: SignedDocument) => JsonObject]>([
    ['a member changed', (signed) => ({ ...signed, b: 3 })],
    ['a member added', (signed) => ({ ...signed, c: 1 })],
    [
      'an own __proto__ added',
      (signed) => ({ ...signed, ...(parse('{"__proto__":1}') as object) }),
    ],
    ['no sig', () => document],
    ['an inherited sig', (signed) => Object.assign(Object.create(signed), document) as JsonObject],
    ['a sig that is no text', (signed) => ({ ...signed, sig: 1 })],
    ['an empty sig', (signed) => ({ ...signed, sig: '' })],
    ['a padded sig', (signed) => ({ ...signed, sig: `${signed.sig}==` })],
    ['a short sig', (signed) => ({ ...signed, sig: signed.sig.slice(0, 80) })],
  ])('%s: does not hold', async (_, change) => {
    const signed = await signDocument('registry', document, SECRET, crypto);
    expect(await verifyDocument('registry', change(signed), PUBLIC, crypto)).toBe(false);
  });

  test('another key does not hold', async () => {
    const signed = await signDocument('receipt', document, SECRET, crypto);
    const other = crypto.ed25519PublicKey(new Uint8Array(32).fill(8));
    expect(await verifyDocument('receipt', signed, other, crypto)).toBe(false);
  });

  test('a number without an exact form is refused rather than rounded', async () => {
    const inexact = { n: new LosslessNumber('9007199254740993') };
    await expect(signDocument('bundle', inexact, SECRET, crypto)).rejects.toThrow(SdlError);
  });

  test('a purpose outside the list is a mistake of the caller', () => {
    const purpose = 'grant/v1\n{}\na2a-sdl/bundle' as DocumentPurpose;
    expect(() => documentSigningInput(purpose, document)).toThrow('"purpose"');
  });
});
