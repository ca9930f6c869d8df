// Owns which members a card has, in 1.0 and in 0.3, and when an empty one still counts. SPEC.md section 21
// (#a2a-card-signature).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { isJsonArray, isJsonObject } from '../../../src/codec/index.ts';
import { isEmpty } from './empty.ts';

/**
 * `text`, `flag`, `data` (any JSON) or the name of a message; then `[]` for a list or `{}` for a map; then `!` where it
 * is required and `?` where it is optional by its keyword. Without a mark an empty one is the same as none.
 */
type Notation = string;
type Messages = Readonly<Record<string, Readonly<Record<string, Notation>>>>;

/** Without `signatures`, which cover the rest. */
export const MEMBERS_1_0: Messages = {
  AgentCard: {
    name: 'text!',
    description: 'text!',
    supportedInterfaces: 'AgentInterface[]!',
    provider: 'AgentProvider',
    version: 'text!',
    documentationUrl: 'text?',
    capabilities: 'AgentCapabilities!',
    securitySchemes: 'SecurityScheme{}',
    securityRequirements: 'SecurityRequirement[]',
    defaultInputModes: 'text[]!',
    defaultOutputModes: 'text[]!',
    skills: 'AgentSkill[]!',
    iconUrl: 'text?',
  },
  AgentInterface: {
    url: 'text!',
    protocolBinding: 'text!',
    tenant: 'text',
    protocolVersion: 'text!',
  },
  AgentProvider: { url: 'text!', organization: 'text!' },
  AgentCapabilities: {
    streaming: 'flag?',
    pushNotifications: 'flag?',
    extensions: 'AgentExtension[]',
    extendedAgentCard: 'flag?',
  },
  AgentExtension: { uri: 'text', description: 'text', required: 'flag', params: 'data' },
  AgentSkill: {
    id: 'text!',
    name: 'text!',
    description: 'text!',
    tags: 'text[]!',
    examples: 'text[]',
    inputModes: 'text[]',
    outputModes: 'text[]',
    securityRequirements: 'SecurityRequirement[]',
  },
  SecurityRequirement: { schemes: 'StringList{}' },
  StringList: { list: 'text[]' },
  SecurityScheme: {
    apiKeySecurityScheme: 'APIKeySecurityScheme',
    httpAuthSecurityScheme: 'HTTPAuthSecurityScheme',
    oauth2SecurityScheme: 'OAuth2SecurityScheme',
    openIdConnectSecurityScheme: 'OpenIdConnectSecurityScheme',
    mtlsSecurityScheme: 'MutualTlsSecurityScheme',
  },
  APIKeySecurityScheme: { description: 'text', location: 'text!', name: 'text!' },
  HTTPAuthSecurityScheme: { description: 'text', scheme: 'text!', bearerFormat: 'text' },
  OAuth2SecurityScheme: { description: 'text', flows: 'OAuthFlows!', oauth2MetadataUrl: 'text' },
  OpenIdConnectSecurityScheme: { description: 'text', openIdConnectUrl: 'text!' },
  MutualTlsSecurityScheme: { description: 'text' },
  OAuthFlows: {
    authorizationCode: 'AuthorizationCodeOAuthFlow',
    clientCredentials: 'ClientCredentialsOAuthFlow',
    implicit: 'ImplicitOAuthFlow',
    password: 'PasswordOAuthFlow',
    deviceCode: 'DeviceCodeOAuthFlow',
  },
  AuthorizationCodeOAuthFlow: {
    authorizationUrl: 'text!',
    tokenUrl: 'text!',
    refreshUrl: 'text',
    scopes: 'text{}!',
    pkceRequired: 'flag',
  },
  ClientCredentialsOAuthFlow: { tokenUrl: 'text!', refreshUrl: 'text', scopes: 'text{}!' },
  ImplicitOAuthFlow: { authorizationUrl: 'text', refreshUrl: 'text', scopes: 'text{}' },
  PasswordOAuthFlow: { tokenUrl: 'text', refreshUrl: 'text', scopes: 'text{}' },
  DeviceCodeOAuthFlow: {
    deviceAuthorizationUrl: 'text!',
    tokenUrl: 'text!',
    refreshUrl: 'text',
    scopes: 'text{}!',
  },
};

/** Plain JSON, not protobuf: whatever is there counts. */
export const MEMBERS_0_3: Messages = {
  AgentCard: {
    protocolVersion: 'text?',
    name: 'text?',
    description: 'text?',
    url: 'text?',
    preferredTransport: 'text?',
    additionalInterfaces: 'LegacyInterface[]?',
    iconUrl: 'text?',
    provider: 'AgentProvider?',
    version: 'text?',
    documentationUrl: 'text?',
    capabilities: 'AgentCapabilities?',
    securitySchemes: 'SecurityScheme{}?',
    security: 'data?',
    defaultInputModes: 'text[]?',
    defaultOutputModes: 'text[]?',
    skills: 'AgentSkill[]?',
    supportsAuthenticatedExtendedCard: 'flag?',
  },
  LegacyInterface: { url: 'text?', transport: 'text?' },
  AgentProvider: { organization: 'text?', url: 'text?' },
  AgentCapabilities: {
    streaming: 'flag?',
    pushNotifications: 'flag?',
    stateTransitionHistory: 'flag?',
    extensions: 'AgentExtension[]?',
  },
  AgentExtension: { uri: 'text?', description: 'text?', required: 'flag?', params: 'data?' },
  AgentSkill: {
    id: 'text?',
    name: 'text?',
    description: 'text?',
    tags: 'text[]?',
    examples: 'text[]?',
    inputModes: 'text[]?',
    outputModes: 'text[]?',
    security: 'data?',
  },
  SecurityScheme: {
    type: 'text?',
    description: 'text?',
    in: 'text?',
    name: 'text?',
    scheme: 'text?',
    bearerFormat: 'text?',
    flows: 'LegacyFlows?',
    oauth2MetadataUrl: 'text?',
    openIdConnectUrl: 'text?',
  },
  LegacyFlows: {
    authorizationCode: 'LegacyFlow?',
    clientCredentials: 'LegacyFlow?',
    implicit: 'LegacyFlow?',
    password: 'LegacyFlow?',
  },
  LegacyFlow: {
    authorizationUrl: 'text?',
    tokenUrl: 'text?',
    refreshUrl: 'text?',
    scopes: 'text{}?',
  },
};

/** What a superset card may have: both, the one name that only the draft has, and the flows of 1.0 where 0.3 looks. */
export const MEMBERS_OF_BOTH: Messages = {
  ...merge(MEMBERS_0_3, MEMBERS_1_0),
  LegacyFlow: { ...MEMBERS_0_3['LegacyFlow'], pkceRequired: 'flag?' },
  AgentCard: {
    ...MEMBERS_0_3['AgentCard'],
    ...MEMBERS_1_0['AgentCard'],
    supportsExtendedAgentCard: 'flag?',
  },
};

function merge(one: Messages, other: Messages): Messages {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, { ...one[name], ...other[name] }]));
}

/** The card with these members alone, and without those that are the same as none. */
export function membersOf(card: JsonObject, messages: Messages): JsonObject {
  return readMessage(card, 'AgentCard', messages) as JsonObject;
}

function readMessage(value: JsonValue, name: string, messages: Messages): JsonValue {
  const members = Object.hasOwn(messages, name) ? messages[name] : undefined;
  if (members === undefined || !isJsonObject(value)) return value;
  const read = Object.entries(members).flatMap(([member, notation]) => {
    if (!Object.hasOwn(value, member)) return [];
    const known = readMember(value[member]!, notation, messages);
    return known === undefined ? [] : [[member, known] as const];
  });
  return Object.fromEntries(read);
}

const NOTATION = /^(\w+)(\[\]|\{\})?([!?])?$/;

/** `undefined` for what is the same as none. */
function readMember(
  value: JsonValue,
  notation: Notation,
  messages: Messages,
): JsonValue | undefined {
  const [, kind = '', many, mark] = NOTATION.exec(notation)!;
  if (value === null) return undefined;
  const isScalar = kind === 'text' || kind === 'flag';
  // A message that is there counts, also where nothing is in it.
  if (mark === undefined && (isScalar || many !== undefined)) {
    if (isEmpty(value) || value === false || value === 0) return undefined;
  }
  if (many === '[]' && isJsonArray(value)) {
    return value.map((item) => readMessage(item, kind, messages));
  }
  if (many === '{}' && isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, readMessage(item, kind, messages)]),
    );
  }
  return many === undefined ? readMessage(value, kind, messages) : value;
}
