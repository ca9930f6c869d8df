// Holes that were found in the memory of messages: each test is what went wrong, by its number.

import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { resetHorizon } from '../../src/security/replay/horizon.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { Clock, NOW, entryFor, newIdentity } from '../support/agents/agents.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';
import { taskPayload } from '../support/wire/envelopes.ts';
import { forge, judge, newReceiver, newScene, openedBy } from '../support/wire/forge.ts';

const DAY_MS = 86_400_000;
const folder = temporaryFolder();

interface StoreRow {
  readonly label: string;
  readonly open: (place: string, clock: Clock) => Promise<Store>;
}

const rows: readonly StoreRow[] = [
  { label: 'memory', open: async (_, { now }) => createMemoryStore({ now }) },
  ...(driver === undefined
    ? []
    : [
        {
          label: 'SQLite',
          open: (place: string, { now }: Clock) =>
            openSqliteStore({ path: join(folder, place), now }),
        },
      ]),
];

describe('A6 a final refusal stays final #replay-retry', () => {
  test.each([
    ['a message that its sender had no right to', { ct: 'task.v1' }],
    ['an event', { ct: 'task.v1', type: 'evt' as const }],
  ])('A6 %s gets the same answer when its sender has the right', async (_name, draft) => {
    const { bob, alice } = await newScene();
    bob.book.add(entryFor(alice, { contentTypes: ['negotiation.v1'] }));
    const message = await forge(alice, bob, { mode: 'enc+sig', ...draft });
    const refused = await judge(bob, message);
    expect(refused.code).toBe('NOT_AUTHORIZED');
    bob.book.add(entryFor(alice));
    const again = await judge(bob, message);
    expect(again.reply).toEqual(refused.reply);
    expect(bob.runs).toEqual([]);
    expect((await judge(bob, await forge(alice, bob, { mode: 'enc+sig' }))).code).toBeUndefined();
    expect(bob.runs).toHaveLength(1);
  });

  test('A6 so does a payload that did not fit, and its words are those of then', async () => {
    const { bob, alice } = await newScene();
    const message = await forge(alice, bob, { payload: { ...taskPayload, goal: 7 } });
    const refused = await judge(bob, message);
    expect(refused.code).toBe('PAYLOAD_INVALID');
    const again = await judge(bob, message);
    expect([again.reply, again.outcome.isRetry]).toEqual([refused.reply, true]);
    expect(openedBy(alice, again.reply)).toMatchObject({ code: 'SCHEMA_INVALID' });
  });

  test.skipIf(driver === undefined)('A6 also after a restart', async () => {
    const open = (): Promise<Store> =>
      openSqliteStore({ path: join(folder, 'a6'), now: () => NOW });
    const first = await open();
    const { bob, alice } = await newScene({ store: first });
    bob.book.add(entryFor(alice, { contentTypes: ['negotiation.v1'] }));
    const message = await forge(alice, bob);
    const { reply } = await judge(bob, message);
    await bob.runtime.close({ graceMs: 0 });
    await first.close();
    const store = await open();
    const later = await newReceiver({ store, identity: bob.identity });
    later.book.add(entryFor(alice));
    expect((await judge(later, message)).reply).toEqual(reply);
    expect(later.runs).toEqual([]);
    await later.runtime.close({ graceMs: 0 });
    await store.close();
  });

  test('A6 what may be sent again is judged anew', async () => {
    const { bob, alice } = await newScene();
    const message = await forge(alice, bob, { ct: 'unknown.v1' });
    expect((await judge(bob, message)).code).toBe('CT_UNSUPPORTED');
    expect((await judge(bob, message)).outcome.isRetry).toBe(false);
  });
});

describe('A11 what was forgotten does not run again #replay-horizon', () => {
  test.each(rows)('A11 the clock went ahead and back on $label', async ({ label, open }) => {
    const clock = new Clock();
    const store = await open(`a11-${label}`, clock);
    const told: unknown[] = [];
    const { bob, alice } = await newScene({
      store,
      now: clock.now,
      on: { error: (cause) => told.push(cause) },
    });
    const message = await forge(alice, bob);
    expect((await judge(bob, message)).code).toBeUndefined();
    clock.nowMs = NOW + DAY_MS;
    // Somebody is heard at that time, and the store is swept.
    bob.book.add(entryFor(alice));
    await judge(bob, await forge(alice, bob, { nowMs: clock.nowMs }));
    await store.purge();
    clock.nowMs = NOW + 1_000;
    expect((await judge(bob, message)).code).toBe('TIME_INVALID');
    expect(bob.runs).toHaveLength(2);
    expect(told.map(String).join()).toMatch(/clock is 8\d{4} s behind.*reset-clock/s);
    await bob.runtime.close({ graceMs: 0 });
    await store.close();
  });

  test('A11 after the operator let the store begin anew, new messages run and old ones do not', async () => {
    const clock = new Clock();
    const store = createMemoryStore({ now: clock.now });
    const before = await newScene({ store, now: clock.now });
    const message = await forge(before.alice, before.bob);
    await judge(before.bob, message);
    clock.nowMs = NOW + DAY_MS;
    await judge(before.bob, await forge(before.alice, before.bob, { nowMs: clock.nowMs }));
    await store.purge();
    await before.bob.runtime.close({ graceMs: 0 });
    clock.nowMs = NOW + 5_000;
    expect(await resetHorizon(store, clock.nowMs)).toBeGreaterThanOrEqual(NOW + DAY_MS);
    const bob = await newReceiver({ store, now: clock.now, identity: before.bob.identity });
    bob.book.add(entryFor(before.alice));
    expect((await judge(bob, message)).code).toBe('TIME_INVALID');
    const next = await forge(before.alice, before.bob, { nowMs: clock.nowMs });
    expect((await judge(bob, next)).code).toBeUndefined();
    expect(bob.runs).toHaveLength(1);
  });

  test('A11 a store that is new refuses what is older than itself', async () => {
    const clock = new Clock();
    const { bob, alice } = await newScene({ now: clock.now });
    const message = await forge(alice, bob);
    expect((await judge(bob, message)).code).toBeUndefined();
    await bob.runtime.close({ graceMs: 0 });
    clock.nowMs += 2_000;
    const again = await newReceiver({ now: clock.now, identity: bob.identity });
    again.book.add(entryFor(alice));
    expect((await judge(again, message)).code).toBe('TIME_INVALID');
    expect(again.runs).toEqual([]);
  });

  test('A11 a message of the second in which the store began is let in', async () => {
    const clock = new Clock();
    clock.nowMs = NOW + 900;
    const bob = await newReceiver({ now: clock.now });
    const alice = await newIdentity();
    bob.book.add(entryFor(alice));
    const message = await forge(alice, bob, { nowMs: NOW });
    expect((await judge(bob, message)).code).toBeUndefined();
  });
});
