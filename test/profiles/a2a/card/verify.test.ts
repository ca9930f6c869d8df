// Whom a card is believed from: trusted keys, two algorithms, and nothing that a signature does not cover.

import type { FlattenedSign, GenerateKeyPairResult } from 'jose';
import { FlattenedSign as Signing, exportJWK, generateKeyPair } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';

import {
  currentSdkView,
  currentView,
  legacySdkView,
  legacyView,
} from '../../../../profiles/a2a/card/canonical.ts';
import { composeCard } from '../../../../profiles/a2a/card/compose.ts';
import type { CardKey } from '../../../../profiles/a2a/card/keys.ts';
import type { CardFacts } from '../../../../profiles/a2a/card/options.ts';
import type { VerifyCardOptions } from '../../../../profiles/a2a/card/verify.ts';
import { verifyCard } from '../../../../profiles/a2a/card/verify.ts';
import type { JsonObject, JsonValue } from '../../../../src/codec/index.ts';
import { writeJcs } from '../../../../src/codec/index.ts';
import { FULL, INTERFACES } from '../../../support/a2a/card-face.ts';

const facts = {
  about: { agentId: 'did:key:z6Mk', name: 'agent' },
  details: FULL,
  interfaces: INTERFACES,
  capabilities: FULL.capabilities,
  security: FULL.security,
} as CardFacts;
const strict = composeCard('strict', facts);
const superset = composeCard('superset', facts);

type Header = Parameters<FlattenedSign['setProtectedHeader']>[0];

let pairs: Record<string, GenerateKeyPairResult>;
let keys: CardKey[];
beforeAll(async () => {
  const entries = await Promise.all(
    ['EdDSA', 'ES256', 'RS256', 'ES384'].map(
      async (alg) => [alg, await generateKeyPair(alg, { extractable: true })] as const,
    ),
  );
  pairs = Object.fromEntries(entries);
  keys = await Promise.all(
    entries.map(async ([kid, { publicKey }]) =>
      Object.assign((await exportJWK(publicKey)) as Omit<CardKey, 'kid'>, { kid }),
    ),
  );
});

async function signed(
  card: JsonObject,
  payload: Uint8Array,
  header: Header = { alg: 'EdDSA', kid: 'EdDSA', typ: 'JOSE' },
): Promise<JsonObject> {
  const { privateKey } = pairs[header.alg!]!;
  const jws = await new Signing(payload).setProtectedHeader(header).sign(privateKey);
  return { ...card, signatures: [{ protected: jws.protected!, signature: jws.signature }] };
}

const verdictOn = async (
  card: JsonValue,
  options: Partial<VerifyCardOptions> = {},
): Promise<string> => (await verifyCard(card, { keys, ...options })).kind;

describe('#a2a-card-verify keys and algorithms', () => {
  const { payload } = currentView(strict);

  test.each(['EdDSA', 'ES256'])('%s is taken, unless the reader takes less', async (alg) => {
    const card = await signed(strict, payload, { alg, kid: alg });
    expect(await verifyCard(card, { keys })).toEqual({
      kind: 'verified',
      card: strict,
      kid: alg,
      alg,
      form: 'spec',
    });
    const other = alg === 'EdDSA' ? 'ES256' : 'EdDSA';
    expect(await verdictOn(card, { algorithms: [other] })).toBe('refused');
    expect(await verdictOn(card, { keys: keys.filter(({ kid }) => kid !== alg) })).toBe('refused');
  });

  test.each(['RS256', 'ES384'])('%s is never taken, though the key is trusted', async (alg) => {
    expect(await verdictOn(await signed(strict, payload, { alg, kid: alg }))).toBe('refused');
    const algorithms = [alg] as unknown as NonNullable<VerifyCardOptions['algorithms']>;
    await expect(verifyCard(strict, { keys, algorithms })).rejects.toThrow(TypeError);
  });

  test('"none" and HMAC with a public key as its secret are never taken', async () => {
    const head = (header: object): string =>
      Buffer.from(JSON.stringify(header)).toString('base64url');
    const none = { protected: head({ alg: 'none', kid: 'EdDSA' }), signature: '' };
    expect(await verdictOn({ ...strict, signatures: [none] })).toBe('refused');
    const secret = Buffer.from(keys[0]!.x!, 'base64url');
    const jws = await new Signing(payload)
      .setProtectedHeader({ alg: 'HS256', kid: 'EdDSA' })
      .sign(new Uint8Array(secret));
    const forged = { protected: jws.protected!, signature: jws.signature };
    expect(await verdictOn({ ...strict, signatures: [forged] })).toBe('refused');
    const oct = { kty: 'oct', k: keys[0]!.x!, kid: 'EdDSA' } as CardKey;
    expect(await verdictOn({ ...strict, signatures: [forged] }, { keys: [oct] })).toBe('refused');
  });

  test('a key is for what it says: not of another algorithm, not for encryption', async () => {
    const card = await signed(strict, payload);
    const own = keys.find(({ kid }) => kid === 'EdDSA');
    expect(await verdictOn(card, { keys: [{ ...own!, alg: 'EdDSA', use: 'sig' }] })).toBe(
      'verified',
    );
    for (const change of [
      { alg: 'ES256' },
      { use: 'enc' },
      { crv: 'X25519' },
      { kty: 'EC' },
      { x: 'AA' },
    ]) {
      expect(await verdictOn(card, { keys: [{ ...own!, ...change }] })).toBe('refused');
    }
    // The name is a hint: a wrong key of the same name is passed over.
    const wrong = keys.find(({ kid }) => kid === 'ES256');
    expect(await verdictOn(card, { keys: [{ ...wrong!, kid: 'EdDSA' }, own!] })).toBe('verified');
    const off = { ...wrong!, kid: 'k', x: own!.x! };
    const es = await signed(strict, payload, { alg: 'ES256', kid: 'k' });
    expect(await verdictOn(es, { keys: [off] })).toBe('refused');
  });

  test('one signature that holds is enough, among others that do not', async () => {
    const good = (await signed(strict, payload))['signatures'] as JsonValue[];
    const bad = (await signed(strict, writeJcs({})))['signatures'] as JsonValue[];
    expect(await verdictOn({ ...strict, signatures: [...bad, null, 'x', ...good] })).toBe(
      'verified',
    );
    expect(await verdictOn({ ...strict, signatures: bad })).toBe('refused');
    const many = [...Array.from({ length: 16 }, () => bad[0]!), ...good];
    expect(await verdictOn({ ...strict, signatures: many })).toBe('refused');
  });

  test('what is beside the protected header decides nothing, and what is critical is not understood', async () => {
    const card = await signed(strict, payload);
    const [one] = card['signatures'] as JsonObject[];
    const header = { alg: 'none', kid: 'somebody', jku: 'https://evil.example' };
    expect(await verdictOn({ ...strict, signatures: [{ ...one!, header }] })).toBe('verified');
    const jws = await new Signing(payload)
      .setProtectedHeader({ alg: 'EdDSA', kid: 'EdDSA', crit: ['exp'], exp: 1 })
      .sign(pairs['EdDSA']!.privateKey, { crit: { exp: true } });
    const critical = { protected: jws.protected!, signature: jws.signature };
    expect(await verdictOn({ ...strict, signatures: [critical] })).toBe('refused');
  });
});

describe('#a2a-card-verify forms', () => {
  const { iconUrl: _icon, ...iconless } = strict;
  const loose = {
    ...iconless,
    description: '',
    skills: [],
    documentationUrl: '',
    provider: null,
    capabilities: {
      streaming: false,
      extensions: [{ uri: 'u', required: false, params: { a: '' } }],
    },
    securityRequirements: [],
  } as JsonObject;

  test('spec: what is required or set stays though it is empty, what is the default goes', async () => {
    expect(new TextDecoder().decode(currentView(loose).payload)).toContain(
      '"capabilities":{"extensions":[{"params":{"a":""},"uri":"u"}],"streaming":false}',
    );
    const verdict = await verifyCard(await signed(loose, currentView(loose).payload), { keys });
    expect(verdict).toMatchObject({ form: 'spec', card: { description: '', skills: [] } });
    expect(verdict).not.toHaveProperty('card.provider');
    expect(verdict).not.toHaveProperty('card.securityRequirements');
  });

  test('the example of the specification has its published form', () => {
    const fragment = {
      name: 'Example Agent',
      description: '',
      capabilities: { streaming: false, pushNotifications: false, extensions: [] },
      skills: [],
    };
    expect(new TextDecoder().decode(currentView(fragment).payload)).toBe(
      '{"capabilities":{"pushNotifications":false,"streaming":false},"description":"","name":"Example Agent","skills":[]}',
    );
    expect(new TextDecoder().decode(currentSdkView(fragment).payload)).toBe(
      '{"capabilities":{"pushNotifications":false,"streaming":false},"name":"Example Agent"}',
    );
  });

  test('sdk: nothing that is empty is covered, so nothing that is empty is believed', async () => {
    const card = await signed(loose, currentSdkView(loose).payload);
    const verdict = await verifyCard({ ...card, iconUrl: '' }, { keys });
    expect(verdict).toMatchObject({ kind: 'verified', form: 'sdk' });
    for (const name of ['description', 'skills', 'iconUrl', 'signatures']) {
      expect(verdict).not.toHaveProperty(['card', name]);
    }
  });

  test('unknown members are never believed, wherever they stand', async () => {
    const { payload } = currentView(strict);
    const card = await signed(strict, payload);
    const more = {
      ...card,
      evil: true,
      url: 'https://evil.example',
      provider: { ...(card['provider'] as JsonObject), evil: true },
      skills: (card['skills'] as JsonObject[]).map((skill) => Object.assign({ evil: [1] }, skill)),
    };
    expect(await verifyCard(more, { keys })).toMatchObject({ kind: 'verified', card: strict });
  });

  test.each([
    ['as it stands', legacyView],
    ['as the Python SDK makes it', legacySdkView],
  ])('0.3: a card of that version, signed %s', async (_how, view) => {
    const card = await signed(superset, view(superset).payload);
    const verdict = await verifyCard({ ...card, supportedInterfaces: [] }, { keys });
    expect(verdict).toMatchObject({
      kind: 'verified',
      card: { protocolVersion: '0.3.0', preferredTransport: 'JSONRPC', url: superset['url'] },
    });
    expect(verdict).not.toHaveProperty('card.supportedInterfaces');
    expect(verdict).toHaveProperty('card.securitySchemes.mtls.type', 'mutualTLS');
  });

  test('0.3: a type that its members do not bear out breaks the signature', async () => {
    const card = await signed(superset, legacySdkView(superset).payload);
    const schemes = card['securitySchemes'] as Record<string, JsonObject>;
    const changed = { ...schemes, mtls: { ...schemes['mtls'], type: 'http' } };
    expect(await verdictOn({ ...card, securitySchemes: changed })).toBe('refused');
    // One that says nothing is under no signature, and is not told.
    const added = { ...schemes, more: { type: 'mutualTLS' } };
    const verdict = await verifyCard({ ...card, securitySchemes: added }, { keys });
    expect(verdict).not.toHaveProperty('card.securitySchemes.more');
  });

  test.each([
    null,
    1,
    'card',
    [],
    {},
    { signatures: [] },
    { signatures: {} },
    { signatures: null },
  ] as JsonValue[])('unsigned: %j', async (card) => {
    expect(await verifyCard(card, { keys })).toEqual({ kind: 'unsigned' });
  });

  test.each([
    { protected: 1, signature: 'AA' },
    { protected: '', signature: '' },
    { protected: 'e30', signature: 'AA' },
    { protected: 'W10', signature: 'AA' },
    { protected: 'not base64url!', signature: 'AA' },
    { protected: `ey${'A'.repeat(10_000)}`, signature: 'AA' },
    { protected: Buffer.from('{"alg":["EdDSA"],"kid":{}}').toString('base64url'), signature: 'AA' },
    { protected: Buffer.from('{"alg":"EdDSA","alg":"ES256","kid":"EdDSA"}').toString('base64url') },
  ] as JsonValue[])('hostile signatures are refused, not thrown on: %#', async (signature) => {
    expect(await verdictOn({ ...strict, signatures: [signature] })).toBe('refused');
  });

  test.each([
    { name: '\ud800' },
    { skills: 'none' },
    { skills: [1, null, [[]]] },
    { supportedInterfaces: { url: 1 } },
    { securitySchemes: [1] },
    { securitySchemes: { a: 1, b: null, __proto__: null } },
    { capabilities: [] },
    { provider: 7 },
  ] as JsonObject[])('a card of another shape is refused, not thrown on: %j', async (change) => {
    const { signatures } = await signed(strict, currentView(strict).payload);
    const card = { ...strict, ...change, signatures: signatures! };
    const verdict = await verifyCard(card, { keys });
    if (verdict.kind === 'verified') expect(Object.keys(change)).toEqual(['securitySchemes']);
    else expect(verdict).toEqual({ kind: 'refused' });
  });
});
