// Owns what may be said about gRPC, and its defaults. SPEC.md section 20 (#a2a-grpc).

import type { TlsOptions } from '../../../transports/net/tls-options.ts';
import { checkTls } from '../../../transports/net/tls-options.ts';

export interface GrpcOptions {
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Encrypts it. With `ca` callers may prove themselves by certificates. */
  readonly tls?: TlsOptions;
  /**
   * Where others reach it, when that is not where it listens: behind a proxy, or bound to every address. Such as
   * `https://agent.example:443`.
   */
  readonly publicUrl?: string;
  /** For a request to be complete, from its first octet. @default 30000 */
  readonly requestTimeoutMs?: number;
  /** How long the other end may take to read a message. @default 60000 */
  readonly stalledWriteTimeoutMs?: number;
  /** Connections at once. @default 1024 */
  readonly maxConnections?: number;
  /** Connections at once from one address. @default 128 */
  readonly maxConnectionsPerAddress?: number;
  /** Calls at once on one connection. @default 256 */
  readonly maxCallsPerConnection?: number;
}

/** Checked and complete; what has no default may be missing. */
export type ResolvedGrpc = GrpcOptions & Required<Omit<GrpcOptions, 'tls' | 'publicUrl'>>;

const DEFAULTS = {
  host: '127.0.0.1',
  requestTimeoutMs: 30_000,
  stalledWriteTimeoutMs: 60_000,
  maxConnections: 1_024,
  maxConnectionsPerAddress: 128,
  maxCallsPerConnection: 256,
} as const;

const MAX_TIMER_MS = 2_147_483_647;
const MAX_COUNT = 1_000_000;
const MAX_PORT = 65_535;

export function resolveGrpc(options: GrpcOptions): ResolvedGrpc {
  const resolved = { ...DEFAULTS, ...options };
  const { host, publicUrl, tls } = resolved;
  if (typeof host !== 'string' || host === '') {
    throw new TypeError('"grpc.host" expected a name or an address to listen on');
  }
  checkInteger(resolved, 'port', 0, MAX_PORT);
  checkInteger(resolved, 'requestTimeoutMs', 1, MAX_TIMER_MS);
  checkInteger(resolved, 'stalledWriteTimeoutMs', 1, MAX_TIMER_MS);
  checkInteger(resolved, 'maxConnections', 1, MAX_COUNT);
  checkInteger(resolved, 'maxConnectionsPerAddress', 1, MAX_COUNT);
  checkInteger(resolved, 'maxCallsPerConnection', 1, MAX_COUNT);
  if (tls !== undefined) checkTls(tls);
  if (publicUrl !== undefined && !isOrigin(publicUrl)) {
    throw new TypeError('"grpc.publicUrl" expected an address such as "https://agent.example:443"');
  }
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
    throw new RangeError(`"grpc.${name}" expected an integer from ${min} to ${max}`);
  }
}

/** gRPC has no paths of its own. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#]+\/?$/.test(text) && URL.canParse(text);
}
