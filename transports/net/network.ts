// Owns who counts as one address: what is counted by address is counted by this. SPEC.md section 11 (#net-address).

import { isIPv6 } from 'node:net';

/** The groups of an address that make its network. */
const NETWORK_GROUPS = 4;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IPv6 network is given out whole, so its /64 counts as one address. What is no IPv6 address stays as it is. */
export function networkOf(address: string): string {
  // Without a colon it is IPv4 or a name: most are.
  if (!address.includes(':')) return address;
  const plain = address.replace(/%.*$/, '');
  if (!isIPv6(plain) || plain === '::1') return plain;
  const mapped = MAPPED.exec(plain);
  if (mapped !== null) return mapped[1]!;
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const back = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (front.length < 8 - back && front.length < NETWORK_GROUPS) front.push('0');
    if (front.length < NETWORK_GROUPS) front.push(...tail.split(':'));
  }
  const network = front
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
