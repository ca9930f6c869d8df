// Owns what the user of the client can set, and how addresses are written. SPEC.md section 19 (#swp-client).

import { isAbsolute } from 'node:path';
import type { TlsOptions } from '../../../transports/net/tls-options.ts';
import { checkTls } from '../../../transports/net/tls-options.ts';
import { isLoopback } from '../face/options.ts';
import type { SwpRefusal } from '../wire/refusal.ts';
import type { SwpLimits } from '../wire/rules.ts';

export interface SwpClientOptions extends SwpLimits {
  /** Certificates: those that may vouch for the other end, and what we show. @default no TLS, on loopback only */
  readonly tls?: TlsOptions;
  /** What we say of ourselves, in a Handshake on each connection. @default nothing */
  readonly handshake?: { readonly agentId: string; readonly capabilities?: readonly string[] };
  /** Frames that we send on one connection in a second: more wait. 0 for as many as there are. @default 128 */
  readonly peerFramesPerSecond?: number;
  /** For a connection to come about. @default 10000 */
  readonly connectTimeoutMs?: number;
  /** After a lost connection others are tried for so long. @default 60000 */
  readonly reconnectForMs?: number;
  /** Told of what the other end sent and we did not take. @default nobody is told */
  readonly onRefused?: (refusal: SwpRefusal, taskId: Uint8Array | undefined) => void;
}

export type SwpPlace = { readonly path: string } | { readonly host: string; readonly port: number };

/** `HOST:PORT`, `[::1]:PORT` or `unix:PATH`. */
export function parseSwpAddress(address: string): SwpPlace {
  if (address.startsWith('unix:')) {
    const path = address.slice('unix:'.length);
    if (isAbsolute(path) && !path.includes('\0')) return { path };
  }
  const match = /^(?:\[([^\]]+)\]|([^:[\]/]+)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (match !== null && port > 0 && port <= 65_535) return { host: match[1] ?? match[2]!, port };
  throw new TypeError('"address" expected HOST:PORT or unix:PATH with an absolute path');
}

/** Plain octets are for this machine alone. */
export function checkSecure(place: SwpPlace, tls: TlsOptions | undefined): void {
  if (tls !== undefined) {
    checkTls(tls);
    return;
  }
  if ('path' in place || isLoopback(place.host)) return;
  throw new TypeError('"tls" expected: without it only this machine is spoken to');
}
