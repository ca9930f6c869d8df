// Owns what a schema fetch may touch: options become a policy, a URI becomes a target or is refused. SPEC.md section 5.1 (#schema-uri).

import { X509Certificate } from 'node:crypto';
import { lookup as lookupName } from 'node:dns/promises';
import type { SecureContext } from 'node:tls';
import { createSecureContext, rootCertificates } from 'node:tls';
import { SdlError } from '../../src/transport.ts';
import { createAddressCheck } from './public-address.ts';
import type { HostAddress, SchemaFetchOptions } from './options.ts';

/** Options, checked and completed. */
export interface Policy {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly protocols: readonly string[];
  readonly ports: readonly number[];
  readonly isAllowedAddress: (address: string) => boolean;
  readonly lookup: (host: string) => Promise<readonly HostAddress[]>;
  readonly secureContext: SecureContext;
}

/** Where a URI leads. */
export interface FetchAddress {
  readonly isSecure: boolean;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

const MAX_URI_LENGTH = 2_048;
const MAX_BYTES_CEILING = 268_435_456;
/** Beyond it `setTimeout` fires at once. */
const MAX_TIMEOUT_MS = 2_147_483_647;
const OPTION_NAMES: readonly string[] = [
  'maxBytes',
  'timeoutMs',
  'allowHttp',
  'allowRanges',
  'ports',
  'lookup',
  'ca',
] satisfies (keyof SchemaFetchOptions)[];

/** The one error of a fetch. */
export function refusal(reason: string, cause?: unknown): SdlError {
  return new SdlError('SCHEMA_URI', reason, { cause });
}

export function resolvePolicy(options: SchemaFetchOptions): Policy {
  for (const name of Object.keys(options)) {
    if (!OPTION_NAMES.includes(name)) throw new TypeError(`"${name}" is not an option`);
  }
  const { maxBytes = 262_144, timeoutMs = 5_000, allowHttp = false, allowRanges = [] } = options;
  if (typeof allowHttp !== 'boolean') throw new TypeError('"allowHttp" expected a boolean');
  const { ports = allowHttp ? [443, 80] : [443], lookup = defaultLookup, ca } = options;
  assertInteger('maxBytes', maxBytes, MAX_BYTES_CEILING);
  assertInteger('timeoutMs', timeoutMs, MAX_TIMEOUT_MS);
  if (!Array.isArray(ports)) throw new TypeError('"ports" expected an array');
  for (const [index, port] of ports.entries()) assertInteger(`ports[${index}]`, port, 65_535);
  if (typeof lookup !== 'function') throw new TypeError('"lookup" expected a function');
  return {
    maxBytes,
    timeoutMs,
    protocols: allowHttp ? ['https:', 'http:'] : ['https:'],
    ports: [...ports],
    isAllowedAddress: createAddressCheck(allowRanges),
    lookup,
    secureContext: createTrust(ca),
  };
}

function assertInteger(name: string, value: unknown, max: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > max) {
    throw new RangeError(`"${name}" expected an integer from 1 to ${max}`);
  }
}

function defaultLookup(host: string): Promise<readonly HostAddress[]> {
  return lookupName(host, { all: true }) as Promise<readonly HostAddress[]>;
}

function createTrust(ca: string | undefined): SecureContext {
  // Set here explicitly, because a command line flag of Node can lower the default.
  const minVersion = 'TLSv1.2';
  if (ca === undefined) return createSecureContext({ minVersion });
  if (!isPem(ca)) throw new TypeError('"ca" expected PEM certificates');
  return createSecureContext({ minVersion, ca: [...rootCertificates, ca] });
}

function isPem(text: unknown): boolean {
  try {
    return typeof text === 'string' && new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}

/** Reads the URI and refuses what is not plainly a document on an allowed port. */
export function parseAddress(uri: string, policy: Policy): FetchAddress {
  if (uri.length > MAX_URI_LENGTH) {
    throw refusal(`the URI has more than ${MAX_URI_LENGTH} characters`);
  }
  // The URL parser drops some of these characters and rewrites others; then two readers could see two hosts.
  if (!/^[\x21-\x5b\x5d-\x7e]*$/.test(uri))
    throw refusal('the URI has a character that is not allowed');
  if (!URL.canParse(uri)) throw refusal('the URI is not well formed');
  const url = new URL(uri);
  if (!policy.protocols.includes(url.protocol)) throw refusal('the URI scheme is not allowed');
  // From the text: the URL parser does not tell an empty user-info or fragment from none.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(uri)?.[1];
  if (authority === undefined) throw refusal('the URI names no host');
  if (authority.includes('@')) throw refusal('the URI has user-info');
  if (uri.includes('#')) throw refusal('the URI has a fragment');
  const isSecure = url.protocol === 'https:';
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  if (!policy.ports.includes(port)) throw refusal('the port of the URI is not allowed');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { isSecure, host, port, path: url.pathname + url.search };
}
