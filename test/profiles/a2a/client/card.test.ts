// Proves that a card is believed as far as it is proven: by keys that were pinned, else by those of its own origin; and
// that no card makes our client fetch what somebody else chose.

import { describe, expect, test } from 'vitest';

import { connectA2a } from '../../../../profiles/a2a/client/connect.ts';
import type { CardPin } from '../../../../profiles/a2a/client/discovery/proof.ts';
import { cardKeysIn } from '../../../../profiles/a2a/card/keys.ts';
import type { A2aAgent } from '../../../../profiles/a2a/client/agent.ts';
import type { JsonValue } from '../../../../src/index.ts';
import { agentFor } from '../../../support/a2a/agent.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import type { ScriptedAgent } from '../../../support/a2a/scripted-agent.ts';
import {
  CARD_PATH,
  answerJson,
  cardOf,
  scriptedAgent,
} from '../../../support/a2a/scripted-agent.ts';

type Card = Readonly<Record<string, Json>> & { readonly signatures: readonly Json[] };

async function jsonOf<T>(url: string, headers: Record<string, string> = {}): Promise<T> {
  return (await (await fetch(url, { headers })).json()) as T;
}

/** A signed card of an agent, and its keys. */
async function signedCard(): Promise<{ readonly card: Card; readonly pin: CardPin }> {
  const { origin } = await agentFor();
  const card = await jsonOf<Card>(`${origin}${CARD_PATH}`, { 'a2a-version': '1.0' });
  const { keys } = await jsonOf<{ keys: JsonValue }>(`${origin}/.well-known/jwks.json`);
  return { card, pin: { keys: cardKeysIn(keys) } };
}

/** The card at another origin, and what else is there. */
function serving(card: Json, keys: Json = {}): Promise<ScriptedAgent> {
  return scriptedAgent({
    card: () => card,
    handle: (_request, response) => answerJson(response, keys),
  });
}

async function connectTo(card: Json, pin: CardPin | undefined): Promise<A2aAgent> {
  const { origin } = await serving(card);
  return connectA2a(origin, { pin: (at) => (at === origin ? pin : undefined) });
}

const encoded = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The card with its signatures under another protected header. */
function headed(card: Card, header: Readonly<Record<string, Json>>): Json {
  const [first] = card.signatures as readonly { protected: string; signature: string }[];
  const head = JSON.parse(Buffer.from(first!.protected, 'base64url').toString()) as object;
  return { ...card, signatures: [{ ...first, protected: encoded({ ...head, ...header }) }] };
}

describe('#a2a-client-card with keys that were pinned', () => {
  test('a card that one of them signed holds, and only what it covers is read', async () => {
    const { card, pin } = await signedCard();
    const agent = await connectTo({ ...card, injected: 'x', supportedInterfacesX: [] }, pin);
    expect(agent.proof).toMatchObject({ kind: 'signed', by: 'pinned key', alg: 'EdDSA' });
    expect(agent.card.document).not.toHaveProperty('injected');
    expect(agent.card.name).toBe(card['name']);
  });

  const refusals: [string, (card: Card) => Json | Promise<Json>][] = [
    ['without its signatures', ({ signatures: _stripped, ...card }) => card],
    ['with empty signatures', (card) => ({ ...card, signatures: [] })],
    ['changed', (card) => ({ ...card, name: 'another' })],
    [
      'that leads elsewhere',
      (card) => ({
        ...card,
        supportedInterfaces: [
          { url: 'https://thief.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ],
      }),
    ],
    [
      'with a forged signature',
      (card) => ({
        ...card,
        signatures: [{ ...(card.signatures[0] as object), signature: 'A'.repeat(86) }],
      }),
    ],
    ['of somebody else', async () => (await signedCard()).card],
    [
      'with the signatures of somebody else',
      async (card) => ({ ...card, signatures: (await signedCard()).card.signatures }),
    ],
    ['signed by nobody (alg none)', (card) => headed(card, { alg: 'none' })],
    ['signed with a shared secret (HS256)', (card) => headed(card, { alg: 'HS256' })],
    ['signed by another name', (card) => headed(card, { kid: 'other' })],
    ['with an extension that must be understood', (card) => headed(card, { crit: ['x'], x: 1 })],
  ];

  test.each(refusals)('a card %s is refused', async (_what, change) => {
    const { card, pin } = await signedCard();
    await expect(connectTo(await change(card), pin)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    });
  });

  test('a card that leads to an origin that was not agreed to is refused', async () => {
    const elsewhere = 'https://elsewhere.example';
    const { origin } = await scriptedAgent({
      card: (at) =>
        cardOf(at, {
          supportedInterfaces: [
            { url: `${elsewhere}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          ],
        }),
    });
    await expect(connectA2a(origin, { pin: () => ({ origins: [] }) })).rejects.toMatchObject({
      code: 'SENDER_REFUSED',
    });
    const agent = await connectA2a(origin, { pin: () => ({ origins: [elsewhere] }) });
    expect(agent.chosen.url).toBe(`${elsewhere}/rpc`);
  });
});

describe('#a2a-client-card without a pin', () => {
  test('it is verified by the keys of its own origin', async () => {
    const { origin } = await agentFor();
    const { proof } = await connectA2a(origin);
    expect(proof).toMatchObject({ kind: 'signed', by: 'key of its own origin', form: 'spec' });
  });

  test('a signature that does not hold under them is refused', async () => {
    const { card, pin } = await signedCard();
    const agent = await scriptedAgent({
      card: (at) => {
        const forged = headed(card, { jku: `${at}/keys` });
        return forged;
      },
      handle: (_request, response) => answerJson(response, { keys: pin.keys as unknown as Json }),
    });
    await expect(connectA2a(agent.origin)).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
    expect(agent.requests.map(({ path }) => path)).toEqual(['/keys']);
  });

  test('keys at another origin are never fetched, and the signature counts as none', async () => {
    const { card } = await signedCard();
    const thief = await serving({}, { keys: [] });
    for (const jku of [
      `${thief.origin}/keys`,
      'http://169.254.169.254/keys',
      'file:///etc/passwd',
      7,
    ]) {
      const agent = await connectTo(headed(card, { jku }), undefined);
      expect(agent.proof).toMatchObject({ kind: 'unjudged' });
    }
    expect(thief.requests).toEqual([]);
  });

  test('keys that are not there, and a card without a signature, prove nothing', async () => {
    const { card } = await signedCard();
    const absent = await scriptedAgent({ card: (at) => headed(card, { jku: `${at}/keys` }) });
    expect((await connectA2a(absent.origin)).proof.kind).toBe('unjudged');
    const { origin } = await scriptedAgent();
    expect((await connectA2a(origin)).proof.kind).toBe('unsigned');
    for (const signatures of ['x', [{ protected: '%' }], [null, 5, {}]] as Json[]) {
      const odd = await scriptedAgent({ card: (at) => cardOf(at, { signatures }) });
      expect((await connectA2a(odd.origin)).proof.kind).not.toBe('signed');
    }
  });
});

describe('#a2a-client-card the extended card', () => {
  test('counts from then on, and must be signed where the public one must', async () => {
    const capabilities = { streaming: false, extendedAgentCard: true };
    const { origin } = await scriptedAgent({
      card: (at) => cardOf(at, { capabilities }),
      handle: ({ id }, response) =>
        answerJson(response, {
          jsonrpc: '2.0',
          id,
          result: cardOf(origin, { capabilities: { ...capabilities, streaming: true } }),
        }),
    });
    const agent = await connectA2a(origin);
    await expect(agent.stream({ message: message('x') }).next()).rejects.toMatchObject({
      code: 'CT_UNSUPPORTED',
    });
    expect((await agent.extendedCard()).streaming).toBe(true);
    expect(agent.card.streaming).toBe(true);

    const { card, pin } = await signedCard();
    const pinned = await connectTo(card, pin);
    const { origin: other } = await scriptedAgent({
      card: (at) => cardOf(at, { capabilities }),
      handle: ({ id }, response) => {
        answerJson(response, { jsonrpc: '2.0', id, result: pinned.card.document as Json });
      },
    });
    let isPinned = false;
    const strict = await connectA2a(other, { pin: () => (isPinned ? pin : undefined) });
    isPinned = true;
    await expect(strict.extendedCard()).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
  });
});
