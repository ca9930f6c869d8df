// Owns what may be said about speaking to agents of official A2A, and its defaults. SPEC.md section 20
// (#a2a-client-connect, #a2a-client-secrets, #a2a-client-streams).

import { wait } from '../../../src/client/index.ts';
import type { Limits } from '../../../src/transport.ts';
import { resolveLimits } from '../../../src/transport.ts';
import type { GuardedFetchOptions } from '../../../transports/fetch/index.ts';
import type { StreamCaps } from './bindings/binding.ts';
import type { BoundCredential } from './credentials/credential.ts';
import { assertCredentials } from './credentials/credential.ts';
import type { InterfaceWish } from './discovery/choose.ts';
import type { CardPin } from './discovery/proof.ts';

export interface A2aClientOptions {
  /** Secrets, each for one origin; a function is asked at every request. @default none */
  readonly credentials?: readonly BoundCredential[] | (() => readonly BoundCredential[]);
  /** What was agreed to of the agent whose card has this origin and address. @default nothing: whatever it publishes counts */
  readonly pin?: (origin: string, cardUrl: string) => CardPin | undefined;
  /** Only interfaces of this binding and version are used. @default the first that is usable */
  readonly prefer?: InterfaceWish;
  /** Further addresses that the operator typed: at their hosts private addresses are allowed. @default none */
  readonly typedUrls?: readonly string[];
  /** Authorities to trust beside those that Node ships, as PEM. @default none */
  readonly ca?: string;
  /** Extensions of the protocol that are asked for with every request, by their URIs. @default none */
  readonly extensions?: readonly string[];
  /** What a stream may cost. */
  readonly stream?: Partial<StreamCaps>;
  /** For one question that is answered at once. @default 30000 */
  readonly timeoutMs?: number;
  /** How often a question that changes nothing is asked again when the connection fails. @default 3 */
  readonly retries?: number;
  /** What answers may cost to read. @default DEFAULT_LIMITS */
  readonly limits?: Partial<Limits>;
  /** Name look-up, for tests. @default that of the system */
  readonly lookup?: NonNullable<GuardedFetchOptions['lookup']>;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** Resolves after so many milliseconds, or earlier when the signal aborts. @default real time */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface ResolvedClientOptions {
  readonly credentials: () => readonly BoundCredential[];
  /** What was agreed to of the agent with this card. */
  readonly pin: (cardUrl: string) => CardPin | undefined;
  readonly prefer: InterfaceWish;
  readonly typedUrls: readonly string[];
  readonly fetch: Pick<GuardedFetchOptions, 'ca' | 'lookup'>;
  readonly extensions: readonly string[];
  readonly caps: StreamCaps;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly limits: Limits;
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const IDLE_MS = 120_000;
const MAX_EVENTS = 100_000;
const MAX_STREAM_BYTES = 67_108_864;
const TIMEOUT_MS = 30_000;
const RETRIES = 3;

export function resolveClientOptions(options: A2aClientOptions = {}): ResolvedClientOptions {
  const { credentials = [], pin = () => undefined, prefer = {}, stream = {}, ca, lookup } = options;
  const { idleMs = IDLE_MS, maxEvents = MAX_EVENTS, maxStreamBytes = MAX_STREAM_BYTES } = stream;
  const given = typeof credentials === 'function' ? credentials : () => credentials;
  if (typeof credentials !== 'function') assertCredentials(credentials);
  const numbers = { idleMs, maxEvents, maxStreamBytes, timeoutMs: options.timeoutMs ?? TIMEOUT_MS };
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`"${name}" expected a whole number of at least 1`);
    }
  }
  for (const url of options.typedUrls ?? []) {
    if (!URL.canParse(url)) throw new TypeError('"typedUrls" expected URLs');
  }
  return {
    credentials: given,
    pin: (cardUrl) => pin(new URL(cardUrl).origin, cardUrl),
    prefer,
    typedUrls: [...(options.typedUrls ?? [])],
    fetch: { ...(ca !== undefined && { ca }), ...(lookup !== undefined && { lookup }) },
    extensions: [...(options.extensions ?? [])],
    caps: { idleMs, maxEvents, maxStreamBytes },
    timeoutMs: numbers.timeoutMs,
    retries: options.retries ?? RETRIES,
    limits: resolveLimits(options.limits),
    now: options.now ?? Date.now,
    wait: options.wait ?? wait,
  };
}
