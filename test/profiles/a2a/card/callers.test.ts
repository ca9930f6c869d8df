// What a card says of the callers that the operator has entered: how they prove themselves, and nothing of who they are.

import { describe, expect, test } from 'vitest';

import { securityOf } from '../../../../profiles/a2a/card/callers.ts';
import type { CallerEntry, CallerProof } from '../../../../profiles/auth/index.ts';

const sha256 = 'a'.repeat(64);
const entry = (
  name: string,
  proof: CallerProof,
  others: Partial<CallerEntry> = {},
): CallerEntry => ({
  name,
  proof,
  ...others,
});
const bearer = entry('ci', { scheme: 'bearer', secret: { sha256 } });
const issuer = (url: string, others = {}): CallerProof => ({
  scheme: 'jwt',
  issuer: url,
  audience: 'agent',
  ...others,
});

describe('#a2a-card-security the schemes of callers', () => {
  test('one for each way to prove oneself', () => {
    const security = securityOf([
      bearer,
      entry('cd', { scheme: 'bearer', secret: { sha256 } }),
      entry('key', { scheme: 'api-key', secret: { sha256 } }),
      entry('user', { scheme: 'basic', user: 'u', password: { hash: 'scrypt$' } }),
      entry('cert', { scheme: 'certificate', certificate: { sha256 } }),
      entry('jwt', issuer('https://one.example/')),
      entry('jwt again', issuer('https://one.example/', { subject: 's' })),
      entry('jwt two', issuer('https://two.example', { jwksUrl: 'https://two.example/keys' })),
    ]);
    expect(security).toEqual({
      schemes: {
        bearer: { type: 'http', scheme: 'Bearer' },
        apiKey: { type: 'apiKey', location: 'header', name: 'X-API-Key' },
        basic: { type: 'http', scheme: 'Basic' },
        mtls: { type: 'mutualTLS' },
        oidc: {
          type: 'openIdConnect',
          url: 'https://one.example/.well-known/openid-configuration',
        },
        'oidc-2': { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' },
      },
    });
    expect(JSON.stringify(security)).not.toMatch(/aaaa|scrypt|"ci"|"cert"/);
  });

  test('who cannot get in any more is not told of', () => {
    const now = (): number => 1_000;
    const gone = [
      { ...bearer, revoked: true },
      { ...bearer, expiresAt: 1_000 },
    ];
    expect(securityOf(gone, { now })).toBeUndefined();
    expect(securityOf([], { now })).toBeUndefined();
    expect(securityOf([{ ...bearer, expiresAt: 1_001 }], { now })).toHaveProperty('schemes.bearer');
  });

  test('the face says which header it reads, and whether it is open', () => {
    const key = entry('key', { scheme: 'api-key', secret: { sha256 } });
    expect(securityOf([key], { apiKeyHeader: 'Agent-Key', isOptional: true })).toEqual({
      schemes: { apiKey: { type: 'apiKey', location: 'header', name: 'Agent-Key' } },
      isOptional: true,
    });
  });
});
