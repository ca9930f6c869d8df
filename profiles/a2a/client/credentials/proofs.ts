// Owns the headers and certificates that go out with a request: those of its own origin, read anew each time.
// SPEC.md section 20 (#a2a-client-secrets).

import type { GuardedFetch } from '../../../../transports/fetch/index.ts';
import type { BoundCredential } from './credential.ts';
import { credentialsAt } from './credential.ts';
import { TokenSource } from './oauth2.ts';

export interface Proofs {
  /** The headers for a request to this address. @param refused what they were when it was refused. */
  headersFor(
    url: string,
    options: { readonly signal: AbortSignal; readonly refused?: Headers; readonly apiKey?: string },
  ): Promise<Headers>;
  /** What is shown to TLS there. */
  certificateFor(url: string): { readonly cert: string; readonly key: string } | undefined;
  /** Would another try show something else than this one did? */
  canRenew(url: string): boolean;
}

type Headers = Readonly<Record<string, string>>;

const USUAL_HEADER = 'X-API-Key';

/** @param credentials asked at every request: they may have changed. */
export function createProofs(
  credentials: () => readonly BoundCredential[],
  fetchToken: GuardedFetch,
  now: () => number,
): Proofs {
  const sources = new Map<string, TokenSource>();

  function sourceOf(
    credential: Extract<BoundCredential, { readonly scheme: 'oauth2' }>,
  ): TokenSource {
    const { origin, tokenUrl, clientId, clientSecret, scope = '' } = credential;
    const key = JSON.stringify([origin, tokenUrl, clientId, clientSecret, scope]);
    const known = sources.get(key) ?? new TokenSource(credential, fetchToken, now);
    sources.set(key, known);
    return known;
  }

  return {
    async headersFor(url, { signal, refused, apiKey = USUAL_HEADER }) {
      const headers: Record<string, string> = {};
      for (const credential of credentialsAt(url, credentials())) {
        switch (credential.scheme) {
          case 'bearer':
            headers['authorization'] = `Bearer ${credential.token}`;
            break;
          case 'basic': {
            const pair = `${credential.user}:${credential.password}`;
            headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
            break;
          }
          case 'api-key':
            headers[(credential.header ?? apiKey).toLowerCase()] = credential.key;
            break;
          case 'oauth2': {
            const old = refused?.['authorization']?.replace(/^Bearer /, '');
            headers['authorization'] = `Bearer ${await sourceOf(credential).get(signal, old)}`;
            break;
          }
          case 'certificate':
            break;
        }
      }
      return headers;
    },
    certificateFor: (url) => {
      const shown = credentialsAt(url, credentials()).find(
        ({ scheme }) => scheme === 'certificate',
      );
      return shown?.scheme === 'certificate' ? { cert: shown.cert, key: shown.key } : undefined;
    },
    canRenew: (url) => credentialsAt(url, credentials()).some(({ scheme }) => scheme === 'oauth2'),
  };
}
