// Owns which schemes a card names for the callers that the operator has entered. SPEC.md section 21 (#a2a-card-security).

import type { CallerEntry, CallerProof } from '../../auth/index.ts';
import type { CardScheme, CardSecurity } from './security.ts';

export interface CallerSecurityOptions {
  /** The header that the face reads keys from. @default 'X-API-Key' */
  readonly apiKeyHeader?: string;
  /** The face lets in who shows nothing. @default false */
  readonly isOptional?: boolean;
  /** @default Date.now */
  readonly now?: () => number;
}

/** Tells how callers prove themselves, and nothing of who they are. `undefined` where nobody can. */
export function securityOf(
  entries: readonly CallerEntry[],
  options: CallerSecurityOptions = {},
): CardSecurity | undefined {
  const { apiKeyHeader = 'X-API-Key', isOptional = false, now = Date.now } = options;
  const nowMs = now();
  const active = entries.filter(
    ({ revoked = false, expiresAt = Infinity }) => !revoked && nowMs < expiresAt,
  );
  const schemes = new Map<string, CardScheme>();
  const issuers = new Map<string, string>();
  for (const { proof } of active) {
    const name = proof.scheme === 'jwt' ? issuerName(proof.issuer, issuers) : NAMES[proof.scheme];
    schemes.set(name, schemeOf(proof, apiKeyHeader));
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

function schemeOf(proof: CallerProof, apiKeyHeader: string): CardScheme {
  switch (proof.scheme) {
    case 'bearer':
      return { type: 'http', scheme: 'Bearer' };
    case 'basic':
      return { type: 'http', scheme: 'Basic' };
    case 'api-key':
      return { type: 'apiKey', location: 'header', name: apiKeyHeader };
    case 'certificate':
      return { type: 'mutualTLS' };
    default:
      // Who was given the address of the keys need not have a discovery document.
      return proof.jwksUrl === undefined
        ? { type: 'openIdConnect', url: discoveryUrl(proof.issuer) }
        : { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' };
  }
}

function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}
