// Owns the guarded fetch: one request to one vetted host, nothing followed, nothing kept. What a stranger wrote into a
// document cannot turn it inwards. SPEC.md section 5.1 (#guarded-fetch).

import { isIP } from 'node:net';
import { TransportError } from '../../src/transport.ts';
import type { Deadline } from './deadline.ts';
import { orAbort, startDeadline } from './deadline.ts';
import type { CheckedRequest, Opened } from './exchange.ts';
import { assertPlain, checkRequest, connectionError, openExchange, readWhole } from './exchange.ts';
import type {
  GuardedFetch,
  GuardedFetchOptions,
  GuardedOpen,
  GuardedRequest,
  GuardedStream,
  HostAddress,
} from './options.ts';
import type { FetchAddress, Policy, Reach } from './policy.ts';
import { forbidden, parseAddress, reachOf, resolvePolicy } from './policy.ts';

export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const policy = resolvePolicy(options);
  return async (url, request = {}) => {
    const checked = checkRequest(request);
    const deadline = startDeadline(request.timeoutMs ?? policy.timeoutMs, request.signal);
    return whileOpen(deadline, async () => {
      try {
        const opened = await open(url, request, checked, policy, deadline);
        const { status, headers } = opened;
        const isRead = checked.wantsBody(status) && checked.method !== 'HEAD';
        const body = isRead ? await readWhole(opened, policy) : new Uint8Array();
        opened.request.destroy();
        return { status, headers, body };
      } finally {
        deadline.stop();
      }
    });
  };
}

/** For answers that are read while they come. */
export function createGuardedOpen(options: GuardedFetchOptions = {}): GuardedOpen {
  const policy = resolvePolicy(options);
  return async (url, request = {}) => {
    const checked = checkRequest(request);
    const deadline = startDeadline(request.timeoutMs ?? policy.timeoutMs, request.signal);
    try {
      const opened = await whileOpen(deadline, () => open(url, request, checked, policy, deadline));
      return streamOf(opened, deadline, policy);
    } catch (thrown) {
      deadline.stop();
      throw thrown;
    }
  };
}

/** A place that may be connected to, for who speaks something else than HTTP/1 there. */
export interface VettedPlace {
  readonly target: FetchAddress;
  /** At least one; no other may be connected to. */
  readonly addresses: readonly HostAddress[];
  /** Whom to trust, and what to show, where it is secure. */
  readonly secureContext: object;
}

/** The same judgement as of every request, without one. Throws a `TransportError`. */
export function createVetting(
  options: GuardedFetchOptions = {},
): (url: string, typedUrl: string | undefined, signal: AbortSignal) => Promise<VettedPlace> {
  const policy = resolvePolicy(options);
  const { secureContext } = policy;
  return async (url, typedUrl, signal) => ({
    ...(await vet(url, typedUrl, policy, signal)),
    secureContext,
  });
}

async function open(
  url: string,
  { typedUrl }: GuardedRequest,
  checked: CheckedRequest,
  policy: Policy,
  { signal }: Deadline,
): Promise<Opened> {
  const { target, addresses } = await vet(url, typedUrl, policy, signal);
  return openExchange(target, addresses, checked, policy, signal);
}

async function vet(
  url: string,
  typedUrl: string | undefined,
  policy: Policy,
  signal: AbortSignal,
): Promise<Pick<VettedPlace, 'target' | 'addresses'>> {
  const reach = reachOf(url, typedUrl, policy);
  const target = parseAddress(url, reach);
  signal.throwIfAborted();
  const addresses = await orAbort(resolveHost(target.host, reach, policy), signal);
  return { target, addresses };
}

function streamOf(opened: Opened, deadline: Deadline, policy: Policy): GuardedStream {
  const { status, headers, request, response } = opened;
  const close = (): void => {
    deadline.stop();
    request.destroy();
  };
  async function* pieces(idleMs: number): AsyncGenerator<Uint8Array> {
    try {
      assertPlain(response);
      deadline.restart(idleMs);
      for await (const piece of response as AsyncIterable<Uint8Array>) {
        // The time that its reader takes is not the server's.
        deadline.restart();
        yield piece;
        deadline.restart(idleMs);
      }
    } catch (thrown) {
      deadline.signal.throwIfAborted();
      throw connectionError(thrown, true);
    } finally {
      close();
    }
  }
  return {
    status,
    headers,
    whole: () => whileOpen(deadline, () => readWhole(opened, policy)).finally(close),
    pieces,
    close,
  };
}

/** After an abort the connection fails too: the abort is the real reason. */
async function whileOpen<T>({ signal }: Deadline, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown;
  }
}

/** The only look-up of a fetch. One address that is not allowed makes the whole answer invalid. */
async function resolveHost(
  host: string,
  reach: Reach,
  policy: Policy,
): Promise<readonly HostAddress[]> {
  const answers = isIP(host) === 0 ? await lookUp(host, policy) : [host];
  if (answers.length === 0) throw new TransportError('unreachable', 'the host has no address');
  if (!answers.every(reach.isAllowedAddress))
    throw forbidden('the host is not on the public network');
  return answers.map((address) => ({ address, family: isIP(address) === 4 ? 4 : 6 }));
}

async function lookUp(host: string, policy: Policy): Promise<readonly string[]> {
  try {
    return (await policy.lookup(host)).map(({ address }) => address);
  } catch (cause) {
    throw new TransportError('unreachable', 'the host could not be looked up', cause);
  }
}
