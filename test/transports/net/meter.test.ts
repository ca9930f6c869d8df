// Proves what becomes of connections that cost too much, by a clock that the test sets: alone, and for their address.

import { describe, expect, test } from 'vitest';

import type { Account } from '../../../transports/net/meter.ts';
import { Meter } from '../../../transports/net/meter.ts';
import { networkOf } from '../../../transports/net/network.ts';
import { TrustedProxies } from '../../../transports/net/trusted-proxies.ts';

interface Line {
  readonly account: Account;
  readonly seen: string[];
}

function scene(): {
  readonly meter: Meter;
  readonly clock: { ms: number };
  readonly told: string[];
  readonly line: (network?: string) => Line;
} {
  const clock = { ms: 500 };
  const told: string[] = [];
  const meter = new Meter(
    (kind, verdict) => verdict !== 'charged' && told.push(`${kind} ${verdict}`),
    () => clock.ms,
  );
  const line = (network = '192.0.2.1'): Line => {
    const seen: string[] = [];
    const account = meter.open(network, {
      hold: () => seen.push('held'),
      goOn: () => seen.push('goes on'),
      end: () => seen.push('ended'),
    });
    return { account, seen };
  };
  return { meter, clock, told, line };
}

describe('A10 a connection that costs too much #net-cost', () => {
  test('is paused, and ended when it does so again', () => {
    const { clock, told, line } = scene();
    const { account, seen } = line();
    account.charge('junk', 100);
    expect(seen).toEqual([]);
    account.charge('junk');
    account.charge('junk');
    expect(seen).toEqual(['held']);
    expect(account.isHeld).toBe(true);
    account.resume();
    clock.ms += 1_000;
    account.charge('junk', 101);
    expect(seen).toEqual(['held', 'goes on', 'ended']);
    expect(told).toEqual(['junk paused', 'junk closed']);
    expect(account.hasEnded).toBe(true);
  });

  test('is only paused again once the time of its chance is over', () => {
    const { clock, line } = scene();
    const { account, seen } = line();
    account.charge('junk', 101);
    account.resume();
    clock.ms += 11_000;
    account.charge('junk', 101);
    expect(seen).toEqual(['held', 'goes on', 'held']);
  });

  test('is ended at once when it costs far too much while it is paused', () => {
    const { line } = scene();
    const { account, seen } = line();
    account.charge('signature', 21);
    account.charge('signature', 60);
    expect(seen).toEqual(['held', 'ended']);
  });
});

describe('A10 an address that costs too much #net-cost', () => {
  test('has those paused, then ended, that have cost something; who is proven or new goes on', () => {
    const { clock, line } = scene();
    const known = line();
    known.account.charge('bundle');
    known.account.proven();
    const fresh = line();
    const elsewhere = line('198.51.100.7');
    const bad = Array.from({ length: 11 }, () => line());
    for (const { account } of bad) account.charge('junk', 95);
    expect(bad.map(({ seen }) => seen.join())).toEqual(bad.map(() => 'held'));
    for (const { account } of bad) account.resume();
    clock.ms += 1_000;
    for (const { account } of bad) account.charge('junk', 95);
    expect(bad.map(({ seen }) => seen.at(-1))).toEqual(bad.map(() => 'ended'));
    for (const { seen } of [known, fresh, elsewhere]) expect(seen).toEqual([]);
  });

  test('is full beyond what is left for newcomers: they wait, who is proven does not', () => {
    const { meter, line } = scene();
    const known = line();
    known.account.proven();
    const guest = meter.guest('192.0.2.1');
    for (let times = 0; times < 14; times += 1) line().account.charge('junk', 95);
    expect(line().seen).toEqual(['held']);
    expect(known.seen).toEqual([]);
    expect(guest.isHeld).toBe(true);
    expect(guest.canWait).toBe(false);
    expect(line('198.51.100.7').seen).toEqual([]);
  });

  test('is not charged for who has proven itself there', () => {
    const { line } = scene();
    for (let times = 0; times < 20; times += 1) {
      const { account } = line();
      account.proven();
      account.charge('junk', 95);
    }
    const { account, seen } = line();
    account.charge('junk', 95);
    expect(seen).toEqual([]);
    expect(account.isTrusted).toBe(true);
  });

  test('counts with admission until it is proven, and then by itself', () => {
    const { line } = scene();
    const [one, other] = [line().account, line().account];
    expect([one.countedAs, other.countedAs]).toEqual(['192.0.2.1', '192.0.2.1']);
    one.proven();
    other.proven();
    expect(new Set(['192.0.2.1', one.countedAs, other.countedAs]).size).toBe(3);
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::1', '::1'],
  ['local', 'local'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['2001:db8:1:2::/64', '2001:db8:1:2::/64'],
])('%s counts as %s #net-address', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ['192.0.2.1', '198.51.100.1', '192.0.2.1'],
  ['10.0.0.7', undefined, '10.0.0.7'],
  ['10.0.0.7', '198.51.100.1', '198.51.100.1'],
  ['10.0.0.7', '203.0.113.9, 198.51.100.1:443', '198.51.100.1'],
  ['10.0.0.7', '203.0.113.9, 198.51.100.1, 10.0.0.8', '198.51.100.1'],
  ['10.0.0.7', '203.0.113.9, who knows', '10.0.0.7'],
  ['fd00::1', '203.0.113.9, [2001:db8::1]:443', '2001:db8::1'],
  ['10.0.0.7', '::ffff:198.51.100.1', '198.51.100.1'],
])('from %s with X-Forwarded-For %s comes who is at %s #net-address', (from, said, source) => {
  expect(new TrustedProxies(['10.0.0.0/24', 'fd00::/8']).sourceOf(from, said)).toBe(source);
});
