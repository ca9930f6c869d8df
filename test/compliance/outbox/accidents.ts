// What every outbox does when nodes die, close or lose the store: nothing is lost, and no two tell at the same time.

import { expect, test } from 'vitest';

import type { Deliverer } from '../../../src/outbox/deliverer.ts';
import { Gate } from '../../support/agents/time.ts';
import type { Fault, OutboxStoreUnderTest } from './setup.ts';
import { LEASE_MS, OutboxNodes, teller } from './setup.ts';

/** Waits until it is let go, or told to stop. */
function waiting(gate: Gate): Deliverer['deliver'] {
  return async (_entry, signal) => {
    const stopped = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve()),
    );
    await Promise.race([gate.opened, stopped]);
    signal.throwIfAborted();
    return 'done';
  };
}

export function accidentRules(subject: OutboxStoreUnderTest): void {
  test('a node that dies after it has told and before it has written so is followed by another', async () => {
    const nodes = new OutboxNodes(subject);
    const doomed = await nodes.node(async () => {
      doomed.die();
      return 'done';
    });
    const { told, deliver } = teller();
    const other = await nodes.node(deliver);
    await other.outbox.open();
    const begun = nodes.time.now;
    await doomed.add('bob');
    await nodes.untilSo(() => other.outbox.stats().told === 1);
    expect([told, await nodes.left()]).toEqual([['bob'], 0]);
    // Not while the first one may still be at it.
    expect(nodes.time.now - begun).toBeGreaterThanOrEqual(LEASE_MS);
  });

  test('no two nodes tell the same at the same time, and each is told to its end once', async () => {
    const nodes = new OutboxNodes(subject);
    const busy = new Set<string>();
    const done: string[] = [];
    const tries = new Map<string, number>();
    const deliver: Deliverer['deliver'] = async ({ key }) => {
      expect(busy.has(key)).toBe(false);
      busy.add(key);
      const nth = (tries.get(key) ?? 0) + 1;
      tries.set(key, nth);
      for (let turn = 0; turn < Number(key.slice(1)) % 7; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      busy.delete(key);
      if (nth <= Number(key.slice(1)) % 3) throw new Error('once more');
      done.push(key);
      return 'done';
    };
    const all = await Promise.all([0, 1, 2].map(() => nodes.node(deliver, { lookEveryMs: 1_000 })));
    await Promise.all(all.map(({ outbox }) => outbox.open()));
    const keys = Array.from({ length: 60 }, (_, nth) => `n${nth}`);
    await Promise.all(keys.map((key, nth) => all[nth % 3]!.add(key)));
    await nodes.untilSo(async () => done.length >= 60 && (await nodes.left()) === 0);
    expect(done.sort()).toEqual(keys.sort());
    expect(all.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('who takes long keeps what it took', async () => {
    const nodes = new OutboxNodes(subject);
    const gate = new Gate();
    const { told, deliver } = teller();
    const slow = await nodes.node(waiting(gate));
    const other = await nodes.node(deliver);
    await other.outbox.open();
    await slow.add('bob');
    await nodes.pass(5 * LEASE_MS);
    expect(told).toEqual([]);
    gate.open();
    await nodes.untilSo(() => slow.outbox.stats().told === 1);
    expect([told, await nodes.left()]).toEqual([[], 0]);
  });

  test('who cannot renew is told to stop before anybody else begins', async () => {
    const nodes = new OutboxNodes(subject);
    const order: string[] = [];
    const cut = await nodes.node(async (_entry, signal) => {
      order.push('first begins');
      cut.fault = () => 'before';
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      order.push('first stops');
      return 'later';
    });
    const other = await nodes.node(async () => {
      order.push('second begins');
      return 'done';
    });
    await cut.add('bob');
    await nodes.untilSo(() => order.length === 1);
    await other.outbox.open();
    await nodes.untilSo(() => other.outbox.stats().told === 1);
    expect(order).toEqual(['first begins', 'first stops', 'second begins']);
    await nodes.pass(2 * LEASE_MS);
    expect([order.length, await nodes.left()]).toEqual([3, 0]);
    cut.fault = () => undefined;
  });

  const faults: readonly (readonly [string, 'before' | 'after'])[] = [
    ['fails', 'before'],
    ['loses its answer', 'after'],
  ];
  test.each(faults)('a store that %s once at any place changes nothing', async (_what, how) => {
    for (const end of ['done', 'further', 'later then done'] as const) {
      for (let place = 0; place < 8; place += 1) {
        const nodes = new OutboxNodes(subject);
        const ends: string[] = [];
        const node = await nodes.node(async (entry) => {
          const isFirst = ends.length === 0;
          ends.push(`${entry.position} ${entry.attempt}`);
          if (end === 'further' && entry.position === 0) return { position: 3 };
          return end === 'later then done' && isFirst ? 'later' : 'done';
        });
        let calls = 0;
        const fault: Fault = () => ((calls += 1) === place + 1 ? how : undefined);
        node.fault = fault;
        await node.add('bob');
        await nodes.untilSo(async () => (await nodes.left()) === 0);
        const wanted = {
          done: ['0 1'],
          further: ['0 1', '3 1'],
          'later then done': ['0 1', '0 2'],
        };
        expect(ends, `${end} ${how} ${place}`).toEqual(wanted[end]);
        node.fault = () => undefined;
        await nodes.until(node.outbox.close(0));
      }
    }
  });

  test('closing tells what is due and waits for what is being told', async () => {
    const nodes = new OutboxNodes(subject);
    const gate = new Gate();
    const { told, deliver } = teller(async ({ key }) => {
      if (key === 'slow') await gate.opened;
      return key === 'away' ? 'later' : 'done';
    });
    const node = await nodes.node(deliver, { firstDelayMs: 60_000 });
    await node.add('slow');
    await node.add('away');
    await nodes.untilSo(() => told.length === 2);
    await node.add('late');
    const closing = node.outbox.close(5_000);
    gate.open();
    await closing;
    expect([told.sort(), await nodes.left()]).toEqual([['away', 'late', 'slow'], 1]);
    await node.add('after');
    await nodes.pass(2 * LEASE_MS);
    expect(told).toHaveLength(3);
  });

  test('what closing interrupts another node takes up at once, as if it had not been tried', async () => {
    const nodes = new OutboxNodes(subject);
    const node = await nodes.node(waiting(new Gate()));
    const attempts: number[] = [];
    const other = await nodes.node(async ({ attempt }) => {
      attempts.push(attempt);
      return 'done';
    });
    await node.add('bob');
    await nodes.untilSo(() => node.outbox.stats().telling === 1);
    await nodes.pass(1_000);
    const begun = nodes.time.now;
    await nodes.until(node.outbox.close(3_000));
    const closedAt = nodes.time.now;
    expect(closedAt - begun).toBeGreaterThanOrEqual(3_000);
    await other.outbox.open();
    await nodes.untilSo(() => other.outbox.stats().told === 1);
    expect([attempts, nodes.time.now - closedAt < LEASE_MS]).toEqual([[1], true]);
  });

  test('a deliverer that does not stop does not keep the node from closing', async () => {
    const nodes = new OutboxNodes(subject);
    const { told, deliver } = teller(() => new Promise(() => undefined));
    const node = await nodes.node(deliver);
    await node.add('bob');
    await nodes.untilSo(() => told.length === 1);
    await nodes.until(node.outbox.close(0));
    expect(await nodes.left()).toBe(1);
  });
}
