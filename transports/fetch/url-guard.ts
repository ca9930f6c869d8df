// Owns what can be said of a URL without looking anything up: whether a guarded fetch could ever use it. Each fetch still
// checks the addresses that the name has then. SPEC.md section 5.1 (#guarded-fetch).

import { isIP } from 'node:net';
import type { GuardedFetchOptions } from './options.ts';
import { forbidden, parseAddress, resolvePolicy } from './policy.ts';

/** Names of this machine, of its network and of what serves the machines of a cloud. None of them is public. */
const LOCAL_DOMAINS: readonly string[] = [
  'localdomain',
  'local',
  'internal',
  'intranet',
  'lan',
  'home.arpa',
];
const LOOPBACK_DOMAIN = 'localhost';

/** Throws a `TransportError` with the fault `forbidden`; returns the host and port that it leads to. */
export function createUrlGuard(options: GuardedFetchOptions = {}): (url: string) => string {
  const policy = resolvePolicy(options);
  const { allowLoopback = false, allowRanges = [] } = options;
  return (url) => {
    const { host, port } = parseAddress(url, policy);
    if (isIP(host) === 0) {
      const isHere = isWithin(host, LOOPBACK_DOMAIN);
      // Names of a network that was allowed lead there.
      const isLocal = allowRanges.length === 0 && isLocalName(host);
      if (isHere ? !allowLoopback : isLocal)
        throw forbidden('the host is not on the public network');
    } else if (!policy.isAllowedAddress(host)) {
      throw forbidden('the host is not on the public network');
    }
    return `${host} ${port}`;
  };
}

/** A name without a dot is looked for in the network of this machine. */
function isLocalName(host: string): boolean {
  const isSingle = !host.replace(/\.$/, '').includes('.');
  return isSingle || LOCAL_DOMAINS.some((domain) => isWithin(host, domain));
}

function isWithin(host: string, domain: string): boolean {
  const name = host.replace(/\.$/, '');
  return name === domain || name.endsWith(`.${domain}`);
}
