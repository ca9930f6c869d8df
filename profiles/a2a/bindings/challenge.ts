// Owns what HTTP says to who was not let in: which schemes would be taken, and that a token says too little.
// SPEC.md section 20 (#a2a-callers).

import type { CallerScheme, Principal } from '../../../src/transport.ts';

const REALM = 'realm="a2a"';
const BEARER = `Bearer ${REALM}`;

/** A certificate is asked for by TLS, not by HTTP. */
const CHALLENGES: Readonly<Record<CallerScheme['scheme'], string | undefined>> = {
  bearer: BEARER,
  jwt: BEARER,
  basic: `Basic ${REALM}, charset="UTF-8"`,
  'api-key': `ApiKey ${REALM}, header="X-API-Key"`,
  certificate: undefined,
};

/** Each once, tokens first. There is always one: a client that is told nothing cannot know that it is to show something. */
export function challengeFor(schemes: readonly CallerScheme[]): string {
  const known = Object.entries(CHALLENGES)
    .filter(([name]) => schemes.some(({ scheme }) => scheme === name))
    .flatMap(([, challenge]) => challenge ?? []);
  return known.length === 0 ? BEARER : [...new Set(known)].join(', ');
}

/** Of who was let in and may not do this; `undefined` where it showed no token. RFC 6750, section 3.1. */
export function scopeChallengeFor({ scheme }: Principal): string | undefined {
  return scheme === 'bearer' || scheme === 'jwt'
    ? `${BEARER}, error="insufficient_scope"`
    : undefined;
}
