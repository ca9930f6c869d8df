// Owns which Host and Origin a request may carry, so that no web page reaches an agent through a browser.
// SPEC.md section 11 (#transport-http).

import type { IncomingMessage } from 'node:http';
import type { AccessRules } from '../access-rules.ts';

/** What is foreign about a request. */
type Foreign = 'host' | 'origin';

export type Access = (request: IncomingMessage) => Foreign | undefined;

export function createAccess(rules: AccessRules): Access {
  const hosts = new Set(rules.allowedHosts.map((host) => host.toLowerCase()));
  const origins = new Set(rules.allowedOrigins);
  return ({ headers: { host, origin } }) => {
    const name = (host ?? '').toLowerCase();
    if (!hosts.has(name) && !hosts.has(name.replace(/:\d+$/, ''))) return 'host';
    if (origin !== undefined && !origins.has(origin)) return 'origin';
    return undefined;
  };
}

const ANY_METHOD = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Tells the browser that a page of an allowed origin may send what the face takes, and read the answer. */
export function corsHeaders(
  origin: string,
  headers: readonly string[],
  methods: readonly string[] = ANY_METHOD,
): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': headers.join(', '),
    vary: 'origin',
  };
}

/** The names by which a listener is reached from the machine itself, and the one that it is bound to. */
export function ownHosts(host: string, port: number, defaultPort: number): string[] {
  const names = ['localhost', '127.0.0.1', '[::1]', bracketed(host)];
  return names.flatMap((name) =>
    port === defaultPort ? [name, `${name}:${port}`] : [`${name}:${port}`],
  );
}

/** A host as it stands in a URL. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
