// Leases by themselves: what is written under one is written only by who has it, whatever else guards the task.

import { describe, expect, test } from 'vitest';

import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Operation, Store } from '../../src/stores/store.ts';
import { createTaskEngine } from '../../src/tasks/engine/engine.ts';
import { createTaskHolder } from '../../src/tasks/engine/holder.ts';
import { LeaseKeeper } from '../../src/tasks/engine/lease.ts';
import type { Lease } from '../../src/tasks/engine/lease.ts';
import { bytes } from '../compliance/store/setup.ts';
import { TestTime, start } from '../support/agents/tasks.ts';

const LEASE_MS = 30_000;
const WRITE: Operation = { type: 'put', space: 's', key: 'written', value: bytes(1) };

interface Holder {
  readonly keeper: LeaseKeeper;
  readonly take: () => Promise<Lease>;
  readonly lost: string[];
}

function setUp(): { store: Store; time: TestTime; holder: (node: string) => Holder } {
  const time = new TestTime();
  const store = createMemoryStore({ now: () => time.now });
  const holder = (node: string): Holder => {
    const lost: string[] = [];
    const keeper = new LeaseKeeper({
      store,
      holder: createTaskHolder({ node: undefined, isExclusive: false, startId: node }),
      leaseMs: LEASE_MS,
      now: () => time.now,
      setTimer: time.setTimer,
      onError: (cause) => {
        throw cause;
      },
    });
    const take = async (): Promise<Lease> => {
      const done = await store.transact([keeper.taking('t')]);
      if (!done.ok) throw new Error('somebody has it');
      return keeper.hold('t', done.results[0]!, () => lost.push('t'));
    };
    return { keeper, take, lost };
  };
  return { store, time, holder };
}

describe('#task-ids a lease', () => {
  test.each([
    ['goes on', false],
    ['ends', true],
  ])('that somebody else has taken lets nothing be written that %s', async (_, isEnd) => {
    const { store, time, holder } = setUp();
    const [first, second] = [holder('first'), holder('second')];
    const lease = await first.take();
    // As when the machine was suspended: it was not renewed.
    time.now += LEASE_MS;
    const taken = await second.take();
    expect(await first.keeper.write(lease, [WRITE], isEnd)).toBe('lost');
    expect(await store.count('s')).toBe(0);
    expect(await second.keeper.write(taken, [WRITE], isEnd)).toMatchObject({ ok: true });
    expect(await store.count('task-lease')).toBe(isEnd ? 0 : 1);
  });

  test.each([
    ['goes on', false],
    ['ends', true],
  ])('that is known to have run out is the same for a write that %s', async (_, isEnd) => {
    const { store, time, holder } = setUp();
    const [first, second] = [holder('first'), holder('second')];
    const lease = await first.take();
    time.now += LEASE_MS;
    lease.isExpired = true;
    await second.take();
    expect(await first.keeper.write(lease, [WRITE], isEnd)).toBe('lost');
    expect(await store.count('s')).toBe(0);
    expect(await store.count('task-lease')).toBe(1);
  });

  test('that ran out and that nobody has taken is taken again, or simply ended', async () => {
    for (const isEnd of [false, true]) {
      const { store, time, holder } = setUp();
      const { keeper, take, lost } = holder('first');
      const lease = await take();
      time.now += LEASE_MS;
      expect(await keeper.write(lease, [WRITE], isEnd)).toMatchObject({ ok: true });
      expect(await store.count('task-lease')).toBe(isEnd ? 0 : 1);
      expect(lost).toEqual([]);
    }
  });

  test('that somebody else has taken is told of at the next renewal', async () => {
    const { store, time, holder } = setUp();
    const { take, lost } = holder('first');
    await take();
    await store.put('task-lease', 't', new TextEncoder().encode('/second'));
    time.pass(LEASE_MS / 3);
    await new Promise((resolve) => setImmediate(resolve));
    expect(lost).toEqual(['t']);
  });

  test('whose version is another because an answer was lost is still the own one', async () => {
    const { store, time, holder } = setUp();
    const { keeper, take, lost } = holder('first');
    const lease = await take();
    const value = new TextEncoder().encode('/first');
    const { version } = await store.put('task-lease', 't', value, { expiresAt: time.now + 1_000 });
    expect(await keeper.write(lease, [WRITE], false)).toMatchObject({ ok: true });
    expect(lease.version).toBe(version);
    await store.put('task-lease', 't', value, { expiresAt: time.now + LEASE_MS });
    time.pass(LEASE_MS / 3);
    await new Promise((resolve) => setImmediate(resolve));
    expect(lost).toEqual([]);
    expect((await store.get('task-lease', 't'))?.expiresAt).toBe(time.now + LEASE_MS);
  });

  test('tells two engines apart that were given the same name', async () => {
    const store = createMemoryStore();
    const holders = new Set<string>();
    for (const id of ['one', 'two']) {
      const engine = createTaskEngine({
        store,
        node: 'same',
        onTask: async (_task, ctx) => ctx.ask('?'),
      });
      await start(engine, { id });
    }
    for (const { value } of (await store.list('task-lease')).entries) {
      holders.add(new TextDecoder().decode(value));
    }
    expect(holders.size).toBe(2);
  });
});
