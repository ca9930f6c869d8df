// Owns which schemes a card names for the callers of the agent. SPEC.md section 21 (#a2a-card-security).

import type { CallerScheme, CallerSchemes } from '../../../src/transport.ts';
import type { CallerEntry } from '../../auth/index.ts';
import { schemesOf } from '../../auth/index.ts';
import type { CardScheme, CardSecurity } from './security.ts';

export interface CallerSecurityOptions {
  /** The header that the face reads keys from. @default 'X-API-Key' */
  readonly apiKeyHeader?: string;
  /** The face lets in who shows nothing. @default false */
  readonly isOptional?: boolean;
  /** @default Date.now */
  readonly now?: () => number;
}

/** For the option `security`, where the runtime does not know the callers by itself. `undefined` where there are none. */
export function securityOf(
  entries: readonly CallerEntry[],
  options: CallerSecurityOptions = {},
): CardSecurity | undefined {
  const { apiKeyHeader, isOptional = false, now = Date.now } = options;
  return securityFor({ schemes: schemesOf(entries, now()), isOptional }, apiKeyHeader);
}

/** Tells how callers prove themselves, and nothing of who they are. `undefined` where nobody can. */
export function securityFor(
  { schemes: ways, isOptional }: CallerSchemes,
  apiKeyHeader = 'X-API-Key',
): CardSecurity | undefined {
  const schemes = new Map<string, CardScheme>();
  const issuers = new Map<string, string>();
  for (const way of ways) {
    const name = way.scheme === 'jwt' ? issuerName(way.issuer, issuers) : NAMES[way.scheme];
    schemes.set(name, schemeOf(way, apiKeyHeader));
  }
  if (schemes.size === 0) return undefined;
  return { schemes: Object.fromEntries(schemes), ...(isOptional && { isOptional }) };
}

const NAMES = {
  bearer: 'bearer',
  'api-key': 'apiKey',
  basic: 'basic',
  certificate: 'mtls',
} as const;

function issuerName(issuer: string, issuers: Map<string, string>): string {
  const name = issuers.get(issuer) ?? (issuers.size === 0 ? 'oidc' : `oidc-${issuers.size + 1}`);
  issuers.set(issuer, name);
  return name;
}

function schemeOf(way: CallerScheme, apiKeyHeader: string): CardScheme {
  switch (way.scheme) {
    case 'bearer':
      return { type: 'http', scheme: 'Bearer' };
    case 'basic':
      return { type: 'http', scheme: 'Basic' };
    case 'api-key':
      return { type: 'apiKey', location: 'header', name: apiKeyHeader };
    case 'certificate':
      return { type: 'mutualTLS' };
    default:
      return way.hasDiscovery
        ? { type: 'openIdConnect', url: discoveryUrl(way.issuer) }
        : { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' };
  }
}

function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}
