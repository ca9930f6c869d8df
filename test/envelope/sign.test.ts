// Signatures of envelopes: the three forms, the reference's envelopes, and what a signature does not let through.

import { describe, expect, test } from 'vitest';

import { readCbor } from '../../src/codec/cbor/read.ts';
import { writeCbor } from '../../src/codec/cbor/write.ts';
import { readJson } from '../../src/codec/json/read.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import { writePythonJson } from '../../src/codec/canonical-python.ts';
import { mergeJcsNumbers } from '../../src/codec/jcs-merge.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import type { SigningForm } from '../../src/envelope/types.ts';
import { SdlError } from '../../src/errors.ts';
import { signEnvelope, verifyEnvelope } from '../../src/security/message/sign.ts';
import { signingInput, signingInputOfText } from '../../src/security/message/signing-input.ts';
import { parse, textOf, utf8 } from '../support/wire/bytes.ts';
import { request } from '../support/wire/envelopes.ts';
import { goldenBytes, goldenCases, goldenKey, goldenValue } from '../support/wire/golden.ts';
import { hasVectors } from '../support/repository/vectors.ts';

const crypto = chooseProvider('noble');
const secretKey = new Uint8Array(32).fill(7); // TEST ONLY
const publicKey = crypto.ed25519PublicKey(secretKey);

function unsigned(canon?: SigningForm, payload: JsonValue = request['payload']!): JsonObject {
  const sig = { alg: 'ed25519', value: '', ...(canon && { canon }) };
  return { ...request, payload, sec: { mode: 'sig', kid: 'k', sig } };
}

async function codeOf(run: Promise<unknown>): Promise<string | undefined> {
  try {
    await run;
  } catch (thrown) {
    if (thrown instanceof SdlError) return thrown.code;
    throw thrown;
  }
  return undefined;
}

describe.skipIf(!hasVectors)(
  '#sec-signing-input #sec-canon envelopes signed by the Python reference',
  () => {
    const signed = goldenCases.filter(({ signing_canon: canon }) => canon !== null);
    const key = hasVectors ? goldenKey('sig-1', 'ed25519_public_b64url') : publicKey;

    test('are 58: 48 that hold and 10 that do not', () => {
      expect(signed.filter(({ verifies }) => verifies === true)).toHaveLength(48);
      expect(signed.filter(({ verifies }) => verifies === false)).toHaveLength(10);
    });

    test.each(signed.filter(({ verifies }) => verifies === true))(
      '$name holds in its own form, from the text and from the value',
      async (one) => {
        const form: SigningForm = one.signing_canon === 'cbor' ? 'cbor' : 'python';
        const value = goldenValue(one);
        expect((await verifyEnvelope(value, { publicKey: key, crypto })).form).toBe(form);
        const jsonText = goldenBytes(one);
        const { form: seen } = await verifyEnvelope(value, { publicKey: key, crypto, jsonText });
        expect(seen).toBe(form === 'python' ? 'text' : 'cbor');
      },
    );

    test.each(signed.filter(({ verifies }) => verifies === false))(
      '$name is refused',
      async (one) => {
        const jsonText = goldenBytes(one);
        const code = codeOf(verifyEnvelope(goldenValue(one), { publicKey: key, crypto, jsonText }));
        expect(await code).toBe('SIGNATURE_INVALID');
      },
    );

    test('are signed by us with the same bytes', async () => {
      const own = goldenKey('sig-1', 'ed25519_private_b64url');
      for (const one of signed.filter(({ verifies }) => verifies === true)) {
        const value = goldenValue(one);
        const form: SigningForm = one.signing_canon === 'cbor' ? 'cbor' : 'python';
        const { envelope } = await signEnvelope(value, form, own, crypto);
        expect(textOf(writeJson(envelope))).toBe(textOf(writeJson(value)));
      }
    });
  },
);

describe('#sec-canon envelopes signed by us', () => {
  const forms: SigningForm[] = ['jcs', 'python', 'cbor'];
  const payload = parse('{"i":1,"f":1.5,"s":"é😀","o":{"b":1,"a":[true,null]}}');

  test.each(forms)(
    'verify in the form %s that they announce, over JSON and over CBOR',
    async (form) => {
      const { envelope } = await signEnvelope(unsigned(form, payload), form, secretKey, crypto);
      for (const value of [readJson(writeJson(envelope)), readCbor(writeCbor(envelope))]) {
        const verified = await verifyEnvelope(value as JsonObject, { publicKey, crypto });
        expect(verified.form).toBe(form);
      }
    },
  );

  test('verify by the text itself where that is what was signed', async () => {
    const { envelope, input } = await signEnvelope(unsigned(), 'python', secretKey, crypto);
    const jsonText = writePythonJson(envelope);
    const value = readJson(jsonText) as JsonObject;
    const verified = await verifyEnvelope(value, { publicKey, crypto, jsonText });
    expect(verified.form).toBe('text');
    expect(verified.input).toEqual(input);
  });

  test('an announced form is the only one that is tried', async () => {
    const { envelope } = await signEnvelope(unsigned('jcs'), 'python', secretKey, crypto);
    // With this payload the two forms differ only by the float in it.
    const lied = await signEnvelope(unsigned('jcs', parse('[1.0]')), 'python', secretKey, crypto);
    expect(await codeOf(verifyEnvelope(envelope, { publicKey, crypto }))).toBeUndefined();
    const jsonText = writePythonJson(lied.envelope);
    expect(await codeOf(verifyEnvelope(lied.envelope, { publicKey, crypto, jsonText }))).toBe(
      'SIGNATURE_INVALID',
    );
  });

  test('a form that held before is tried first, the others after it', async () => {
    const tried: string[] = [];
    const counting = {
      ...crypto,
      verify: (...input: Parameters<typeof crypto.verify>) => {
        tried.push(textOf(input[1]).startsWith('{') ? 'json' : 'cbor');
        return crypto.verify(...input);
      },
    };
    const { envelope } = await signEnvelope(unsigned(), 'cbor', secretKey, crypto);
    await verifyEnvelope(envelope, { publicKey, crypto: counting, remembered: 'cbor' });
    expect(tried).toEqual(['cbor']);
    await verifyEnvelope(envelope, { publicKey, crypto: counting, remembered: 'python' });
    expect(tried).toEqual(['cbor', 'json', 'cbor']);
  });

  test('a signature value that is not strict base64url is refused', async () => {
    const { envelope } = await signEnvelope(unsigned(), 'jcs', secretKey, crypto);
    const sec = envelope['sec'] as JsonObject;
    const sig = sec['sig'] as JsonObject;
    for (const value of [`${sig['value'] as string}=`, 'AA', '*'.repeat(86)]) {
      const damaged = { ...envelope, sec: { ...sec, sig: { ...sig, value } } };
      expect(await codeOf(verifyEnvelope(damaged, { publicKey, crypto }))).toBe(
        'SIGNATURE_INVALID',
      );
    }
  });

  test('every member is under the signature, those that nobody knows too', async () => {
    const { envelope } = await signEnvelope(unsigned('jcs'), 'jcs', secretKey, crypto);
    const sec = envelope['sec'] as JsonObject;
    for (const changed of [
      { ...envelope, id: 'other' },
      { ...envelope, unknown: 1 },
      { ...envelope, sec: { ...sec, mode: 'none' } },
      { ...envelope, sec: { ...sec, x: { req: 'AA' } } },
      { ...envelope, sec: { ...sec, kid: 'other' } },
    ]) {
      expect(await codeOf(verifyEnvelope(changed, { publicKey, crypto }))).toBe(
        'SIGNATURE_INVALID',
      );
    }
  });
});

describe('#jcs-merge W27 values that JCS merges', () => {
  test.each([
    ['1.0', '1'],
    ['1E2', '100'],
    ['-0', '0'],
    ['-0.0', '0'],
    ['0.10', '0.1'],
  ])('%s under the signature of %s has no effect', async (forged, signedAs) => {
    const { envelope } = await signEnvelope(
      unsigned('jcs', parse(`{"x":[${signedAs}]}`)),
      'jcs',
      secretKey,
      crypto,
    );
    const tampered = { ...envelope, payload: parse(`{"x":[${forged}]}`) };
    const verified = await verifyEnvelope(tampered, { publicKey, crypto });
    expect(textOf(writeJson(verified.envelope['payload']!))).toBe(`{"x":[${signedAs}]}`);
  });

  test('an integer that a double cannot hold is refused, signed or not', async () => {
    const { envelope } = await signEnvelope(
      unsigned('jcs', parse('[9007199254740991]')),
      'jcs',
      secretKey,
      crypto,
    );
    const tampered = { ...envelope, payload: parse('[9007199254740993]') };
    expect(await codeOf(verifyEnvelope(tampered, { publicKey, crypto }))).toBe('NUMBER_INEXACT');
    const own = signEnvelope(
      unsigned('jcs', parse('[9007199254740993]')),
      'jcs',
      secretKey,
      crypto,
    );
    expect(await codeOf(own)).toBe('NUMBER_INEXACT');
  });

  test('what has nothing to merge stays the same object', () => {
    const value = parse('{"a":[1,"x",{"b":0.5}]}');
    expect(mergeJcsNumbers(value)).toBe(value);
    expect(mergeJcsNumbers(parse('{"a":[1,{"__proto__":1.0}]}'))).toEqual(
      parse('{"a":[1,{"__proto__":1}]}'),
    );
  });
});

describe('#sec-signing-input the text with the value blanked', () => {
  test('is only used where the value stands there exactly once', () => {
    expect(textOf(signingInputOfText(utf8('{"value":"abc"}'), 'abc')!)).toBe('{"value":""}');
    expect(signingInputOfText(utf8('{"value":"abc","x":"abc"}'), 'abc')).toBeUndefined();
    expect(signingInputOfText(utf8('{"value":"\\u0061bc"}'), 'abc')).toBeUndefined();
  });
  test('keeps members that look like prototypes', () => {
    const envelope = parse('{"__proto__":{"a":1},"sec":{"sig":{"value":"x","__proto__":2}}}');
    expect(textOf(signingInput(envelope as JsonObject, 'python'))).toBe(
      '{"__proto__":{"a":1},"sec":{"sig":{"__proto__":2,"value":""}}}',
    );
  });
});
