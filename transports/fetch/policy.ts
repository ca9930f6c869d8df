// Owns what a guarded fetch may touch: options become a policy, a URL becomes a target or is refused.
// SPEC.md section 5.1 (#guarded-fetch).

import { X509Certificate } from 'node:crypto';
import { lookup as lookupName } from 'node:dns/promises';
import { createSecureContext, rootCertificates } from 'node:tls';
import { TransportError } from '../../src/transport.ts';
import { checkTls } from '../net/tls-options.ts';
import { LOOPBACK_RANGES, PRIVATE_RANGES, createAddressCheck } from './public-address.ts';
import type { GuardedFetchOptions, HostAddress } from './options.ts';

/** Options, checked and completed. */
export interface Policy extends Reach {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** At the host of a URL that the operator typed. */
  readonly typed: Omit<Reach, 'protocols'>;
  readonly lookup: (host: string) => Promise<readonly HostAddress[]>;
  /** A SecureContext: no declaration of ours names types of Node. */
  readonly secureContext: object;
}

/** How far a fetch may go. */
export interface Reach {
  readonly protocols: readonly string[];
  readonly isAllowedPort: (port: number) => boolean;
  readonly isAllowedAddress: (address: string) => boolean;
}

/** Where a URL leads. */
export interface FetchAddress {
  readonly isSecure: boolean;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

const MAX_URL_LENGTH = 2_048;
const MAX_BYTES_CEILING = 268_435_456;
/** Beyond it `setTimeout` fires at once. */
const MAX_TIMEOUT_MS = 2_147_483_647;
const OPTION_NAMES: readonly string[] = [
  'maxBytes',
  'timeoutMs',
  'allowHttp',
  'allowLoopback',
  'allowRanges',
  'ports',
  'lookup',
  'ca',
  'clientCertificate',
] satisfies (keyof GuardedFetchOptions)[];

/** The URL may not be used, whatever is behind it. */
export function forbidden(reason: string): TransportError {
  return new TransportError('forbidden', reason);
}

export function resolvePolicy(options: GuardedFetchOptions): Policy {
  for (const name of Object.keys(options)) {
    if (!OPTION_NAMES.includes(name)) throw new TypeError(`"${name}" is not an option`);
  }
  const { allowLoopback = false, allowHttp = allowLoopback, allowRanges = [] } = options;
  assertBoolean('allowLoopback', allowLoopback);
  assertBoolean('allowHttp', allowHttp);
  const { maxBytes = 262_144, timeoutMs = 5_000, lookup = defaultLookup, ca } = options;
  assertInteger('maxBytes', maxBytes, MAX_BYTES_CEILING);
  assertInteger('timeoutMs', timeoutMs, MAX_TIMEOUT_MS);
  if (typeof lookup !== 'function') throw new TypeError('"lookup" expected a function');
  return {
    maxBytes,
    timeoutMs,
    protocols: allowHttp ? ['https:', 'http:'] : ['https:'],
    isAllowedPort: portCheck(options.ports, allowHttp, allowLoopback),
    isAllowedAddress: createAddressCheck(allowRanges, allowLoopback ? LOOPBACK_RANGES : []),
    typed: {
      isAllowedPort: () => true,
      isAllowedAddress: createAddressCheck(allowRanges, PRIVATE_RANGES),
    },
    lookup,
    secureContext: createTrust(ca, options.clientCertificate),
  };
}

function portCheck(
  ports: GuardedFetchOptions['ports'],
  allowHttp: boolean,
  allowLoopback: boolean,
): Reach['isAllowedPort'] {
  if (allowLoopback && (ports === undefined || ports === 'web')) return () => true;
  if (ports === 'web') return (port) => port === 80 || port === 443 || port >= 1_024;
  const allowed = ports ?? (allowHttp ? [443, 80] : [443]);
  if (!Array.isArray(allowed)) throw new TypeError('"ports" expected an array');
  for (const [index, port] of allowed.entries()) assertInteger(`ports[${index}]`, port, 65_535);
  const copy = new Set<number>(allowed);
  return (port) => copy.has(port);
}

function assertBoolean(name: string, value: unknown): void {
  if (typeof value !== 'boolean') throw new TypeError(`"${name}" expected a boolean`);
}

function assertInteger(name: string, value: unknown, max: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > max) {
    throw new RangeError(`"${name}" expected an integer from 1 to ${max}`);
  }
}

function defaultLookup(host: string): Promise<readonly HostAddress[]> {
  return lookupName(host, { all: true }) as Promise<readonly HostAddress[]>;
}

function createTrust(
  ca: string | undefined,
  shown: GuardedFetchOptions['clientCertificate'],
): object {
  if (ca !== undefined && !isPem(ca)) throw new TypeError('"ca" expected PEM certificates');
  if (shown !== undefined) checkTls(shown);
  return createSecureContext({
    // Set here explicitly, because a command line flag of Node can lower the default.
    minVersion: 'TLSv1.2',
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
    ...(shown !== undefined && { cert: shown.cert, key: shown.key }),
  });
}

function isPem(text: unknown): boolean {
  try {
    return typeof text === 'string' && new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}

/** How far this URL may lead: further at the host that the operator typed. */
export function reachOf(url: string, typedUrl: string | undefined, policy: Policy): Reach {
  if (typedUrl === undefined) return policy;
  if (!URL.canParse(typedUrl)) throw new TypeError('"typedUrl" expected a URL');
  const typed = new URL(typedUrl);
  if (!URL.canParse(url) || new URL(url).hostname !== typed.hostname) return policy;
  // A document that came over TLS must not lead to a place without it.
  const protocols = typed.protocol === 'http:' ? ['https:', 'http:'] : policy.protocols;
  return { protocols, ...policy.typed };
}

/** Reads the URL and refuses what is not plainly a place on an allowed port. */
export function parseAddress(url: string, reach: Reach): FetchAddress {
  if (url.length > MAX_URL_LENGTH) {
    throw forbidden(`the URI has more than ${MAX_URL_LENGTH} characters`);
  }
  // The URL parser drops some of these characters and rewrites others; then two readers could see two hosts.
  if (!/^[\x21-\x5b\x5d-\x7e]*$/.test(url))
    throw forbidden('the URI has a character that is not allowed');
  if (!URL.canParse(url)) throw forbidden('the URI is not well formed');
  const parsed = new URL(url);
  if (!reach.protocols.includes(parsed.protocol)) throw forbidden('the URI scheme is not allowed');
  // From the text: the URL parser does not tell an empty user-info or fragment from none.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1];
  if (authority === undefined) throw forbidden('the URI names no host');
  if (authority.includes('@')) throw forbidden('the URI has user-info');
  if (url.includes('#')) throw forbidden('the URI has a fragment');
  const isSecure = parsed.protocol === 'https:';
  const port = parsed.port === '' ? (isSecure ? 443 : 80) : Number(parsed.port);
  if (!reach.isAllowedPort(port)) throw forbidden('the port of the URI is not allowed');
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1');
  return { isSecure, host, port, path: parsed.pathname + parsed.search };
}
