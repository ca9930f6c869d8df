// Proves what a receiver takes of agents that sign what they tell: theirs, for its address, of now, just these bytes, once.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import type { HookDelivery, SignedHooks } from '../../../../profiles/a2a/index.ts';
import { connectA2a, createHookReceiver, verifyDelivery } from '../../../../profiles/a2a/index.ts';
import { signDelivery } from '../../../../profiles/a2a/push/signature.ts';
import { chooseProvider } from '../../../../src/crypto/provider.ts';
import { createJwsSigner } from '../../../../src/runtime/jws-signer.ts';
import type { LocalIdentity } from '../../../../src/security/identity/identity.ts';
import { createIdentity } from '../../../../src/security/identity/identity.ts';
import { TOKENS, agentFor } from '../../../support/a2a/agent.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import { statusJson } from '../../../support/a2a/scripted-agent.ts';

const URL_OF_HOOK = 'https://hooks.example/of/me?x=1';
const NOW_MS = Date.now();
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const BODY = encode(JSON.stringify(statusJson('t', 'WORKING', 'begun')));

let agent: LocalIdentity;
let other: LocalIdentity;
beforeAll(async () => {
  [agent, other] = [await createIdentity(), await createIdentity()];
});

interface Notice {
  readonly by?: LocalIdentity;
  readonly url?: string;
  readonly atMs?: number;
  readonly deliveryId?: string;
}

async function signed(notice: Notice = {}): Promise<string> {
  const { by = agent, url = URL_OF_HOOK, atMs = NOW_MS, deliveryId = 'd-1' } = notice;
  const signer = createJwsSigner(
    () => by,
    chooseProvider(),
    () => NOW_MS,
  )()!;
  const facts = { url, deliveryId, version: '1.0', isLast: false, body: BODY, nowMs: atMs };
  const bundle = by.bundle.document;
  const claims = { ...facts, agentId: by.agentId, bundle };
  return signDelivery(claims, signer, chooseProvider().sha256);
}

/** Tells it as a request of the web. */
function receiving(options: Partial<SignedHooks> = {}, more: { token?: string } = {}) {
  const told: HookDelivery[] = [];
  const receiver = createHookReceiver({
    onEvent: (delivery) => void told.push(delivery),
    signed: { peers: [agent.bundle], url: URL_OF_HOOK, now: () => NOW_MS, ...options },
    ...more,
  });
  const post = async (
    signature: string | undefined,
    body: Uint8Array = BODY,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<number> => {
    const all = {
      'content-type': 'application/a2a+json',
      'a2a-version': '1.0',
      'a2a-sdl-delivery': 'd-1',
      ...(signature !== undefined && { 'a2a-sdl-signature': signature }),
      ...headers,
    };
    const request = new Request('http://hooks.example/', { method: 'POST', headers: all, body });
    return (await receiver.receive(request)).status;
  };
  return { post, told };
}

describe('#a2a-push-signed #a2a-hook-receiver a receiver that asks for signatures', () => {
  test('tells who has signed, and gives the signature to be kept', async () => {
    const { post, told } = receiving();
    const signature = await signed();
    expect(await post(signature)).toBe(204);
    expect(told).toMatchObject([
      { agentId: agent.agentId, receipt: signature, id: 'd-1', taskId: 't', version: '1.0' },
    ]);
    const kept = { headers: { 'A2A-Sdl-Signature': told[0]!.receipt! }, body: BODY };
    const proof = { peers: [agent.bundle], url: URL_OF_HOOK, now: () => NOW_MS };
    expect(await verifyDelivery(kept, proof)).toMatchObject({ agentId: agent.agentId });
  });

  test.each<[string, () => Promise<string | undefined>, Uint8Array?]>([
    ['no signature', async () => undefined],
    ['that of an agent that is not known', () => signed({ by: other })],
    ['one for another URL', () => signed({ url: 'https://hooks.example/of/you' })],
    ['one over another body', () => signed(), encode('{"statusUpdate":{}}')],
    ['an old one', () => signed({ atMs: NOW_MS - 300_001 })],
    [
      'an old one with a new time',
      async () => {
        const [head, payload, signature] = (await signed({ atMs: NOW_MS - 300_001 })).split('.');
        const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as object;
        const renewed = Buffer.from(JSON.stringify({ ...claims, at: NOW_MS })).toString(
          'base64url',
        );
        return `${head}.${renewed}.${signature}`;
      },
    ],
    ['nothing of the kind', async () => 'a.b.c'],
  ])('refuses %s, in the same words', async (_what, signature, body) => {
    const { post, told } = receiving();
    expect(await post(await signature(), body)).toBe(401);
    expect(told).toEqual([]);
    // Nor is it taken where signatures are not required, unless it has none.
    const lax = receiving({ required: false }, { token: 'the-token' });
    const token = { 'x-a2a-notification-token': 'the-token' };
    const given = await signature();
    expect(await lax.post(given, body, token)).toBe(given === undefined ? 204 : 401);
  });

  test('refuses a known agent where another one has to tell', async () => {
    const { post, told } = receiving({
      peers: [agent.bundle, other.bundle],
      agentId: agent.agentId,
    });
    expect(await post(await signed({ by: other }))).toBe(401);
    expect(await post(await signed())).toBe(204);
    expect(told.map(({ agentId }) => agentId)).toEqual([agent.agentId]);
  });

  test('tells a delivery once, whatever number the path gives it', async () => {
    const { post, told } = receiving();
    const signature = await signed();
    expect(await post(signature)).toBe(204);
    expect(await post(signature, BODY, { 'a2a-sdl-delivery': 'd-2' })).toBe(204);
    // Each try of the agent is signed anew.
    expect(await post(await signed({ atMs: NOW_MS + 1_000 }))).toBe(204);
    expect(told).toHaveLength(1);
    expect(await post(await signed({ deliveryId: 'd-2' }))).toBe(204);
    expect(told).toHaveLength(2);
  });

  test('asks for the secrets too, and needs none of them', async () => {
    const { post } = receiving({}, { token: 'the-token' });
    expect(await post(await signed())).toBe(401);
    expect(await post(await signed(), BODY, { 'x-a2a-notification-token': 'the-token' })).toBe(204);
    const onEvent = (): void => undefined;
    const signs = { peers: [agent.bundle], url: URL_OF_HOOK };
    expect(() => createHookReceiver({ onEvent, signed: { ...signs, required: false } })).toThrow(
      '"signed" is missing',
    );
    expect(() => createHookReceiver({ onEvent, signed: { ...signs, url: 'me' } })).toThrow(
      '"signed.url"',
    );
  });

  test('takes what an agent of ours tells, over HTTP', async () => {
    const runtime = { identity: agent };
    const face = { allowLoopbackHooks: true, signHooks: true };
    const { origin } = await agentFor({ runtime, face });
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const end = new Promise<HookDelivery>((resolve) => {
      const { handler } = createHookReceiver({
        signed: { peers: [agent.bundle], url, agentId: agent.agentId },
        onEvent: (delivery) => {
          const { event } = delivery;
          if (event.type === 'status' && event.status.state === 'canceled') resolve(delivery);
        },
      });
      server.on('request', handler);
    });
    const credentials = [{ origin, scheme: 'bearer', token: TOKENS['user']! } as const];
    const client = await connectA2a(origin, { credentials });
    const sent = await client.send({ message: message('hold'), isWaiting: false });
    const id = 'task' in sent ? sent.task.id : '';
    await client.createHook(id, { url });
    await client.cancel(id);
    expect(await end).toMatchObject({ agentId: agent.agentId });
  });
});
