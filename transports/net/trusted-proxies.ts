// Owns whose word counts for where a request comes from: proxies that the operator has named. SPEC.md section 11
// (#net-address).

import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkOf } from './network.ts';

const BITS = { 4: 32, 6: 128 } as const;

export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  /** @param proxies such as `10.0.0.7`, `10.0.0.0/8` or `fd00::/8`, which were checked as options. */
  constructor(proxies: readonly string[]) {
    this.#isEmpty = proxies.length === 0;
    for (const proxy of proxies) this.#add(proxy);
  }

  /** Is it a proxy at this address that speaks? */
  has(address: string): boolean {
    if (this.#isEmpty || isIP(address) === 0) return false;
    return this.#list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }

  /**
   * Where a request comes from that came over a connection from `address`: of what `X-Forwarded-For` says the last one
   * that is no proxy of these, for each of them has added who it heard it from.
   */
  sourceOf(address: string, forwarded: string | undefined): string {
    if (!this.has(address)) return address;
    let source = address;
    for (const named of (forwarded ?? '').split(',').toReversed()) {
      const next = plain(named.trim());
      if (next === undefined) return source;
      source = next;
      if (!this.has(next)) return source;
    }
    return source;
  }

  #add(proxy: string): void {
    const [address = '', bits] = proxy.split('/');
    const version = isIPv4(address) ? 4 : 6;
    this.#list.addSubnet(
      address,
      bits === undefined ? BITS[version] : Number(bits),
      `ipv${version}`,
    );
  }
}

/** An address as proxies write it, some with a port. */
function plain(named: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(named)?.[1] ?? withoutPort(named);
  if (isIP(bare) === 0) return undefined;
  // One that is mapped into IPv6 is the IPv4 address.
  const network = networkOf(bare);
  return isIPv4(network) ? network : bare;
}

function withoutPort(named: string): string {
  return named.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}
