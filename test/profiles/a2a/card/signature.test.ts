// Cards as others verify them: with the SDK's verifier, with jose over the published keys, and by the forms of Python.

import {
  AgentCard,
  canonicalizeAgentCard,
  generateAgentCardSignature,
  verifyAgentCardSignature,
} from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import * as fc from 'fast-check';
import type { FlattenedJWSInput } from 'jose';
import { createLocalJWKSet, createRemoteJWKSet, flattenedVerify, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import {
  currentView,
  legacySdkView,
  schemelessSdkView,
  wholeView,
} from '../../../../profiles/a2a/card/canonical.ts';
import { composeCard } from '../../../../profiles/a2a/card/compose.ts';
import { isEmpty } from '../../../../profiles/a2a/card/empty.ts';
import type { CardKey } from '../../../../profiles/a2a/card/keys.ts';
import type { CardFacts } from '../../../../profiles/a2a/card/options.ts';
import { verifyCard } from '../../../../profiles/a2a/card/verify.ts';
import type { JsonObject, JsonValue } from '../../../../src/codec/index.ts';
import { isJsonArray, isJsonObject, writeJcs } from '../../../../src/codec/index.ts';
import type { CardAgent } from '../../../support/a2a/card-face.ts';
import {
  CARD_PATH,
  FULL,
  INTERFACES,
  KEYS_PATH,
  startCardAgent,
} from '../../../support/a2a/card-face.ts';

interface Signature {
  readonly protected: string;
  readonly signature: string;
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const FORMS = [
  ['strict', '1.0'],
  ['superset', '0.3'],
] as const;

let agent: CardAgent;
let keys: CardKey[];
beforeAll(async () => {
  agent = await startCardAgent();
  ({ keys } = await agent.json<{ keys: CardKey[] }>(KEYS_PATH));
});
afterAll(() => agent.close());

const cardOf = (version: string): Promise<JsonObject> =>
  agent.json<JsonObject>(CARD_PATH, { 'A2A-Version': version });

/** As a program of another maker would: everything but `signatures`, in RFC 8785 form. */
async function holdsByJose(card: JsonObject, at = 0): Promise<boolean> {
  const { signatures, ...signed } = card;
  const payload = Buffer.from(writeJcs(signed)).toString('base64url');
  const jws: FlattenedJWSInput = { ...(signatures as unknown as Signature[])[at]!, payload };
  return flattenedVerify(jws, createLocalJWKSet({ keys })).then(
    () => true,
    () => false,
  );
}

const verifyBySdk = verifyAgentCardSignature(async (kid) => keys.find((key) => key.kid === kid)!);

describe('#a2a-card-signature as others verify it', () => {
  test.each(FORMS)(
    '%s: jose, over the whole card, by the keys that "jku" names',
    async (_form, version) => {
      const card = await cardOf(version);
      const { signatures, ...signed } = card;
      const [first] = signatures as unknown as Signature[];
      const header = JSON.parse(
        Buffer.from(first!.protected, 'base64url').toString(),
      ) as JsonObject;
      expect(header).toEqual({
        alg: 'EdDSA',
        kid: keys[0]!.kid,
        typ: 'JOSE',
        jku: agent.origin + KEYS_PATH,
      });
      const payload = Buffer.from(writeJcs(signed)).toString('base64url');
      const remote = createRemoteJWKSet(new URL(header['jku'] as string));
      await expect(flattenedVerify({ ...first!, payload }, remote)).resolves.toBeDefined();
    },
  );

  test.each(FORMS)('%s: the verifier of @a2a-js/sdk', async (_form, version) => {
    vi.spyOn(console, 'debug').mockImplementation(() => {});
    const raw = await cardOf(version);
    for (const card of [raw as unknown as AgentCard, AgentCard.fromJSON(raw)]) {
      await expect(verifyBySdk(card)).resolves.toBeUndefined();
      await expect(verifyBySdk({ ...card, description: 'Another.' })).rejects.toThrow();
    }
  });

  test.each([true, false])(
    'the card as the client of @a2a-js/sdk gets it, where callers must prove who they are: %s',
    async (withCallers) => {
      const without = { skills: [], security: { schemes: {} } };
      const other = withCallers ? agent : await startCardAgent(without);
      const { keys: trusted } = await other.json<{ keys: CardKey[] }>(KEYS_PATH);
      const card = await new DefaultAgentCardResolver().resolve(other.origin);
      const verify = verifyAgentCardSignature(async () => trusted[0]!);
      await expect(verify(card)).resolves.toBeUndefined();
      if (!withCallers) await other.close();
    },
  );

  test.each(FORMS)(
    '%s: the SDK makes the same bytes of it as the specification',
    async (_form, version) => {
      const card = await cardOf(version);
      expect(text(currentView(card).payload)).toBe(canonicalizeAgentCard(card as never));
      const readTwice = canonicalizeAgentCard(AgentCard.fromJSON(card));
      expect(text(schemelessSdkView(card).payload)).toBe(readTwice);
    },
  );

  test.each(FORMS)(
    '%s: tampering with any member breaks the signature over the whole, and is trusted by none',
    async (_form, version) => {
      const card = await cardOf(version);
      const { signatures: _, ...signed } = card;
      const told = new Set(pathsOf(signed));
      let tampered = 0;
      for (const changed of tamperings(card)) {
        tampered += 1;
        expect(await holdsByJose(changed)).toBe(false);
        const verdict = await verifyCard(changed, { keys });
        // A narrower signature may hold: then what was changed is not in what it covers.
        if (verdict.kind !== 'verified') continue;
        expect(pathsOf(verdict.card).filter((path) => !told.has(path))).toEqual([]);
      }
      expect(tampered).toBeGreaterThan(80);
      expect(await verifyCard(card, { keys })).toMatchObject({ card: signed, form: 'spec' });
    },
  );

  test('strict: tampering with anything but the schemes leaves no signature that holds', async () => {
    const card = await cardOf('1.0');
    for (const changed of tamperings(card)) {
      const isAboutSchemes = changed['securitySchemes'] !== card['securitySchemes'];
      const verdict = await verifyCard(changed, { keys });
      if (isAboutSchemes) expect(verdict).not.toHaveProperty('card.securitySchemes');
      else expect(verdict).toEqual({ kind: 'refused' });
    }
  });

  test('a key of somebody else is not enough', async () => {
    const other = await startCardAgent();
    const { keys: foreign } = await other.json<{ keys: CardKey[] }>(KEYS_PATH);
    await other.close();
    const renamed = foreign.map((key) => ({ ...key, kid: keys[0]!.kid }));
    expect(await verifyCard(await cardOf('1.0'), { keys: renamed })).toEqual({ kind: 'refused' });
    expect(await verifyCard(await cardOf('1.0'), { keys: foreign })).toEqual({ kind: 'refused' });
  });

  test('the Python SDK of 0.3 makes these bytes of a superset card', () => {
    // Written by canonicalize_agent_card of a2a-sdk 0.3.26 for this very card.
    expect(text(legacySdkView(composeCard('superset', SMALL)).payload)).toBe(PYTHON_0_3);
  });

  test('a card that the SDK signed is verified by us', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const sign = generateAgentCardSignature(privateKey, { alg: 'ES256', kid: 'k', typ: 'JOSE' });
    // With empty values, which the SDK leaves out and the specification does not.
    const plain = AgentCard.fromJSON({
      ...composeCard('strict', SMALL),
      description: '',
      skills: [],
    });
    const card = AgentCard.toJSON(await sign(plain)) as JsonObject;
    const jwk = await import('jose').then(({ exportJWK }) => exportJWK(publicKey));
    const trusted = [{ ...jwk, kid: 'k' } as CardKey];
    const verdict = await verifyCard({ ...card, description: '', unknown: 'x' }, { keys: trusted });
    expect(verdict).toMatchObject({ kind: 'verified', alg: 'ES256', kid: 'k', form: 'sdk' });
    expect(verdict).not.toHaveProperty('card.unknown');
    // Its signature does not cover them, so nobody is told of them.
    expect(verdict).not.toHaveProperty('card.securitySchemes');
    expect(await verifyCard({ ...card, name: 'x' }, { keys: trusted })).toEqual({
      kind: 'refused',
    });
  });
});

/** The card with one leaf changed, each time another; and with one member more, and one less. */
function* tamperings(card: JsonObject): Generator<JsonObject> {
  const { signatures, ...signed } = card;
  yield { ...card, skills: [] };
  for (const name of Object.keys(signed)) {
    const { [name]: _, ...less } = card;
    yield less;
  }
  for (const changed of changedLeaves(signed)) {
    yield { ...(changed as JsonObject), signatures: signatures! };
  }
}

function* changedLeaves(value: JsonValue): Generator<JsonValue> {
  if (isJsonArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const changed of changedLeaves(item)) yield value.with(at, changed);
    }
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      for (const changed of changedLeaves(member)) yield { ...value, [name]: changed };
    }
  } else if (typeof value === 'boolean') yield !value;
  else yield typeof value === 'number' ? value * 2 + 1 : `${value as string}x`;
}

/** Every leaf with where it stands. */
function pathsOf(value: JsonValue, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}=${String(value)}`];
  return Object.entries(value).flatMap(([name, member]) =>
    pathsOf(member as JsonValue, `${path}/${name}`),
  );
}

const SMALL: CardFacts = {
  about: { agentId: 'did:key:z6Mk', name: 'Ünïcode 😀\u007f' },
  details: { description: 'Tab\tquote" back\\slash', version: '1.2.3' },
  interfaces: INTERFACES,
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
  security: {
    schemes: {
      key: { type: 'apiKey', location: 'header', name: 'X-API-Key' },
      mtls: { type: 'mutualTLS' },
    },
  },
};
const PYTHON_0_3 = String.raw`{"additionalInterfaces":[{"transport":"JSONRPC","url":"https://agent.example/rpc"},{"transport":"HTTP+JSON","url":"https://agent.example/rest"},{"transport":"GRPC","url":"http://agent.example:50051"}],"capabilities":{"pushNotifications":false,"streaming":true},"defaultInputModes":["text/plain","application/json"],"defaultOutputModes":["text/plain","application/json"],"description":"Tab\tquote\" back\\slash","name":"\u00dcn\u00efcode \ud83d\ude00\u007f","security":[{"key":["caller"]},{"mtls":["caller"]}],"securitySchemes":{"key":{"in":"header","name":"X-API-Key"},"mtls":{"description":"A client certificate that the operator of this agent has entered."}},"skills":[{"description":"Does a task that is given to \u00dcn\u00efcode \ud83d\ude00\u007f in words, files or data.","id":"task","name":"Tasks","tags":["task"]}],"supportsAuthenticatedExtendedCard":false,"url":"https://agent.example/rpc","version":"1.2.3"}`;

describe('#a2a-card-signature nothing empty is published', () => {
  const words = fc.oneof(fc.constant(''), fc.string({ maxLength: 6, unit: 'grapheme' }));
  const lists = fc.array(words, { maxLength: 3 });
  const some = fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' });
  const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
    fc.option(value, { nil: undefined });
  const optional = <T extends object>(members: {
    [K in keyof T]: fc.Arbitrary<T[K]>;
  }): fc.Arbitrary<T> => fc.record(members, { requiredKeys: [] }) as unknown as fc.Arbitrary<T>;
  const skill = fc
    .tuple(
      fc.record({
        id: some,
        name: some,
        description: some,
        tags: fc.array(some, { minLength: 1 }),
      }),
      optional({ examples: lists, inputModes: lists, outputModes: lists }),
    )
    .map(([required, others]) => Object.assign(required, others));
  const details = optional({
    description: words,
    version: words,
    documentationUrl: words,
    iconUrl: words,
    inputModes: lists,
    outputModes: lists,
    skills: fc.array(skill, { maxLength: 2 }),
  });
  const scheme = fc.oneof(
    fc.record({ type: fc.constant('http' as const), scheme: some, description: words }),
    fc.record({ type: fc.constant('mutualTLS' as const), description: words }),
    fc.record({
      type: fc.constant('apiKey' as const),
      location: fc.constantFrom('header', 'query', 'cookie'),
      name: some,
    }),
  );
  const security = maybe(
    fc.record({ schemes: fc.dictionary(some, scheme, { maxKeys: 3 }), isOptional: fc.boolean() }),
  );

  const emptyIn = (value: JsonValue): boolean =>
    isEmpty(value) ||
    (typeof value === 'object' && value !== null && Object.values(value).some(emptyIn));

  test('whatever was said, and the specification and the SDK agree on the bytes', () => {
    fc.assert(
      fc.property(words, details, security, (name, told, asked) => {
        const facts = {
          ...SMALL,
          about: { agentId: 'did:key:z6Mk', name },
          details: told,
          security: asked,
        } as CardFacts;
        for (const form of ['strict', 'superset'] as const) {
          const card = composeCard(form, facts);
          expect(emptyIn(card)).toBe(false);
          expect(text(wholeView(card).payload)).toBe(text(writeJcs(card)));
          const ours = text(currentView(card).payload);
          expect(ours).toBe(canonicalizeAgentCard(card as never));
        }
      }),
      { numRuns: 150 },
    );
  });

  test('of the fullest card neither', () => {
    const facts = {
      ...SMALL,
      details: FULL,
      capabilities: FULL.capabilities,
      security: FULL.security,
    };
    for (const form of ['strict', 'superset'] as const) {
      expect(emptyIn(composeCard(form, facts as CardFacts))).toBe(false);
    }
  });
});
