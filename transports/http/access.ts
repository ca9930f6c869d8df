// Owns which Host and Origin a request may carry, so that no web page reaches an agent through a browser.
// SPEC.md section 11 (#transport-http).

import type { IncomingMessage, ServerResponse } from 'node:http';

export interface AccessRules {
  /** `name` allows every port of it, `name:port` that port only; IPv6 addresses in brackets. */
  readonly allowedHosts: readonly string[];
  /** Whole origins, such as `https://console.example`. */
  readonly allowedOrigins: readonly string[];
}

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

/** Tells the browser that a page of an allowed origin may send what a message needs, and read the answer. */
export function shareWith(
  origin: string,
  response: ServerResponse,
  methods: readonly string[],
): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-methods', methods.join(', '));
  response.setHeader('access-control-allow-headers', 'accept, content-type, last-event-id');
  response.setHeader('vary', 'origin');
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

export function checkAccessRules(rules: Partial<AccessRules>): void {
  for (const host of rules.allowedHosts ?? []) {
    if (!/^(\[[0-9a-f:.]+\]|[^\s/@:[\]]+)(:\d+)?$/i.test(host)) {
      throw new TypeError('"allowedHosts" expected names such as "agent.example" or "name:port"');
    }
  }
  for (const origin of rules.allowedOrigins ?? []) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new TypeError('"allowedOrigins" expected origins such as "https://console.example"');
    }
  }
}
