// Owns which IP addresses are public: those that an agent may connect to because a stranger asks for it.
// SPEC.md section 5.1 (#guarded-fetch).

import { BlockList, isIP } from 'node:net';

/**
 * The IANA special-purpose registry with its globally routed entries, multicast, and the address at which
 * every machine of one large cloud reaches its own host agent.
 */
const SPECIAL_IPV4: BlockList = listOf('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** All that IANA has opened for global unicast; loopback, local, translated and multicast addresses lie outside. */
const GLOBAL_IPV6: BlockList = listOf('ipv6', ['2000::/3']);

/** The entries of the special-purpose registry inside {@link GLOBAL_IPV6}. */
const SPECIAL_IPV6: BlockList = listOf('ipv6', [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);

/** This machine itself. */
export const LOOPBACK_RANGES: readonly string[] = ['127.0.0.0/8', '::1/128'];

/** One's own machine and network. Link-local addresses are not among them: clouds hand out their secrets there. */
export const PRIVATE_RANGES: readonly string[] = [
  ...LOOPBACK_RANGES,
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
];

const MAPPED_IPV4: BlockList = listOf('ipv6', ['::ffff:0:0/96']);

type Family = 'ipv4' | 'ipv6';

/** True for an address of the public internet, written without a zone id. Text that is no address is not public. */
export function isPublicAddress(address: string): boolean {
  switch (familyOf(address)) {
    case 'ipv4':
      return !SPECIAL_IPV4.check(address, 'ipv4');
    case 'ipv6':
      return GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6');
    default:
      return false;
  }
}

/**
 * Makes a check that also accepts the given CIDR ranges.
 * An IPv4-mapped IPv6 address is refused whatever the ranges are: it is an IPv4 address in disguise.
 */
export function createAddressCheck(
  allowRanges: readonly string[],
  further: readonly string[] = [],
): (address: string) => boolean {
  if (!Array.isArray(allowRanges)) throw new TypeError('"allowRanges" expected an array');
  // One list a family: a BlockList compares an IPv4 address with IPv6 rules too, as if it were mapped.
  const allowed = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const [index, range] of [...allowRanges, ...further].entries()) {
    const [network, prefix, family] = parseRange(range, `"allowRanges[${index}]"`);
    allowed[family].addSubnet(network, prefix, family);
  }
  return (address) => {
    const family = familyOf(address);
    if (family === undefined || isMapped(address, family)) return false;
    return allowed[family].check(address, family) || isPublicAddress(address);
  };
}

function parseRange(range: string, name: string): [network: string, prefix: number, Family] {
  if (typeof range !== 'string') throw new TypeError(`${name} expected a string`);
  const [, network = '', digits = ''] = /^([0-9a-fA-F.:]+)\/(0|[1-9][0-9]{0,2})$/.exec(range) ?? [];
  const family = familyOf(network);
  const prefix = Number(digits);
  if (family === undefined || prefix > (family === 'ipv4' ? 32 : 128)) {
    throw new RangeError(`${name} expected a CIDR range such as 10.0.0.0/8 or fd00::/8`);
  }
  if (isMapped(network, family)) {
    throw new RangeError(`${name} expected an IPv4 range to be written as IPv4`);
  }
  return [network, prefix, family];
}

function isMapped(address: string, family: Family): boolean {
  return family === 'ipv6' && MAPPED_IPV4.check(address, 'ipv6');
}

function familyOf(address: string): Family | undefined {
  // A zone id names an interface of this machine, so no public address has one.
  if (address.includes('%')) return undefined;
  const version = isIP(address);
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : undefined;
}

function listOf(family: Family, ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
