// Owns what a caller shows, read: one credential decides, and nothing falls back to a weaker one.

import type { Shown } from '../../src/transport.ts';

export type Credential =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  | { readonly kind: 'api-key'; readonly key: string }
  | { readonly kind: 'certificate'; readonly sha256: string }
  | { readonly kind: 'local' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unreadable' };

const MAX_LENGTH = 16_384;
const AUTHORIZATION = /^([A-Za-z][A-Za-z0-9-]{0,31}) +(\S+)$/;

/** What was chosen for this request counts before what belongs to the connection. */
export function credentialIn(shown: Shown): Credential {
  const { authorization, apiKey, certificate, isLocalOwner = false } = shown;
  if (authorization !== undefined) return readAuthorization(authorization);
  if (apiKey !== undefined) {
    return apiKey.length > MAX_LENGTH ? { kind: 'unreadable' } : { kind: 'api-key', key: apiKey };
  }
  if (certificate !== undefined) return { kind: 'certificate', sha256: certificate };
  return isLocalOwner ? { kind: 'local' } : { kind: 'nothing' };
}

function readAuthorization(value: string): Credential {
  if (value.length > MAX_LENGTH) return { kind: 'unreadable' };
  const [, scheme = '', text = ''] = AUTHORIZATION.exec(value) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { kind: 'bearer', token: text };
    case 'basic':
      return readBasic(text);
    default:
      return { kind: 'unreadable' };
  }
}

function readBasic(text: string): Credential {
  const decoded = Buffer.from(text, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) return { kind: 'unreadable' };
  return { kind: 'basic', user: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
