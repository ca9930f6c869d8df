// An agent whose cards are served over real HTTP, and what the tests of cards say of it.

import { createRuntime } from '../../../src/index.ts';
import type { LocalIdentity } from '../../../src/security/index.ts';
import { createIdentity } from '../../../src/security/index.ts';
import type { Transport } from '../../../src/transport.ts';
import type { Cards } from '../../../profiles/a2a/card/cards.ts';
import { createCards } from '../../../profiles/a2a/card/cards.ts';
import type { CardInterface, CardOptions } from '../../../profiles/a2a/card/options.ts';
import type { HttpFace } from '../../../transports/http/index.ts';
import { http, httpHostOf } from '../../../transports/http/index.ts';

export const CARD_PATH = '/.well-known/agent-card.json';
export const KEYS_PATH = '/.well-known/jwks.json';

export const INTERFACES: readonly CardInterface[] = [
  { url: 'https://agent.example/rpc', binding: 'JSONRPC', protocolVersion: '0.3' },
  { url: 'https://agent.example/rpc', binding: 'JSONRPC', protocolVersion: '1.0' },
  { url: 'https://agent.example/rest', binding: 'HTTP+JSON', protocolVersion: '1.0' },
  { url: 'https://agent.example/rest', binding: 'HTTP+JSON', protocolVersion: '0.3' },
  { url: 'agent.example:50051', binding: 'GRPC', protocolVersion: '1.0' },
  { url: 'agent.example:50051', binding: 'GRPC', protocolVersion: '0.3' },
];

/** Every member that a card can have. */
export const FULL: Omit<CardOptions, 'jwksUrl' | 'form'> = {
  description: 'Über-Agent für 重要な仕事 😀',
  version: '2.3.4',
  provider: { organization: 'Example', url: 'https://example.com' },
  documentationUrl: 'https://agent.example/docs',
  iconUrl: 'https://agent.example/icon.png',
  inputModes: ['text/plain', 'application/json', 'image/png'],
  outputModes: ['text/plain'],
  skills: [
    {
      id: 'sum',
      name: 'Sums',
      description: 'Adds numbers.',
      tags: ['math', 'numbers'],
      examples: ['1 and 2'],
      inputModes: ['text/plain'],
      outputModes: ['application/json'],
      requirements: [{ oauth: ['sum'], key: [] }],
    },
    { id: 'echo', name: 'Echo', description: 'Says it again.', tags: ['text'] },
  ],
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extendedAgentCard: true,
    extensions: [
      {
        uri: 'https://example.com/ext',
        description: 'An extension.',
        required: true,
        params: {
          depth: 3,
          ratio: 0.25,
          big: 1e21,
          flag: false,
          none: 0,
          list: [1, 'two', { a: 1 }],
        },
      },
      { uri: 'https://example.com/other', required: false },
    ],
  },
  security: {
    schemes: {
      bearer: { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT', description: 'A token.' },
      basic: { type: 'http', scheme: 'Basic' },
      key: { type: 'apiKey', location: 'header', name: 'X-API-Key' },
      oidc: {
        type: 'openIdConnect',
        url: 'https://issuer.example/.well-known/openid-configuration',
      },
      mtls: { type: 'mutualTLS' },
      oauth: {
        type: 'oauth2',
        metadataUrl: 'https://issuer.example/.well-known/oauth-authorization-server',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://issuer.example/authorize',
            tokenUrl: 'https://issuer.example/token',
            refreshUrl: 'https://issuer.example/refresh',
            scopes: { sum: 'May add.', all: 'May do all.' },
            pkceRequired: true,
          },
        },
      },
      machine: {
        type: 'oauth2',
        flows: {
          clientCredentials: {
            tokenUrl: 'https://issuer.example/token',
            scopes: { sum: 'May add.' },
          },
        },
      },
    },
  },
  interfaces: INTERFACES,
  refuseVersion: (call, version) => call.answer(400, {}, `no ${version} here`),
};

export interface CardAgent {
  readonly origin: string;
  readonly cards: Cards;
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Response>;
  /** As a client would read it. */
  json<T = Record<string, unknown>>(path: string, headers?: Record<string, string>): Promise<T>;
  close(): Promise<void>;
}

export type IdentityNow = LocalIdentity | (() => LocalIdentity);

/** `options` may change while it runs. */
export async function startCardAgent(
  options: Partial<CardOptions> = {},
  identity?: IdentityNow,
  name = 'agent',
): Promise<CardAgent> {
  let cards: Cards | undefined;
  const face: Transport = {
    name: 'cards',
    listen: async (context, earlier) => {
      const host = httpHostOf(earlier, 'cards');
      const jwksUrl = host.urlOf(KEYS_PATH);
      const made = createCards(context, { form: 'superset', ...FULL, jwksUrl, ...options });
      cards = made;
      const served = host.serve(faceOf(made));
      return {
        name: 'cards',
        isFace: true,
        urls: [host.urlOf(CARD_PATH)],
        close: (graceMs) => served.close(graceMs),
      };
    },
  };
  const runtime = createRuntime({ identity: identity ?? (await createIdentity()), name });
  const [, listener] = await runtime.listen(http({ port: 0 }), face);
  const { origin } = new URL(listener!.urls[0]!);
  const get: CardAgent['get'] = (path, headers = {}, method = 'GET') =>
    fetch(origin + path, { headers, method });
  return {
    origin,
    cards: cards!,
    get,
    json: async <T>(path: string, headers?: Record<string, string>) =>
      (await (await get(path, headers)).json()) as T,
    close: () => runtime.close(),
  };
}

function faceOf(cards: Cards): HttpFace {
  return {
    name: 'cards',
    maxBytes: 1_024,
    headers: ['a2a-version'],
    owns: (path) => cards.owns(path),
    methods: (path) => cards.methods(path),
    handle: (call) => cards.handle(call),
    refuse: (call, error, status) => call.answer(status, {}, error.code),
  };
}
