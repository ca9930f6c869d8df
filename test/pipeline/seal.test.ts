// A sealed JSON message is the very text that was signed, with the signature in its place.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { createEnvelopeBuilder } from '../../src/envelope/build.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import type { SigningForm } from '../../src/envelope/types.ts';
import type { SealedEnvelope } from '../../src/pipeline/seal-envelope.ts';
import { sealEnvelope } from '../../src/pipeline/seal-envelope.ts';
import { signingKeyOf } from '../../src/security/identity/own-identity.ts';
import { verifyEnvelope } from '../../src/security/message/sign.ts';
import { signingInputOfText } from '../../src/security/message/signing-input.ts';
import { NOW, crypto, newIdentity } from '../support/agents/agents.ts';
import { textOf } from '../support/wire/bytes.ts';
import { bob, registry, taskPayload } from '../support/wire/envelopes.ts';

const identity = await newIdentity();
const builder = createEnvelopeBuilder({
  identity: { agent_id: identity.agentId, name: 'agent', instance: '1', role: 'agent' },
  schemaFor: registry.descriptorFor,
  now: () => NOW,
});

function sealed(
  inputs: JsonObject,
  form: SigningForm,
  encoding: 'json' | 'cbor' = 'json',
): Promise<SealedEnvelope> {
  const payload = { ...taskPayload, inputs };
  const envelope = builder.request(bob, { ct: 'task.v1', payload });
  return sealEnvelope(envelope, { encoding, identity, nowMs: NOW, form }, { crypto, registry });
}

async function expectProven({ bytes, encoding, input }: SealedEnvelope): Promise<void> {
  const value = decodeMessage(bytes, encoding) as JsonObject;
  const { publicKey } = signingKeyOf(identity, NOW).key;
  const verified = await verifyEnvelope(value, { publicKey, crypto });
  expect(verified.input).toEqual(input);
}

describe('#seal a sealed message', () => {
  test.each(['jcs', 'python'] as const)(
    'is the text that was signed in the form %s, with the signature in its place',
    async (form) => {
      const message = await sealed({ word: 'é"\\\u2028😀', number: 0.5 }, form);
      await expectProven(message);
      const { value } = message.envelope.sec!.sig!;
      expect(signingInputOfText(message.bytes, value)).toEqual(message.input);
    },
  );

  test.each(['jcs', 'python'] as const)(
    'keeps what looks like a blank signature of the form %s in its payload',
    async (canon) => {
      const lookalike = { sig: { alg: 'ed25519', canon, value: '' } };
      const message = await sealed(lookalike, canon);
      await expectProven(message);
      expect(textOf(message.bytes)).toContain(JSON.stringify(lookalike.sig));
    },
  );

  test.each(['jcs', 'python', 'cbor'] as const)(
    'is CBOR where that was asked for, whatever form was signed (%s)',
    async (form) => {
      await expectProven(await sealed({}, form, 'cbor'));
    },
  );

  test('is JSON where that was asked for, though CBOR was signed', async () => {
    await expectProven(await sealed({}, 'cbor'));
  });
});
