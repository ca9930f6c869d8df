// Owns what a client reads of a card, of any version: what is missing is as its default, and what is wrong is as if it
// was missing. SPEC.md section 20 (#a2a-client-connect).

import type { JsonObject, JsonValue } from '../../../../src/door/index.ts';
import { isJsonObject } from '../../../../src/transport.ts';
import { isHeaderName } from '../credentials/credential.ts';

interface KnownSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** An address of the agent as the card has it, before it was judged. */
export interface OfferedInterface {
  readonly url: string;
  /** As it is written. */
  readonly binding: string;
  /** Empty where the card does not say. */
  readonly version: string;
  readonly tenant?: string;
}

export interface KnownCard {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly streaming: boolean;
  readonly pushNotifications: boolean;
  readonly extendedCard: boolean;
  /** The URIs of those without which it does not answer. */
  readonly requiredExtensions: readonly string[];
  /** The URIs of all that it declares. */
  readonly extensions: readonly string[];
  readonly skills: readonly KnownSkill[];
  readonly interfaces: readonly OfferedInterface[];
  /** The names of the ways to prove oneself, such as `bearer`; empty where it asks for none. */
  readonly schemes: readonly string[];
  /** The header that it wants an API key in. */
  readonly apiKeyHeader?: string;
  /** As it came, or of it what a signature covers. */
  readonly document: JsonObject;
}

const LEGACY_VERSION = '0.3';
const LEGACY_TRANSPORT = 'JSONRPC';

export function readCard(document: JsonObject): KnownCard {
  const capabilities = objectIn(document, 'capabilities');
  const apiKeyHeader = apiKeyHeaderIn(document);
  return {
    name: textIn(document, 'name'),
    description: textIn(document, 'description'),
    version: textIn(document, 'version'),
    streaming: capabilities['streaming'] === true,
    pushNotifications: capabilities['pushNotifications'] === true,
    extendedCard:
      capabilities['extendedAgentCard'] === true ||
      document['supportsAuthenticatedExtendedCard'] === true ||
      document['supportsExtendedAgentCard'] === true,
    requiredExtensions: listIn(capabilities, 'extensions')
      .filter(({ required }) => required === true)
      .map((extension) => textIn(extension, 'uri')),
    extensions: listIn(capabilities, 'extensions').map((extension) => textIn(extension, 'uri')),
    skills: listIn(document, 'skills').map((skill) => ({
      id: textIn(skill, 'id'),
      name: textIn(skill, 'name'),
      description: textIn(skill, 'description'),
    })),
    interfaces: interfacesIn(document),
    schemes: schemesIn(document),
    ...(apiKeyHeader !== undefined && { apiKeyHeader }),
    document,
  };
}

/** Those of 1.0 and of the draft, else those of 0.3. */
function interfacesIn(document: JsonObject): readonly OfferedInterface[] {
  const offered = listIn(document, 'supportedInterfaces').map((one) =>
    offeredIn(one, isOfDraft(document)),
  );
  if (offered.length > 0) return offered;
  const main = {
    url: textIn(document, 'url'),
    binding: textIn(document, 'preferredTransport') || LEGACY_TRANSPORT,
    version: LEGACY_VERSION,
  };
  const others = listIn(document, 'additionalInterfaces')
    .map((one) => ({
      url: textIn(one, 'url'),
      binding: textIn(one, 'transport'),
      version: LEGACY_VERSION,
    }))
    // The main one is often among them.
    .filter(({ url, binding }) => url !== main.url || binding !== main.binding);
  return main.url === '' ? others : [main, ...others];
}

function offeredIn(one: JsonObject, isDraft: boolean): OfferedInterface {
  const tenant = textIn(one, 'tenant');
  return {
    url: textIn(one, 'url'),
    binding: textIn(one, 'protocolBinding'),
    version: isDraft ? '' : textIn(one, 'protocolVersion'),
    ...(tenant !== '' && { tenant }),
  };
}

/** Only the draft has its versions at the top, as a list. */
function isOfDraft(document: JsonObject): boolean {
  return Array.isArray(document['protocolVersions']);
}

function schemesIn(document: JsonObject): readonly string[] {
  const requirements = document['securityRequirements'] ?? document['security'];
  if (!Array.isArray(requirements) || requirements.length === 0) return [];
  const names = (requirements as readonly JsonValue[]).filter(isJsonObject).flatMap((one) => {
    const inner = one['schemes'];
    return Object.keys(inner !== undefined && isJsonObject(inner) ? inner : one);
  });
  return [...new Set(names)];
}

function apiKeyHeaderIn(document: JsonObject): string | undefined {
  for (const scheme of Object.values(objectIn(document, 'securitySchemes')).filter(isJsonObject)) {
    const inner = scheme['apiKeySecurityScheme'];
    const {
      name,
      location,
      in: place,
    } = inner !== undefined && isJsonObject(inner) ? inner : scheme;
    const isHeader = (location ?? place) === 'header';
    if (isHeader && typeof name === 'string' && isHeaderName(name)) return name;
  }
  return undefined;
}

function textIn(object: JsonObject, name: string): string {
  const text = Object.hasOwn(object, name) ? object[name] : undefined;
  return typeof text === 'string' ? text : '';
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const inner = Object.hasOwn(object, name) ? object[name] : undefined;
  return inner !== undefined && isJsonObject(inner) ? inner : {};
}

function listIn(object: JsonObject, name: string): readonly JsonObject[] {
  const list = Object.hasOwn(object, name) ? object[name] : undefined;
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isJsonObject) : [];
}
