// Proves signed notices against a real receiver: what it can check, and everything on the way that it refuses.

import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import type { ReceivedDelivery, VerifyDeliveryOptions } from '../../../../profiles/a2a/index.ts';
import { verifyDelivery } from '../../../../profiles/a2a/index.ts';
import { signDelivery } from '../../../../profiles/a2a/push/signature.ts';
import { chooseProvider } from '../../../../src/crypto/provider.ts';
import { createJwsSigner } from '../../../../src/runtime/jws-signer.ts';
import type { LocalIdentity } from '../../../../src/security/identity/identity.ts';
import { createIdentity, rotateIdentity } from '../../../../src/security/identity/identity.ts';
import { newPeer } from '../../../../src/security/peers/new-peer.ts';
import { agentFor } from '../../../support/a2a/agent.ts';
import { CELLS } from '../../../support/a2a/cells.ts';

interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** Takes everything that it is told, as bytes, until `count` have come. */
async function receiver(): Promise<{ url: string; posted: (count: number) => Promise<Posted[]> }> {
  const all: Posted[] = [];
  let heard = (): void => undefined;
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      all.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.end();
      heard();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?x=1`,
    posted: async (count) => {
      while (all.length < count) await new Promise<void>((resolve) => (heard = resolve));
      return all;
    },
  };
}

describe('#a2a-push-signed what an agent tells', () => {
  test.each(CELLS)('$name: every notice is signed, and the last says so', async (cell) => {
    const identity = await createIdentity();
    const agent = await agentFor({
      runtime: { identity },
      face: { allowLoopbackHooks: true, signHooks: true },
    });
    const { url, posted } = await receiver();
    await cell.ask(agent, 'send', { text: 'chunks', push: { url } });
    const frames = await cell.frames(agent, 'stream', { text: 'chunks' });
    const notices = await posted(frames.length);
    const verified = [];
    for (const notice of notices) {
      verified.push(await verifyDelivery(notice, { peers: [identity], url }));
    }
    expect(verified.map(({ isLast }) => isLast)).toEqual(
      frames.map((_, index) => index === frames.length - 1),
    );
    const version = cell.wire === 'v1' ? '1.0' : '0.3';
    for (const [index, { agentId, deliveryId, ...more }] of verified.entries()) {
      expect(agentId).toBe(identity.agentId);
      expect(deliveryId).toBe(notices[index]!.headers['a2a-sdl-delivery']);
      expect(more.version).toBe(version);
    }
  });

  test('without it nothing is signed', async () => {
    const identity = await createIdentity();
    const agent = await agentFor({ runtime: { identity }, face: { allowLoopbackHooks: true } });
    const { url, posted } = await receiver();
    await CELLS[0]!.ask(agent, 'send', { text: 'chunks', push: { url } });
    const [first] = await posted(1);
    expect(first!.headers['a2a-sdl-signature']).toBeUndefined();
    await expect(verifyDelivery(first!, { peers: [identity], url })).rejects.toMatchObject({
      code: 'MODE_REFUSED',
    });
  });
});

describe('#a2a-push-signed what a receiver refuses', () => {
  const url = 'https://hooks.example/one';
  const body = new TextEncoder().encode('{"task":{"id":"t"}}');
  const { sha256 } = chooseProvider();
  let identity: LocalIdentity;
  let value: string;
  const nowMs = Date.now();
  const now = (): number => nowMs;

  beforeAll(async () => {
    identity = await createIdentity();
    value = await signedBy(identity);
  });

  function signedBy(
    signer: LocalIdentity,
    agentId = signer.agentId,
    atMs = nowMs,
  ): Promise<string> {
    const keys = createJwsSigner(() => signer, chooseProvider(), now)()!;
    const bundle = agentId === signer.agentId ? signer.bundle.document : undefined;
    const notice = {
      agentId,
      bundle,
      url,
      deliveryId: 'd.1',
      version: '1.0',
      isLast: false,
      body,
      nowMs: atMs,
    };
    return signDelivery(notice, keys, sha256);
  }
  const check = (
    given: Partial<ReceivedDelivery> = {},
    more: Partial<VerifyDeliveryOptions> = {},
  ): Promise<unknown> =>
    verifyDelivery(
      { headers: { 'a2a-sdl-signature': value }, body, ...given },
      { peers: [identity], url, now, ...more },
    );
  const signed = (text: string): Partial<ReceivedDelivery> => ({
    headers: { 'A2A-Sdl-Signature': text },
  });

  test('nothing of what is right', async () => {
    expect(await check()).toMatchObject({ agentId: identity.agentId, deliveryId: 'd.1' });
    expect(await check({ headers: new Headers({ 'A2A-Sdl-Signature': value }) })).toMatchObject({
      isLast: false,
      receipt: value,
    });
  });

  test('another body, another address, another time', async () => {
    const other = new TextEncoder().encode('{"task":{"id":"u"}}');
    await expect(check({ body: other })).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
    await expect(check({}, { url: `${url}/` })).rejects.toMatchObject({ code: 'ADDRESS_WRONG' });
    const old = { code: 'TIME_INVALID' };
    await expect(check({}, { now: () => nowMs + 300_001 })).rejects.toMatchObject(old);
    const ahead = await signedBy(identity, identity.agentId, nowMs + 300_001);
    await expect(check(signed(ahead))).rejects.toMatchObject(old);
  });

  test('who is not known, is another, or signs for another', async () => {
    const mallory = await createIdentity();
    const refused = { code: 'SENDER_REFUSED' };
    await expect(check({}, { peers: [mallory] })).rejects.toMatchObject(refused);
    await expect(check({}, { agentId: mallory.agentId })).rejects.toMatchObject(refused);
    const forged = await signedBy(mallory, identity.agentId);
    await expect(check(signed(forged), { peers: [identity, mallory] })).rejects.toMatchObject(
      refused,
    );
  });

  test('keys that were replaced; those that replaced them come with the notice', async () => {
    const renewed = await rotateIdentity(identity, { overlapMs: 0 });
    await expect(check({}, { peers: [renewed] })).rejects.toMatchObject({
      code: 'SENDER_REFUSED',
    });
    expect(await check(signed(await signedBy(renewed)))).toMatchObject({
      agentId: identity.agentId,
    });
    const entry = newPeer(identity.agentId);
    expect(await check({}, { peers: [entry] })).toMatchObject({ agentId: identity.agentId });
    await expect(check({}, { peers: [{ ...entry, revoked: true }] })).rejects.toMatchObject({
      code: 'SENDER_REFUSED',
    });
  });

  test('what is no signature, or one of something else', async () => {
    const [head, payload, signature] = value.split('.') as [string, string, string];
    const header = (members: object): string =>
      Buffer.from(JSON.stringify(members)).toString('base64url');
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
    const typ = 'a2a-delivery';
    const wrong = [
      '',
      'x.y.z',
      `${head}.${payload}`,
      `${value}.more`,
      `${head}.${payload}.${signature.slice(0, -2)}`,
      `${header({ alg: 'none', kid, typ })}.${payload}.`,
      `${header({ alg: 'HS256', kid, typ })}.${payload}.${signature}`,
      `${header({ alg: 'EdDSA', kid, typ: 'JOSE' })}.${payload}.${signature}`,
      `${header({ alg: 'EdDSA', kid, typ, crit: ['b64'] })}.${payload}.${signature}`,
      `${head}.${header({ agent_id: identity.agentId })}.${signature}`,
      `${head}.${'A'.repeat(20_000)}.${signature}`,
    ];
    for (const text of wrong) {
      await expect(check(signed(text)), text.slice(0, 60)).rejects.toMatchObject({
        code: 'SIGNATURE_INVALID',
      });
    }
    await expect(check({ headers: {} })).rejects.toMatchObject({ code: 'MODE_REFUSED' });
    const twice = { 'a2a-sdl-signature': value, 'A2A-Sdl-Signature': value };
    await expect(check({ headers: twice })).rejects.toMatchObject({ code: 'MODE_REFUSED' });
  });
});
