// Owns the origin that a user writes: scheme, host and port, and nothing else.

import { usageError } from '../kit/exit.ts';

/** Throws with the origin that was probably meant. */
export function requireOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url !== undefined && /^https?:$/.test(url.protocol);
  if (isHttp && (text === url.origin || text === `${url.origin}/`)) return url.origin;
  const meant = isHttp && url.username === '' && url.password === '' ? url.origin : undefined;
  throw usageError(
    'a secret is for an origin: https://, a host, and a port where it is not the usual one',
    meant === undefined ? 'such as https://agent.example' : `did you mean ${meant}?`,
  );
}
