// Contacts: what peers told of themselves under a signature, kept and never turned back.

import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { ContactFacts, Contacts, ContactsOptions } from '../../src/security/peers/contacts.ts';
import { createContacts } from '../../src/security/peers/contacts.ts';
import type { KeyBundle } from '../../src/security/identity/key-bundle-shape.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { EntryStore } from '../../src/stores/store.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { range } from '../compliance/store/setup.ts';
import { textOf, utf8 } from '../support/wire/bytes.ts';
import { agentOf, bundleOf, countedStore, provider } from '../support/trust/contacts.ts';
import { storeWith } from '../support/trust/replay.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

const ALICE = agentOf(1);
const BOB = agentOf(2);
const peer = { isStranger: false };
const stranger = { isStranger: true };

const contactsOn = (
  store: EntryStore = createMemoryStore(),
  options: Partial<ContactsOptions> = {},
): Contacts => createContacts(store, { crypto: provider, now: () => 0, ...options });

const seqOf = async (contacts: Contacts, agentId = ALICE): Promise<number | undefined> =>
  (await contacts.get(agentId))?.bundle?.seq;

describe('#cap-x #key-bundle a contact', () => {
  test('is unknown before its first message', async () => {
    expect(await contactsOn().get(ALICE)).toBeUndefined();
  });

  test('has everything that was learned, piece by piece', async () => {
    const contacts = contactsOn();
    const bundle = await bundleOf(1, 4);
    const steps: ContactFacts[] = [
      { form: 'python' },
      { additions: ['re', 'bind'] },
      { bundle },
      { knowsSeq: 7 },
    ];
    for (const facts of steps) await contacts.learn(ALICE, facts, peer);
    expect(await contacts.get(ALICE)).toEqual({
      form: 'python',
      additions: new Set(['re', 'bind']),
      bundle,
      knowsSeq: 7,
    });
    expect(await contacts.get(BOB)).toBeUndefined();
  });

  test('says of form, additions and our seq what its last message said', async () => {
    const contacts = contactsOn();
    await contacts.learn(ALICE, { form: 'python', additions: ['re', 'bind'], knowsSeq: 7 }, peer);
    await contacts.learn(ALICE, { form: 'jcs', additions: ['bind'], knowsSeq: 0 }, peer);
    expect(await contacts.get(ALICE)).toEqual({
      form: 'jcs',
      additions: new Set(['bind']),
      knowsSeq: 0,
    });
    await contacts.learn(ALICE, { additions: [] }, peer);
    expect((await contacts.get(ALICE))?.additions).toEqual(new Set());
  });

  test('keeps the bundle with the highest seq', async () => {
    const contacts = contactsOn();
    for (const [seq, after] of [
      [4, 4],
      [3, 4],
      [4, 4],
      [6, 6],
      [5, 6],
    ] as const) {
      await contacts.learn(ALICE, { bundle: await bundleOf(1, seq) }, peer);
      expect(await seqOf(contacts)).toBe(after);
    }
  });

  test('takes no bundle of another agent', async () => {
    const learning = contactsOn().learn(ALICE, { bundle: await bundleOf(2, 1) }, peer);
    await expect(learning).rejects.toThrow(/"bundle" expected/);
  });

  test('keeps of a long list of additions only a bounded part', async () => {
    const contacts = contactsOn();
    const many = ['x'.repeat(65), ...range(1_000).map((n) => `addition-${n}`)];
    await contacts.learn(ALICE, { additions: many }, peer);
    const { additions } = (await contacts.get(ALICE))!;
    expect([...additions]).toEqual(many.slice(1, 65));
  });

  test('is forgotten when the operator says so', async () => {
    const store = createMemoryStore();
    const contacts = contactsOn(store);
    await contacts.learn(ALICE, { form: 'jcs' }, peer);
    await contacts.forget(ALICE);
    expect(await contacts.get(ALICE)).toBeUndefined();
    expect(await store.count('contact')).toBe(0);
  });

  test('has room for the longest id that an envelope may carry', async () => {
    const longest = '\u{1F511}'.repeat(512);
    const contacts = contactsOn();
    await contacts.learn(longest, { form: 'python' }, peer);
    expect((await contacts.get(longest))?.form).toBe('python');
  });

  test('options that make no sense are named', () => {
    for (const name of ['maxCached', 'maxAgeMs']) {
      expect(() => contactsOn(undefined, { [name]: -1 })).toThrow(new RegExp(`"${name}"`));
    }
  });
});

describe('#key-bundle what a contact costs', () => {
  test('nothing of the store for what is known already', async () => {
    const { store, calls } = countedStore();
    const contacts = contactsOn(store);
    const facts = { form: 'jcs', additions: ['re'], bundle: await bundleOf(1, 4), knowsSeq: 1 };
    await contacts.learn(ALICE, facts as ContactFacts, peer);
    expect(calls()).toEqual({ gets: 1, puts: 1 });
    for (const _ of range(10)) {
      await contacts.learn(ALICE, { ...(facts as ContactFacts), additions: ['re'] }, peer);
      await contacts.get(ALICE);
    }
    expect(calls()).toEqual({ gets: 0, puts: 0 });
  });

  test('nothing of the store either for a peer that tells nothing', async () => {
    const { store, calls } = countedStore();
    const contacts = contactsOn(store);
    await contacts.learn(ALICE, { additions: [] }, peer);
    expect(calls()).toEqual({ gets: 1, puts: 0 });
    for (const _ of range(10)) await contacts.learn(ALICE, { additions: [] }, peer);
    expect(calls()).toEqual({ gets: 0, puts: 0 });
    expect(await contacts.get(ALICE)).toBeUndefined();
  });

  test('one signature for a bundle from the store, while its entry stays the same', async () => {
    const store = createMemoryStore();
    await contactsOn(store).learn(ALICE, { bundle: await bundleOf(1, 4) }, peer);
    let verified = 0;
    let now = 0;
    const crypto = {
      ...provider,
      verify: (...args: Parameters<typeof provider.verify>) => {
        verified += 1;
        return provider.verify(...args);
      },
    };
    const contacts = createContacts(store, { crypto, now: () => now });
    for (const _ of range(5)) {
      expect(await seqOf(contacts)).toBe(4);
      now += 60_000;
    }
    expect(verified).toBe(1);
  });

  test('asking for ids that nobody proved pushes nobody out', async () => {
    const { store, calls } = countedStore();
    const contacts = contactsOn(store, { maxCached: 2 });
    await contacts.learn(ALICE, { form: 'jcs' }, peer);
    for (const n of range(10)) await contacts.get(`did:key:made-up-${n}`);
    calls();
    expect((await contacts.get(ALICE))?.form).toBe('jcs');
    expect(calls()).toEqual({ gets: 0, puts: 0 });
  });
});

describe('#key-bundle a stranger', () => {
  test('is known in memory and leaves nothing in the store', async () => {
    const { store, calls } = countedStore();
    const contacts = contactsOn(store);
    await contacts.learn(ALICE, { bundle: await bundleOf(1, 4), form: 'jcs' }, stranger);
    expect(await seqOf(contacts)).toBe(4);
    await contacts.learn(ALICE, { bundle: await bundleOf(1, 3) }, stranger);
    expect(await seqOf(contacts)).toBe(4);
    expect(calls().puts).toBe(0);
    expect(await store.count('contact')).toBe(0);
  });

  test('gives way to newer strangers, and never pushes out a peer', async () => {
    const { store, calls } = countedStore();
    const contacts = contactsOn(store, { maxCached: 3 });
    await contacts.learn(ALICE, { form: 'jcs' }, peer);
    for (const n of range(10)) await contacts.learn(`stranger-${n}`, { form: 'jcs' }, stranger);
    calls();
    expect((await contacts.get(ALICE))?.form).toBe('jcs');
    expect(calls().gets).toBe(0);
    const known = await Promise.all(range(10).map((n) => contacts.get(`stranger-${n}`)));
    expect(known.filter((contact) => contact !== undefined)).toHaveLength(3);
  });

  test('that becomes a peer is written down with all that was known of it', async () => {
    const store = createMemoryStore();
    const contacts = contactsOn(store);
    await contacts.learn(ALICE, { bundle: await bundleOf(1, 4), form: 'python' }, stranger);
    await contacts.learn(ALICE, { form: 'jcs' }, peer);
    expect(await contactsOn(store).get(ALICE)).toMatchObject({ form: 'jcs', bundle: { seq: 4 } });
  });

  test('that becomes a peer is written down also when the message tells nothing new', async () => {
    const store = createMemoryStore();
    const contacts = contactsOn(store);
    await contacts.learn(ALICE, { form: 'jcs' }, peer);
    await contacts.learn(ALICE, { bundle: await bundleOf(1, 4) }, stranger);
    await contacts.learn(ALICE, { form: 'jcs' }, peer);
    expect(await seqOf(contactsOn(store))).toBe(4);
  });

  test('that was a peer keeps the bundle that it had', async () => {
    const store = createMemoryStore();
    await contactsOn(store).learn(ALICE, { bundle: await bundleOf(1, 4) }, peer);
    const contacts = contactsOn(store);
    await contacts.learn(ALICE, { bundle: await bundleOf(1, 3), form: 'jcs' }, stranger);
    expect(await contacts.get(ALICE)).toMatchObject({ form: 'jcs', bundle: { seq: 4 } });
  });
});

describe('#key-bundle a store that several processes use', () => {
  test('tells what another learned once memory is too old', async () => {
    let now = 0;
    const store = createMemoryStore();
    const here = contactsOn(store, { now: () => now, maxAgeMs: 1_000 });
    const there = contactsOn(store);
    await here.learn(ALICE, { bundle: await bundleOf(1, 1) }, peer);
    await here.learn(BOB, { form: 'jcs' }, stranger);
    await there.learn(ALICE, { bundle: await bundleOf(1, 2) }, peer);
    await there.learn(BOB, { bundle: await bundleOf(2, 5) }, peer);
    now = 1_000;
    expect(await seqOf(here)).toBe(1);
    now = 1_001;
    expect(await seqOf(here)).toBe(2);
    expect(await here.get(BOB)).toMatchObject({ form: 'jcs', bundle: { seq: 5 } });
    await there.forget(ALICE);
    now = 2_002;
    expect(await here.get(ALICE)).toBeUndefined();
  });

  test('never gets an older bundle over a newer one, whichever is written last', async () => {
    const store = createMemoryStore();
    const fast = contactsOn(store);
    let isFirst = true;
    const slow = contactsOn(
      storeWith(store, {
        put: async (...args) => {
          // The newer bundle gets in between reading and writing.
          if (isFirst) {
            isFirst = false;
            await fast.learn(ALICE, { bundle: await bundleOf(1, 9), form: 'python' }, peer);
          }
          return store.put(...args);
        },
      }),
    );
    await slow.learn(ALICE, { bundle: await bundleOf(1, 8), knowsSeq: 3 }, peer);
    expect(isFirst).toBe(false);
    for (const contacts of [slow, contactsOn(store)]) {
      expect(await contacts.get(ALICE)).toMatchObject({
        bundle: { seq: 9 },
        form: 'python',
        knowsSeq: 3,
      });
    }
  });

  test('does not bring an old bundle back into memory by a slow read', async () => {
    const store = createMemoryStore();
    await contactsOn(store).learn(ALICE, { bundle: await bundleOf(1, 1) }, peer);
    const newer: KeyBundle = await bundleOf(1, 2);
    let isFirst = true;
    const contacts: Contacts = contactsOn(
      storeWith(store, {
        get: async (...args) => {
          const entry = await store.get(...args);
          if (isFirst) {
            isFirst = false;
            await contacts.learn(ALICE, { bundle: newer }, peer);
          }
          return entry;
        },
      }),
    );
    await contacts.get(ALICE);
    expect(isFirst).toBe(false);
    expect(await seqOf(contacts)).toBe(2);
  });
});

describe('#key-bundle a store that holds something else', () => {
  async function damage(change: (text: string) => string): Promise<Contacts> {
    const store = createMemoryStore();
    await contactsOn(store).learn(ALICE, { bundle: await bundleOf(1, 4), form: 'jcs' }, peer);
    const entry = (await store.get('contact', ALICE))!;
    await store.put('contact', ALICE, utf8(change(textOf(entry.value))));
    return contactsOn(store);
  }

  test.each<[string, (text: string) => string]>([
    ['no JSON', () => 'jcs'],
    ['no object', () => '[]'],
    ['a foreign member', (text) => text.replace('"form"', '"shape"')],
    ['another form', (text) => text.replace('"jcs"', '"json"')],
    ['no additions', (text) => text.replace('[]', '{}')],
    ['additions that are no texts', (text) => text.replace('[]', '[1]')],
    ['a seq that is none', (text) => text.replace('"form"', '"knows_seq":-1,"form"')],
    ['a bundle that was changed', (text) => text.replace('"seq":4', '"seq":5')],
  ])('such as %s is named, with what to do', async (_name, change) => {
    const contacts = await damage(change);
    for (const run of [() => contacts.get(ALICE), () => contacts.learn(ALICE, {}, peer)]) {
      await expect(run()).rejects.toMatchObject({
        code: 'INTERNAL',
        reason: expect.stringMatching(/is damaged: restore the store .* forget the peer/),
      });
    }
    await contacts.forget(ALICE);
    expect(await contacts.get(ALICE)).toBeUndefined();
  });

  test('such as the bundle of another agent is named too', async () => {
    const store = createMemoryStore();
    await contactsOn(store).learn(ALICE, { bundle: await bundleOf(1, 4) }, peer);
    const { value } = (await store.get('contact', ALICE))!;
    await store.put('contact', BOB, value);
    await expect(contactsOn(store).get(BOB)).rejects.toThrow('is damaged');
  });
});

describe.skipIf(driver === undefined)('#key-bundle contacts in a file', () => {
  const folder = temporaryFolder();

  test('are there after a restart', async () => {
    const path = join(folder, 'contacts.db');
    const bundle = await bundleOf(1, 4);
    const first = await openSqliteStore({ path });
    const facts: ContactFacts = { bundle, form: 'cbor', additions: ['re'], knowsSeq: 2 };
    await contactsOn(first).learn(ALICE, facts, peer);
    await first.close();
    const second = await openSqliteStore({ path });
    const contacts = contactsOn(second);
    expect(await contacts.get(ALICE)).toEqual({ ...facts, additions: new Set(['re']) });
    await contacts.learn(ALICE, { bundle: await bundleOf(1, 3) }, peer);
    expect(await seqOf(contacts)).toBe(4);
    await second.close();
  });
});
