// Holes that were found in what is remembered of strangers: each test is what went wrong, by its number.

import { describe, expect, test } from 'vitest';

import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import { rotateIdentity } from '../../src/security/identity/identity.ts';
import type { Contacts, ContactsOptions } from '../../src/security/peers/contacts.ts';
import { createContacts } from '../../src/security/peers/contacts.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { range } from '../compliance/store/setup.ts';
import { NOW, newIdentity } from '../support/agents/agents.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';
import { agentOf, bundleOf, provider } from '../support/trust/contacts.ts';
import type { Receiver } from '../support/wire/forge.ts';
import { forge, judge, newReceiver } from '../support/wire/forge.ts';

const OPEN = { policy: { open: true } } as const;

/** As after a theft: the keys of before are to count no more. */
const rotated = (identity: LocalIdentity): Promise<LocalIdentity> =>
  rotateIdentity(identity, { crypto: provider, nowMs: NOW - 30_000, overlapMs: 0 });

const verdictOf = async (
  receiver: Receiver,
  sender: LocalIdentity,
  address = '192.0.2.1',
): Promise<string | undefined> => {
  const peer = { transport: 'test', address };
  return (await judge(receiver, await forge(sender, receiver), { peer })).code;
};

const contactsOn = (store: Store, options: Partial<ContactsOptions> = {}): Contacts =>
  createContacts(store, { crypto: provider, now: () => 0, ...options });

/** Learns a bundle of this agent; the code where it is refused. */
const learn = async (
  contacts: Contacts,
  root: number,
  seq: number,
  address: string,
): Promise<string | undefined> => {
  const bundle = await bundleOf(root, seq);
  return contacts.learn(agentOf(root), { bundle }, { isStranger: true, address }).then(
    () => undefined,
    ({ code }: { code: string }) => code,
  );
};

describe.skipIf(driver === undefined)('A17 keys that a stranger has changed #stranger-seq', () => {
  const folder = temporaryFolder();

  test('A17 do not come back after a restart, nor after 1,000 throw-away strangers', async () => {
    const path = `${folder}/strangers`;
    const first = await openSqliteStore({ path });
    const stolen = await newIdentity();
    const owner = await rotated(stolen);
    const before = await newReceiver({ store: first, ...OPEN });
    expect(await verdictOf(before, stolen)).toBeUndefined();
    expect(await verdictOf(before, owner)).toBeUndefined();
    expect(await verdictOf(before, stolen)).toBe('SENDER_REFUSED');
    await before.runtime.close({ graceMs: 0 });
    await first.close();

    const second = await openSqliteStore({ path });
    const after = await newReceiver({ store: second, ...OPEN });
    expect(await verdictOf(after, stolen)).toBe('SENDER_REFUSED');
    expect(after.runs).toHaveLength(0);
    expect(await verdictOf(after, owner)).toBeUndefined();
    await after.runtime.close({ graceMs: 0 });
    await second.close();
  });

  test('A17 do not come back when memory is full of others', async () => {
    const store = createMemoryStore();
    const contacts = contactsOn(store, { maxCached: 10 });
    expect(await learn(contacts, 1, 2, 'a')).toBeUndefined();
    for (const n of range(20)) {
      await contacts.learn(`stranger-${n}`, { form: 'jcs' }, { isStranger: true, address: 'b' });
    }
    expect(await learn(contacts, 1, 1, 'a')).toBeUndefined();
    expect((await contacts.get(agentOf(1)))?.bundle?.seq).toBe(2);
  });
});

describe('A17 room for strangers that changed their keys #stranger-seq', () => {
  test('A17 is counted by address and in all, and nobody gives way', async () => {
    const store = createMemoryStore();
    const contacts = contactsOn(store, { maxRotatedPerAddress: 3, maxRotated: 5, maxCached: 1 });
    // All at once, so that they might pass the bound together.
    const crowd = await Promise.all(range(8).map((n) => learn(contacts, n + 1, 2, 'a')));
    expect(crowd.filter((code) => code === undefined)).toHaveLength(3);
    expect(crowd.filter((code) => code === 'SENDER_REFUSED')).toHaveLength(5);
    expect(await learn(contacts, 20, 2, 'b')).toBeUndefined();
    expect(await learn(contacts, 21, 2, 'c')).toBeUndefined();
    expect(await learn(contacts, 22, 2, 'd')).toBe('SENDER_REFUSED');
    expect(await store.count('contact')).toBe(5);

    // Who is kept can go on, and back no more, from wherever.
    expect(await learn(contacts, 20, 5, 'a')).toBeUndefined();
    expect(await learn(contacts, 20, 3, 'd')).toBeUndefined();
    expect((await contactsOn(store).get(agentOf(20)))?.bundle?.seq).toBe(5);
    // Who never changed its keys needs no room.
    expect(await learn(contacts, 23, 1, 'a')).toBeUndefined();
    expect(await store.count('contact')).toBe(5);
  });

  test('A17 that is full refuses the message: nothing is done, and nothing is remembered', async () => {
    const store = createMemoryStore({ now: () => NOW });
    const full = contactsOn(store);
    for (const n of range(256)) {
      const agentId = `did:key:full-${n}`;
      const bundle = { ...(await bundleOf(1, 2)), agentId };
      await full.learn(agentId, { bundle }, { isStranger: true, address: '192.0.2.1' });
    }
    const receiver = await newReceiver({ store, ...OPEN });
    const fresh = await newIdentity();
    const changed = await rotated(await newIdentity());
    expect(await verdictOf(receiver, changed)).toBe('SENDER_REFUSED');
    expect(receiver.outcomes.at(-1)!.error!.reason).toContain('peers add');
    expect(receiver.runs).toHaveLength(0);
    expect(await store.count('contact')).toBe(256);
    expect(await verdictOf(receiver, fresh)).toBeUndefined();
    expect(await verdictOf(receiver, changed, '192.0.2.2')).toBeUndefined();
  });
});
