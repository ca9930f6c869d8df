// Owns how a card says who may call: the schemes of 1.0 and of 0.3, and which of them are asked for.
// SPEC.md section 21 (#a2a-card-security).

import type { JsonObject } from '../../../src/codec/index.ts';
import { present, requireFull } from './empty.ts';

/** How a caller proves who it is. */
export type CardScheme = { readonly description?: string } & (
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
  | {
      readonly type: 'apiKey';
      readonly location: 'header' | 'query' | 'cookie';
      readonly name: string;
    }
  | { readonly type: 'oauth2'; readonly flows: CardFlow; readonly metadataUrl?: string }
  | { readonly type: 'openIdConnect'; readonly url: string }
  | { readonly type: 'mutualTLS' }
);

interface FlowUrls {
  readonly tokenUrl: string;
  readonly refreshUrl?: string;
  /** Name to meaning; at least one. */
  readonly scopes: Readonly<Record<string, string>>;
}

/** 1.0 takes one flow a scheme. */
type CardFlow =
  | { readonly clientCredentials: FlowUrls }
  | {
      readonly authorizationCode: FlowUrls & {
        readonly authorizationUrl: string;
        /** @default false */
        readonly pkceRequired?: boolean;
      };
    };

/** All of these schemes together, each with the scopes or roles that it needs; an empty list stands for the usual ones. */
export type CardRequirement = Readonly<Record<string, readonly string[]>>;

export interface CardSecurity {
  readonly schemes: Readonly<Record<string, CardScheme>>;
  /** Any one of them is enough. @default each scheme alone */
  readonly requirements?: readonly CardRequirement[];
  /** Who shows nothing is let in too: then nothing is asked for. @default false */
  readonly isOptional?: boolean;
}

/** A scheme as both versions write it; the members have no name in common. */
interface SchemeForms {
  readonly current: JsonObject;
  readonly legacy: JsonObject;
}

/** The role of who has proven itself by something without scopes. An empty list would be an empty value. */
const ROLE = 'caller';
const CERTIFICATE = 'A client certificate that the operator of this agent has entered.';

export function schemeForms(scheme: CardScheme, path: string): SchemeForms {
  const { type } = scheme;
  const description = scheme.description ?? '';
  switch (type) {
    case 'http': {
      const { bearerFormat } = scheme;
      const named = present({ description, scheme: full(scheme.scheme, path), bearerFormat });
      return { current: { httpAuthSecurityScheme: named }, legacy: { type, ...named } };
    }
    case 'apiKey': {
      const { location } = scheme;
      const named = present({ description, name: full(scheme.name, path) });
      return {
        current: { apiKeySecurityScheme: { ...named, location } },
        legacy: { type, ...named, in: location },
      };
    }
    case 'oauth2': {
      const flows = flowForm(scheme.flows, path);
      const named = present({ description, oauth2MetadataUrl: scheme.metadataUrl, flows });
      return { current: { oauth2SecurityScheme: named }, legacy: { type, ...named } };
    }
    case 'openIdConnect': {
      const named = present({ description, openIdConnectUrl: full(scheme.url, path) });
      return { current: { openIdConnectSecurityScheme: named }, legacy: { type, ...named } };
    }
    default: {
      const named = { description: description || CERTIFICATE };
      return { current: { mtlsSecurityScheme: named }, legacy: { type, ...named } };
    }
  }
}

/** 0.3 does not know `pkceRequired`, and passes it over. */
function flowForm(flows: CardFlow, path: string): JsonObject {
  if ('clientCredentials' in flows) {
    return { clientCredentials: urlsOf(flows.clientCredentials, path) };
  }
  const { authorizationUrl, pkceRequired = false } = flows.authorizationCode;
  return {
    authorizationCode: {
      authorizationUrl: full(authorizationUrl, path),
      ...urlsOf(flows.authorizationCode, path),
      // False is what is meant where nothing is said.
      ...(pkceRequired && { pkceRequired }),
    },
  };
}

function urlsOf({ tokenUrl, refreshUrl, scopes }: FlowUrls, path: string): JsonObject {
  return present({ tokenUrl: full(tokenUrl, path), refreshUrl, scopes: full(scopes, path) });
}

function full<T extends string | JsonObject>(value: T, path: string): T {
  return requireFull(value, path);
}

/** What is asked for, with the scopes in words. */
export function requirementsOf(security: CardSecurity | undefined): readonly CardRequirement[] {
  if (security === undefined || security.isOptional === true) return [];
  const { schemes } = security;
  const asked = security.requirements ?? Object.keys(schemes).map((name) => ({ [name]: [] }));
  return resolveRequirements(asked, schemes, 'security.requirements');
}

/** Throws a TypeError for a scheme that nobody described. */
export function resolveRequirements(
  requirements: readonly CardRequirement[],
  schemes: CardSecurity['schemes'],
  path: string,
): readonly CardRequirement[] {
  return requirements.map((requirement, at) => {
    const entries = Object.entries(requirement).map(([name, scopes]) => {
      const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
      if (scheme === undefined) {
        throw new TypeError(`"${path}[${at}]" names the scheme "${name}", which is not there`);
      }
      return [name, scopes.length === 0 ? usualScopes(scheme) : scopes] as const;
    });
    return requireFull(Object.fromEntries(entries), `${path}[${at}]`);
  });
}

function usualScopes(scheme: CardScheme): readonly string[] {
  switch (scheme.type) {
    case 'openIdConnect':
      return ['openid'];
    case 'oauth2':
      return Object.values(scheme.flows).flatMap(({ scopes }: FlowUrls) => Object.keys(scopes));
    default:
      return [ROLE];
  }
}

/** As 1.0 writes a requirement. */
export function requirementForm(requirement: CardRequirement): JsonObject {
  const lists = Object.entries(requirement).map(([name, list]) => [name, { list }] as const);
  return { schemes: Object.fromEntries(lists) };
}
