// What every outbox does where some are slow: nobody holds up others, whoever asks for time gets it, and what is new is
// told across nodes.

import { expect, test } from 'vitest';

import type { Deliverer } from '../../../src/outbox/deliverer.ts';
import { Gate } from '../../support/agents/time.ts';
import type { OutboxStoreUnderTest } from './setup.ts';
import { LEASE_MS, OutboxNodes, teller } from './setup.ts';

/** The group of an entry is what its key begins with. */
const lanesOf: NonNullable<Deliverer['lanesOf']> = ({ key }) => key.split('.').slice(0, -1);

export function fairnessRules(subject: OutboxStoreUnderTest): void {
  test('who asks for time is not asked before, and what was told so far is kept', async () => {
    const nodes = new OutboxNodes(subject);
    const tries: [at: number, position: number, attempt: number][] = [];
    const asked = [{ later: 90_000, position: 2 }, { later: 0 }, 'done'] as const;
    const node = await nodes.node(async ({ position, attempt }) => {
      tries.push([nodes.time.now, position, attempt]);
      return asked[tries.length - 1]!;
    });
    await node.add('bob');
    await nodes.untilSo(() => node.outbox.stats().told === 1);
    expect(tries.map(([, position, attempt]) => [position, attempt])).toEqual([
      [0, 1],
      [2, 2],
      [2, 3],
    ]);
    const [first, second] = tries.slice(1).map(([at], nth) => at - tries[nth]![0]);
    expect(first).toBeGreaterThanOrEqual(90_000);
    expect(first).toBeLessThan(90_000 + LEASE_MS);
    expect(second).toBeLessThan(LEASE_MS);
  });

  test('a group that is stuck leaves places to others, and one of its own parts does to it', async () => {
    const nodes = new OutboxNodes(subject);
    const gate = new Gate();
    const begun: string[] = [];
    const deliver: Deliverer['deliver'] = async ({ key }) => {
      begun.push(key);
      if (key.includes('stuck')) await gate.opened;
      return 'done';
    };
    const node = await nodes.node({ hello: { deliver, lanesOf, atOnce: 12 } });
    for (let nth = 0; nth < 30; nth += 1) await node.add(`ann.stuck.${nth}`);
    await nodes.untilSo(() => begun.length >= 4);
    await node.add('ann.well.1');
    await node.add('bob.well.1');
    await nodes.untilSo(() => begun.filter((key) => key.includes('well')).length === 2);
    // Of twelve places: four of them leave four to their owner and four to all others.
    expect(begun.filter((key) => key.includes('stuck'))).toHaveLength(4);
    gate.open();
    await nodes.untilSo(() => node.outbox.stats().told === 32);
    expect(await nodes.left()).toBe(0);
  });

  test('what is noticed at one node while another tells it is told at once', async () => {
    const nodes = new OutboxNodes(subject);
    const [begun, gate] = [new Gate(), new Gate()];
    const seen: number[] = [];
    let news = 0;
    const busy = await nodes.node(async () => {
      seen.push(news);
      if (news === 2) return 'done';
      begun.open();
      await gate.opened;
      // It had looked before there was anything new.
      return { position: 1, isCaughtUp: true };
    });
    const other = await nodes.node({});
    await busy.add('log');
    await nodes.until(begun.opened);
    const since = nodes.time.now;
    news = 2;
    other.outbox.notice('hello', 'log');
    const store = await nodes.look();
    await nodes.untilSo(async () => {
      const { entries } = await store.list('outbox');
      return new TextDecoder().decode(entries[0]!.value).includes('isNoticed');
    });
    gate.open();
    await nodes.untilSo(() => busy.outbox.stats().told === 1);
    expect([seen, nodes.time.now - since < LEASE_MS]).toEqual([[0, 2], true]);
  });

  test('what was tried in vain is not tried sooner because there is something new', async () => {
    const nodes = new OutboxNodes(subject);
    const { told, deliver } = teller(async (_entry, nth) => (nth === 1 ? 'later' : 'done'));
    const node = await nodes.node(deliver, { firstDelayMs: 40_000 });
    await node.add('log');
    await nodes.untilSo(() => node.outbox.stats().failed === 1);
    const since = nodes.time.now;
    for (let nth = 0; nth < 5; nth += 1) {
      node.outbox.notice('hello', 'log');
      await nodes.pass(1_000);
    }
    expect(told).toHaveLength(1);
    await nodes.untilSo(() => node.outbox.stats().told === 1);
    expect(nodes.time.now - since).toBeGreaterThanOrEqual(30_000 - 1_000);
  });

  test('a kind that is registered later is told what was left for it; what is removed is not', async () => {
    const nodes = new OutboxNodes(subject);
    const node = await nodes.node({});
    const store = await nodes.look();
    await store.transact(['a', 'b'].map((key) => node.outbox.adding('web-2', key, {})));
    await node.outbox.open();
    await store.transact([node.outbox.removing('web-2', 'a')]);
    const { told, deliver } = teller();
    node.outbox.register('web-2', { deliver });
    await nodes.untilSo(() => node.outbox.stats().told === 1);
    expect([told, await nodes.left()]).toEqual([['b'], 0]);
  });

  test('a kind that may say few last words is stopped sooner, and given back', async () => {
    const nodes = new OutboxNodes(subject);
    const deliver: Deliverer['deliver'] = (_entry, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
    const node = await nodes.node({ hello: { deliver, lastWordsMs: 2_000 } });
    await node.add('bob');
    await nodes.untilSo(() => node.outbox.stats().telling === 1);
    const since = nodes.time.now;
    await nodes.until(node.outbox.close(20_000));
    expect(nodes.time.now - since).toBeLessThan(10_000);
    expect(await nodes.left()).toBe(1);
  });
}
