// Proves which addresses are public: both sides of every border, odd spellings, and the ranges a user may add.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAddressCheck, isPublicAddress } from '../../../transports/fetch/public-address.ts';

/** Each special range: the address before it (if that is public), its first, its last, the address behind it. */
const IPV4_BORDERS: readonly (readonly [
  before: string,
  first: string,
  last: string,
  behind: string,
])[] = [
  ['', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '239.255.255.255', ''],
  ['', '240.0.0.0', '255.255.255.255', ''],
];

const IPV6_BORDERS: readonly (readonly [
  before: string,
  first: string,
  last: string,
  behind: string,
])[] = [
  ['', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  [
    '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:200::',
  ],
  [
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db9::',
  ],
  [
    '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2002::',
    '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2003::',
  ],
  [
    '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:8000::',
    '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:8001::',
  ],
  [
    '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff::',
    '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff:1000::',
  ],
  [
    '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '4000::',
    'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '',
  ],
];

const BORDERS = [...IPV4_BORDERS, ...IPV6_BORDERS];
const SPECIAL = BORDERS.flatMap(([, first, last]) => [first, last]);
const PUBLIC = BORDERS.flatMap(([before, , , behind]) => [before, behind]).filter(
  (text) => text !== '',
);

describe('#schema-uri which addresses are public', () => {
  test.each(SPECIAL)('%s is not public, as the edge of a special range', (address) => {
    expect(isPublicAddress(address)).toBe(false);
    expect(createAddressCheck([])(address)).toBe(false);
  });

  test.each(PUBLIC)('%s is public, as the neighbour of a special range', (address) => {
    expect(isPublicAddress(address)).toBe(true);
    expect(createAddressCheck([])(address)).toBe(true);
  });

  test.each([
    ['the loopback address', '::1'],
    ['an IPv4-mapped loopback address', '::ffff:127.0.0.1'],
    ['an IPv4-mapped public address', '::ffff:8.8.8.8'],
    ['a mapped address in full', '0:0:0:0:0:ffff:0808:0808'],
    ['an IPv4-compatible address', '::8.8.8.8'],
    ['NAT64 of a public address', '64:ff9b::8.8.8.8'],
    ['NAT64 of the metadata service', '64:ff9b::a9fe:a9fe'],
    ['local NAT64', '64:ff9b:1::1'],
    ['6to4 of a private address', '2002:a00:1::1'],
    ['Teredo', '2001:0:1::1'],
    ['the discard prefix', '100::1'],
    ['segment routing', '5f00::1'],
    ['unique local', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['site-local', 'fec0::1'],
    ['IPv6 multicast', 'ff02::1'],
    ['the metadata service', '169.254.169.254'],
  ])('%s (%s) is not public', (_what, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.215.14',
    '2606:4700:4700::1111',
    '2A00:1450:4001:829::200E',
  ])('%s, a well-known server, is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    '',
    'localhost',
    'example.com',
    '8.8.8',
    '8.8.8.8.8',
    '08.8.8.8',
    '256.8.8.8',
    '0x8.8.8.8',
    '134744072',
    ' 8.8.8.8',
    '8.8.8.8/32',
    '[2606:4700::1]',
    '2606:4700::1%eth0',
    '2606:4700::1%',
    '2606:4700:::1',
  ])('"%s" is no address without a zone id, so not public', (text) => {
    expect(isPublicAddress(text)).toBe(false);
    expect(createAddressCheck(['0.0.0.0/0', '::/0'])(text)).toBe(false);
  });
});

describe('#schema-uri ranges that a user adds', () => {
  test('a range opens its own addresses and no others', () => {
    const isAllowed = createAddressCheck(['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1/32', '::1/128']);
    const opened = ['10.1.0.0', '10.1.255.255', 'fd00:1::', 'fd00:1:ffff::1', '127.0.0.1', '::1'];
    const closed = ['10.0.255.255', '10.2.0.0', 'fd00:2::', 'fd00::', '127.0.0.2', '::2', '::'];
    expect(opened.filter((address) => !isAllowed(address))).toEqual([]);
    expect(closed.filter(isAllowed)).toEqual([]);
    expect(isAllowed('8.8.8.8')).toBe(true);
  });

  test('no range opens an IPv4-mapped address', () => {
    const isAllowed = createAddressCheck(['127.0.0.0/8', '0.0.0.0/0', '::/0']);
    expect(isAllowed('127.0.0.1')).toBe(true);
    expect(isAllowed('::1')).toBe(true);
    expect(isAllowed('::ffff:127.0.0.1')).toBe(false);
    expect(isAllowed('::ffff:8.8.8.8')).toBe(false);
  });

  test('a range of one family opens nothing of the other', () => {
    expect(createAddressCheck(['::/0'])('10.0.0.1')).toBe(false);
    expect(createAddressCheck(['0.0.0.0/0'])('fd00::1')).toBe(false);
  });

  test('an address is allowed exactly when it is public or shares the prefix of a range', () => {
    const ipv4 = fc.record({
      width: fc.constant(32),
      address: fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }),
      prefix: fc.integer({ min: 0, max: 32 }),
      flip: fc.integer({ min: 0, max: 31 }),
    });
    // The top half of the space: special throughout, and clear of mapped addresses.
    const ipv6 = fc.record({
      width: fc.constant(128),
      address: fc.bigInt({ min: 1n << 127n, max: (1n << 128n) - 1n }),
      prefix: fc.integer({ min: 0, max: 128 }),
      flip: fc.integer({ min: 0, max: 126 }),
    });
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), ({ width, address, prefix, flip }) => {
        const isAllowed = createAddressCheck([`${toText(address, width)}/${prefix}`]);
        const other = address ^ (1n << BigInt(flip));
        const isInside = width - 1 - flip >= prefix;
        const otherText = toText(other, width);
        expect(isAllowed(toText(address, width))).toBe(true);
        expect(isAllowed(otherText)).toBe(isInside || isPublicAddress(otherText));
      }),
    );
  });

  test.each([
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    'fd00::/129',
    'fe80::%eth0/10',
    'localhost/8',
    '/8',
    '',
    '::ffff:10.0.0.0/104',
    '::ffff:0:0/96',
  ])('"%s" is refused as a range, by name of the option', (range) => {
    expect(() => createAddressCheck(['10.0.0.0/8', range])).toThrow(RangeError);
    expect(() => createAddressCheck(['10.0.0.0/8', range])).toThrow('"allowRanges[1]"');
  });

  test('what is no list of texts is refused, by name of the option', () => {
    expect(() => createAddressCheck('10.0.0.0/8' as never)).toThrow(
      new TypeError('"allowRanges" expected an array'),
    );
    expect(() => createAddressCheck([8 as never])).toThrow(
      new TypeError('"allowRanges[0]" expected a string'),
    );
  });
});

function toText(address: bigint, width: number): string {
  const size = width === 32 ? 8n : 16n;
  const groups: string[] = [];
  for (let shift = BigInt(width) - size; shift >= 0n; shift -= size) {
    const group = (address >> shift) & ((1n << size) - 1n);
    groups.push(group.toString(width === 32 ? 10 : 16));
  }
  return groups.join(width === 32 ? '.' : ':');
}
