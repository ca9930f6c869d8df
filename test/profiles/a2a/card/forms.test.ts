// The two forms of a card against what the specifications say of their members.

import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { composeCard } from '../../../../profiles/a2a/card/compose.ts';
import { legacyProtoForm } from '../../../../profiles/a2a/card/legacy-proto.ts';
import { MEMBERS_1_0 } from '../../../../profiles/a2a/card/members.ts';
import type { CardFacts, CardInterface } from '../../../../profiles/a2a/card/options.ts';
import type { JsonObject, JsonValue } from '../../../../src/codec/index.ts';
import { isJsonObject } from '../../../../src/codec/index.ts';
import type { CardAgent } from '../../../support/a2a/card-face.ts';
import { CARD_PATH, FULL, INTERFACES, startCardAgent } from '../../../support/a2a/card-face.ts';
import { hasVectors, vectorJson } from '../../../support/repository/vectors.ts';

interface Field {
  readonly json: string;
  readonly type: string;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly repeated?: boolean;
  readonly oneof?: string;
}
type Messages = Readonly<Record<string, readonly Field[]>>;

/** Everything that is wrong with a value by the table of fields: other members, missing ones, other types. */
function faultsOf(value: JsonValue, type: string, messages: Messages, path = ''): string[] {
  const map = /^map<string, (\S+)>$/.exec(type)?.[1];
  if (map !== undefined) {
    if (!isJsonObject(value)) return [`${path} is no map`];
    return Object.entries(value).flatMap(([name, item]) =>
      faultsOf(item, map, messages, `${path}.${name}`),
    );
  }
  if (type === 'string' || type === 'bool') {
    return typeof value === (type === 'bool' ? 'boolean' : type) ? [] : [`${path} is no ${type}`];
  }
  if (type === 'google.protobuf.Struct') return isJsonObject(value) ? [] : [`${path} is no Struct`];
  if (!isJsonObject(value)) return [`${path} is no ${type}`];
  const fields = messages[type]!;
  const given = new Map(Object.entries(value));
  const faults = fields.flatMap((field) => {
    const { json, required = false, repeated = false } = field;
    const member = given.get(json);
    given.delete(json);
    if (member === undefined) return required ? [`${path}.${json} is missing`] : [];
    const items = repeated ? (member as JsonValue[]) : [member];
    if (!Array.isArray(items)) return [`${path}.${json} is no list`];
    return items.flatMap((item, at) =>
      faultsOf(item, field.type, messages, `${path}.${json}/${at}`),
    );
  });
  const several = fields.filter(
    ({ json, oneof }) => oneof !== undefined && Object.hasOwn(value, json),
  );
  if (several.length > 1) faults.push(`${path} has two of one`);
  return [...faults, ...[...given.keys()].map((name) => `${path}.${name} is not known`)];
}

const facts: CardFacts = {
  about: { agentId: 'did:key:z6Mk', name: 'agent' },
  details: FULL,
  interfaces: INTERFACES,
  capabilities: FULL.capabilities,
  security: FULL.security as NonNullable<CardFacts['security']>,
};
const sparse: CardFacts = {
  ...facts,
  details: {},
  capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
  security: undefined,
};

describe.runIf(hasVectors)('#a2a-card the members by the tables of both packages', () => {
  const tables = hasVectors
    ? vectorJson<Record<'v1' | 'v0.3', { messages: Messages }>>('a2a/fields.json')
    : undefined;
  const v1 = tables?.v1.messages ?? {};
  let agent: CardAgent;
  beforeAll(async () => void (agent = await startCardAgent()));
  afterAll(() => agent.close());

  test('our table is that of 1.0', () => {
    const ours = Object.entries(MEMBERS_1_0).map(([message, members]) => {
      const told = Object.entries(members).map(([json, notation]) => [json, notation] as const);
      return [message, Object.fromEntries(told)] as const;
    });
    const theirs = Object.keys(MEMBERS_1_0).map((message) => {
      const fields = v1[message]!.filter(({ json }) => json !== 'signatures');
      return [message, Object.fromEntries(fields.map((field) => [field.json, notationOf(field)]))];
    });
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(theirs));
  });

  test.each([
    ['all that there can be', facts],
    ['as little as there can be', sparse],
  ])('a strict card has no other member, and all that are required: %s', (_what, told) => {
    expect(faultsOf(composeCard('strict', told), 'AgentCard', v1)).toEqual([]);
  });

  test('a strict card is the same over HTTP, signatures too', async () => {
    const card = await agent.json<JsonObject>(CARD_PATH, { 'A2A-Version': '1.0' });
    expect(faultsOf(card, 'AgentCard', v1)).toEqual([]);
    // The second is for readers that lose the schemes.
    expect(card['signatures']).toHaveLength(2);
  });

  test.each([
    ['all that there can be', facts],
    ['as little as there can be', sparse],
  ])('a superset card has a form in the package of 0.3: %s', (_what, told) => {
    const card = legacyProtoForm(composeCard('superset', told));
    expect(faultsOf(card, 'AgentCard', tables!['v0.3'].messages)).toEqual([]);
    expect(Object.keys(card['securitySchemes'] ?? {})).toEqual(
      Object.keys(told.security?.schemes ?? {}),
    );
  });

  test('the check finds what is wrong', () => {
    const card = composeCard('superset', facts);
    const faults = faultsOf(card, 'AgentCard', v1);
    expect(faults).toContain('.protocolVersion is not known');
    expect(faults).toContain('.securitySchemes/0.bearer.type is not known');
    expect(faultsOf({ ...card, name: 1 }, 'AgentCard', v1)).toContain('.name/0 is no string');
  });

  const faults03 = (card: unknown): unknown[] => {
    const schema = vectorJson<object>('a2a/spec/a2a-0.3.json');
    const ajv = new Ajv({ strict: false });
    ajv.validate({ ...schema, $ref: '#/definitions/AgentCard' }, card);
    return ajv.errors ?? [];
  };

  test.each([
    ['all that there can be', facts],
    ['as little as there can be', sparse],
  ])('a superset card is a card of 0.3: %s', (_what, told) => {
    expect(faults03(composeCard('superset', told))).toEqual([]);
  });

  test('a superset card is a card of 0.3 over HTTP, and a strict one is not', async () => {
    expect(faults03(await agent.json(CARD_PATH))).toEqual([]);
    expect(faults03(composeCard('strict', facts))).not.toEqual([]);
  });
});

function notationOf({ type, required, optional, repeated = false }: Field): string {
  const map = /^map<string, (\S+)>$/.exec(type)?.[1];
  const named = { string: 'text', bool: 'flag', 'google.protobuf.Struct': 'data' }[map ?? type];
  const many = map === undefined ? '' : '{}';
  const mark = required === true ? '!' : '';
  return `${named ?? map ?? type}${repeated ? '[]' : many}${optional === true ? '?' : mark}`;
}

describe('#a2a-card the forms', () => {
  const urlsOf = (card: JsonObject): string[] => {
    const interfaces = card['supportedInterfaces'] as Record<string, string>[];
    return interfaces.map(({ url, protocolBinding, protocolVersion }) =>
      [protocolVersion, protocolBinding, url].join(' '),
    );
  };

  test('strict: only interfaces of 1.0, in the order given', () => {
    expect(urlsOf(composeCard('strict', facts))).toEqual([
      '1.0 JSONRPC https://agent.example/rpc',
      '1.0 HTTP+JSON https://agent.example/rest',
      '1.0 GRPC agent.example:50051',
    ]);
  });

  test('superset: each binding in both versions, those of 1.0 first', () => {
    expect(urlsOf(composeCard('superset', facts))).toEqual([
      '1.0 JSONRPC https://agent.example/rpc',
      '1.0 HTTP+JSON https://agent.example/rest',
      '1.0 GRPC agent.example:50051',
      '0.3 JSONRPC https://agent.example/rpc',
      '0.3 HTTP+JSON https://agent.example/rest',
      '0.3 GRPC agent.example:50051',
    ]);
  });

  test('superset: what a client of 0.3 looks for, with the main address among the others', () => {
    expect(composeCard('superset', facts)).toMatchObject({
      protocolVersion: '0.3.0',
      url: 'https://agent.example/rpc',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [
        { url: 'https://agent.example/rpc', transport: 'JSONRPC' },
        { url: 'https://agent.example/rest', transport: 'HTTP+JSON' },
        { url: 'http://agent.example:50051', transport: 'GRPC' },
      ],
      supportsAuthenticatedExtendedCard: true,
      supportsExtendedAgentCard: true,
      security: expect.arrayContaining([{ bearer: ['caller'] }, { oidc: ['openid'] }]) as unknown,
    });
  });

  test('superset: an extended card is promised to callers of 0.3 only where they must prove who they are', () => {
    const details = { ...facts.details, skills: [] };
    for (const security of [undefined, { ...facts.security!, isOptional: true }]) {
      expect(composeCard('superset', { ...facts, details, security })).toMatchObject({
        capabilities: { extendedAgentCard: true },
        supportsAuthenticatedExtendedCard: false,
      });
    }
  });

  test('the main address of 0.3 is never that of gRPC, and never that of a tenant', () => {
    const grpc: CardInterface = { url: 'https://h:1', binding: 'GRPC', protocolVersion: '0.3' };
    const of = (interfaces: readonly CardInterface[]): JsonObject =>
      composeCard('superset', { ...facts, interfaces });
    const tenants = INTERFACES.map((one) => ({ ...one, tenant: 'acme' }));
    const mixed = of([grpc, ...INTERFACES, ...tenants]);
    expect(mixed['url']).toBe('https://agent.example/rpc');
    expect(mixed['additionalInterfaces']).toHaveLength(4);
    expect(mixed['supportedInterfaces']).toHaveLength(13);
    expect(mixed['supportedInterfaces']).toContainEqual({
      url: 'h:1',
      protocolBinding: 'GRPC',
      protocolVersion: '0.3',
    });
    for (const without of [
      [INTERFACES[1]!, grpc],
      [INTERFACES[1]!, ...tenants],
    ]) {
      expect(of(without)).not.toHaveProperty('url');
      expect(of(without)).not.toHaveProperty('protocolVersion');
    }
  });

  test('#a2a-card-security schemes and requirements in both shapes', () => {
    const { securitySchemes, securityRequirements, skills } = composeCard('superset', facts);
    expect(securitySchemes).toMatchObject({
      bearer: {
        type: 'http',
        scheme: 'Bearer',
        bearerFormat: 'JWT',
        httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' },
      },
      key: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' },
      },
      mtls: {
        type: 'mutualTLS',
        mtlsSecurityScheme: { description: expect.any(String) as unknown },
      },
      oauth: {
        type: 'oauth2',
        flows: { authorizationCode: { tokenUrl: 'https://issuer.example/token' } },
        oauth2SecurityScheme: { flows: { authorizationCode: { pkceRequired: true } } },
      },
    });
    expect(securityRequirements).toContainEqual({ schemes: { oauth: { list: ['sum', 'all'] } } });
    expect(skills).toMatchObject([
      {
        securityRequirements: [
          { schemes: { oauth: { list: ['sum'] }, key: { list: ['caller'] } } },
        ],
        security: [{ oauth: ['sum'], key: ['caller'] }],
      },
      {},
    ]);
    const strict = composeCard('strict', facts);
    expect(JSON.stringify(strict['securitySchemes'])).not.toContain('"type"');
    expect(strict['skills']).not.toHaveProperty(['0', 'security']);
  });

  test('what is declared is what is there: false is said, nothing empty is', () => {
    const { capabilities, skills, description } = composeCard('strict', sparse);
    expect(capabilities).toEqual({
      streaming: false,
      pushNotifications: false,
      extendedAgentCard: false,
    });
    expect(skills).toHaveLength(1);
    expect(description).toContain('agent');
    const unnamed = composeCard('strict', { ...sparse, about: { agentId: 'did:key:z', name: '' } });
    expect(unnamed['name']).toBe('did:key:z');
  });

  test.each([
    ['skills[0].tags', { ...facts, details: { skills: [{ ...FULL.skills![0]!, tags: [] }] } }],
    ['skills[0].id', { ...facts, details: { skills: [{ ...FULL.skills![0]!, id: '' }] } }],
    ['skills[0].requirements[0]', { ...facts, security: undefined }],
    ['provider.url', { ...facts, details: { provider: { organization: 'x', url: '' } } }],
    [
      'capabilities.extensions[0].params.a[1]',
      {
        ...sparse,
        capabilities: {
          ...sparse.capabilities,
          extensions: [{ uri: 'u', params: { a: [1, {}] } }],
        },
      },
    ],
    ['interfaces', { ...facts, interfaces: INTERFACES.slice(0, 1) }],
    ['interfaces[0].url', { ...facts, interfaces: [{ ...INTERFACES[1]!, url: '' }] }],
    [
      'security.requirements[0]',
      { ...sparse, security: { schemes: {}, requirements: [{ bearer: [] }] } },
    ],
    [
      'security.schemes.key',
      {
        ...sparse,
        security: { schemes: { key: { type: 'apiKey', location: 'query', name: '' } } },
      },
    ],
  ] as const)('says by its path what no card can have: %s', (path, told) => {
    expect(() => composeCard('strict', told as CardFacts)).toThrow(`"${path}"`);
  });

  test('where callers without credentials are let in, nothing is asked for', () => {
    const open = composeCard('superset', {
      ...sparse,
      security: { schemes: { bearer: { type: 'http', scheme: 'Bearer' } }, isOptional: true },
    });
    expect(open).toHaveProperty('securitySchemes.bearer');
    expect(open).not.toHaveProperty('securityRequirements');
    expect(open).not.toHaveProperty('security');
  });
});
