// Owns the guarded fetch: one request to one vetted host, nothing followed, nothing kept. What a stranger wrote into a
// document cannot turn it inwards. SPEC.md section 5.1 (#guarded-fetch).

import { isIP } from 'node:net';
import { TransportError } from '../../src/transport.ts';
import { orAbort, startDeadline } from './deadline.ts';
import { checkRequest, exchange } from './exchange.ts';
import type { GuardedFetch, GuardedFetchOptions, HostAddress } from './options.ts';
import type { Policy, Reach } from './policy.ts';
import { forbidden, parseAddress, reachOf, resolvePolicy } from './policy.ts';

export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const policy = resolvePolicy(options);
  return async (url, request = {}) => {
    const checked = checkRequest(request);
    const reach = reachOf(url, request.typedUrl, policy);
    const target = parseAddress(url, reach);
    const { signal, stop } = startDeadline(policy.timeoutMs, request.signal);
    try {
      signal.throwIfAborted();
      const addresses = await orAbort(resolveHost(target.host, reach, policy), signal);
      return await exchange(target, addresses, checked, policy, signal);
    } catch (thrown) {
      // After an abort the connection fails too: the abort is the real reason.
      signal.throwIfAborted();
      throw thrown;
    } finally {
      stop();
    }
  };
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
