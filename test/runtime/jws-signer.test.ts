// What a face may have signed with the agent's key, and that it can be nothing else.

import { flattenedVerify, importJWK } from 'jose';
import { describe, expect, test } from 'vitest';

import { chooseProvider } from '../../src/crypto/provider.ts';
import { createJwsSigner } from '../../src/runtime/jws-signer.ts';
import { documentSigningInput } from '../../src/security/identity/document-signature.ts';
import { createIdentity, rotateIdentity } from '../../src/security/identity/identity.ts';
import type { OwnIdentity } from '../../src/security/identity/own-identity.ts';
import { signingInput } from '../../src/security/message/signing-input.ts';
import type { JwsSigner } from '../../src/transport.ts';

const crypto = chooseProvider('noble');
const NOW = 1_800_000_000_000;
const payload = new TextEncoder().encode('{"name":"agent"}');
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

const identity = await createIdentity({ crypto, nowMs: NOW });
const signerOf = (own: OwnIdentity, nowMs = NOW): JwsSigner | undefined =>
  createJwsSigner(
    () => own,
    crypto,
    () => nowMs,
  )();

async function headerUnder({ publicKey }: JwsSigner, signed: object): Promise<unknown> {
  const key = await importJWK({ kty: 'OKP', crv: 'Ed25519', x: base64url(publicKey) }, 'EdDSA');
  const jws = { ...signed, payload: base64url(payload) } as Parameters<typeof flattenedVerify>[0];
  return (await flattenedVerify(jws, key)).protectedHeader;
}

describe('#jws-signature the signer of faces', () => {
  test('signs with the newest signing key, as others verify it', async () => {
    const signer = signerOf(identity)!;
    const signed = await signer.sign({ typ: 'JOSE', jku: 'https://agent.example/keys' }, payload);
    expect(signer.kid).toBe(identity.keys.find(({ use }) => use === 'sig')!.kid);
    expect(await headerUnder(signer, signed)).toEqual({
      alg: 'EdDSA',
      kid: signer.kid,
      typ: 'JOSE',
      jku: 'https://agent.example/keys',
    });
  });

  test('says itself which algorithm and which key it is', async () => {
    const signer = signerOf(identity)!;
    const signed = await signer.sign({ alg: 'none', kid: 'of somebody else' }, payload);
    expect(await headerUnder(signer, signed)).toEqual({ alg: 'EdDSA', kid: signer.kid });
  });

  test('follows a rotation, and still names the keys that it replaced until they end', async () => {
    const rotated = await rotateIdentity(identity, { crypto, nowMs: NOW, overlapMs: 1_000 });
    const [former, latter] = [signerOf(identity)!, signerOf(rotated)!];
    expect(latter.kid).not.toBe(former.kid);
    expect(latter.keys.map(({ kid }) => kid)).toEqual([latter.kid, former.kid]);
    expect(signerOf(rotated, NOW + 1_001)!.keys.map(({ kid }) => kid)).toEqual([latter.kid]);
  });

  test('is the root key once every other has ended, and nobody where there is none', () => {
    const late = signerOf(identity, Number.MAX_SAFE_INTEGER)!;
    expect(late.publicKey).toEqual(identity.root.publicKey);
    expect(signerOf({ agentId: 'label', keys: [] })).toBeUndefined();
  });

  test('signs what begins like nothing of our own wire', async () => {
    const inputs: Uint8Array[] = [];
    const recording = { sign: (bytes: Uint8Array) => (inputs.push(bytes), new Uint8Array(64)) };
    const signer = createJwsSigner(
      () => identity,
      recording,
      () => NOW,
    )()!;
    await signer.sign({}, documentSigningInput('grant', { id: 'x' }));
    await signer.sign({ '0': 'a member that goes before all others' }, payload);
    expect(inputs.map((input) => String.fromCharCode(input[0]!))).toEqual(['e', 'e']);

    const envelope = { sec: { sig: { value: 'x' } } };
    const own = [
      documentSigningInput('bundle', {}),
      ...(['jcs', 'python', 'cbor'] as const).map((form) => signingInput(envelope, form)),
    ];
    expect(own.map((input) => input[0])).not.toContain('e'.charCodeAt(0));
  });
});
