// Owns what may be said about HTTP, and its defaults. SPEC.md section 11 (#transport-http, #transport-timeouts).

import type { AccessRules } from './access-rules.ts';
import { checkAccessRules } from './access-rules.ts';
import type { TlsOptions } from '../net/tls-options.ts';
import { checkTls } from '../net/tls-options.ts';

/** For every way to serve messages over HTTP, also inside another server. */
export interface HttpServiceOptions extends Partial<AccessRules> {
  /**
   * Where others reach the agent, when that is not where it listens: behind a proxy, or bound to every address. Its host
   * is allowed then. Such as `https://agent.example/a2a`.
   */
  readonly publicUrl?: string;
  /** Hosts that are allowed beside the own ones: `name` for every port, or `name:port`. @default [] */
  readonly allowedHosts?: readonly string[];
  /** Web origins whose pages may talk to the agent. @default [], no page may */
  readonly allowedOrigins?: readonly string[];
  /** Opens `/metrics` to clients that send this token; at least 16 characters. Without it there is no `/metrics`. */
  readonly adminToken?: string;
  /** How long the other end may take to read a piece of an answer. @default 60000 */
  readonly stalledWriteTimeoutMs?: number;
  /**
   * How long server-sent events may say nothing before a comment shows that they go on: so that no proxy takes them for
   * dead, and a client that has gone is noticed. @default 15000
   */
  readonly heartbeatIntervalMs?: number;
}

export interface HttpOptions extends HttpServiceOptions {
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0 takes any free one. @default 8787 */
  readonly port?: number;
  /** Makes it https. The same certificates are shown and trusted when dialing. */
  readonly tls?: TlsOptions;
  /** For the TLS handshake, and for the headers of a request. @default 10000 */
  readonly headersTimeoutMs?: number;
  /** For a request with its body; at least `headersTimeoutMs`. @default 30000 */
  readonly requestTimeoutMs?: number;
  /** For the next request on a connection. @default 30000 */
  readonly keepAliveTimeoutMs?: number;
  /** Connections at once. @default 1024 */
  readonly maxConnections?: number;
  /** Connections at once from one address. @default 128 */
  readonly maxConnectionsPerAddress?: number;
  /** When dialing: connections at once to one address. @default 256 */
  readonly maxSockets?: number;
}

/** Checked and complete; what has no default may be missing. */
export type ResolvedService = HttpServiceOptions &
  AccessRules &
  Required<Pick<HttpServiceOptions, 'stalledWriteTimeoutMs' | 'heartbeatIntervalMs'>>;
export type ResolvedHttp = ResolvedService &
  HttpOptions &
  Required<Omit<HttpOptions, keyof HttpServiceOptions | 'tls'>>;

const SERVICE_DEFAULTS = {
  allowedHosts: [],
  allowedOrigins: [],
  stalledWriteTimeoutMs: 60_000,
  heartbeatIntervalMs: 15_000,
} as const;

const DEFAULTS = {
  ...SERVICE_DEFAULTS,
  host: '127.0.0.1',
  port: 8_787,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 30_000,
  maxConnections: 1_024,
  maxConnectionsPerAddress: 128,
  maxSockets: 256,
} as const;

const MAX_TIMER_MS = 2_147_483_647;
const MIN_TOKEN_LENGTH = 16;

export function resolveService(options: HttpServiceOptions): ResolvedService {
  const resolved = { ...SERVICE_DEFAULTS, ...options };
  checkAccessRules(resolved);
  checkInteger(resolved, 'stalledWriteTimeoutMs', 1, MAX_TIMER_MS);
  checkInteger(resolved, 'heartbeatIntervalMs', 1, MAX_TIMER_MS);
  const { adminToken, publicUrl } = resolved;
  if (adminToken !== undefined && !(adminToken.length >= MIN_TOKEN_LENGTH)) {
    throw new RangeError(`"adminToken" expected at least ${MIN_TOKEN_LENGTH} characters`);
  }
  if (publicUrl !== undefined && !isHttpUrl(publicUrl)) {
    throw new TypeError('"publicUrl" expected an address such as "https://agent.example/a2a"');
  }
  return Object.freeze(resolved);
}

export function resolveHttp(options: HttpOptions): ResolvedHttp {
  const resolved = { ...DEFAULTS, ...options, ...resolveService(options) };
  if (typeof resolved.host !== 'string' || resolved.host === '') {
    throw new TypeError('"host" expected a name or an address to listen on');
  }
  checkInteger(resolved, 'port', 0, 65_535);
  checkInteger(resolved, 'headersTimeoutMs', 1, MAX_TIMER_MS);
  checkInteger(resolved, 'requestTimeoutMs', resolved.headersTimeoutMs, MAX_TIMER_MS);
  checkInteger(resolved, 'keepAliveTimeoutMs', 1, MAX_TIMER_MS);
  checkInteger(resolved, 'maxConnections', 1, 1_000_000);
  checkInteger(resolved, 'maxConnectionsPerAddress', 1, 1_000_000);
  checkInteger(resolved, 'maxSockets', 1, 65_535);
  if (resolved.tls !== undefined) checkTls(resolved.tls);
  return Object.freeze(resolved);
}

function checkInteger<Name extends string>(
  options: { readonly [name in Name]: number },
  name: Name,
  min: number,
  max: number,
): void {
  const value = options[name];
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw new RangeError(`"${name}" expected an integer from ${min} to ${max}`);
  }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
