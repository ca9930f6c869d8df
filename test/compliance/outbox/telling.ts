// What every outbox does: what was stored is told, by one at a time, later each time that it fails, and not for ever.

import { expect, test } from 'vitest';

import { Gate } from '../../support/agents/time.ts';
import type { OutboxStoreUnderTest } from './setup.ts';
import { LEASE_MS, OutboxNodes, teller } from './setup.ts';

const encoder = new TextEncoder();

export function tellingRules(subject: OutboxStoreUnderTest): void {
  test('what was stored with what happened is told at once, and once', async () => {
    const nodes = new OutboxNodes(subject);
    const { told, deliver } = teller(async ({ kind, facts, position, attempt }) => {
      expect([kind, { ...facts }, position, attempt]).toEqual(['hello', { to: 'bob' }, 0, 1]);
      return 'done';
    });
    const { outbox } = await nodes.node(deliver);
    const store = await nodes.look();
    const happened = { type: 'add', space: 'x', key: 'y', value: encoder.encode('z') } as const;
    const operations = [happened, outbox.adding('hello', 'bob', { to: 'bob' })];
    expect((await store.transact(operations)).ok).toBe(true);
    outbox.notice();
    await nodes.untilSo(() => outbox.stats().told === 1);
    expect([told, await nodes.left()]).toEqual([['bob'], 0]);
    // What did not happen is not told.
    expect((await store.transact(operations)).ok).toBe(false);
    outbox.notice();
    await nodes.pass(2 * LEASE_MS);
    expect(told).toEqual(['bob']);
  });

  test('who opens it finds what was left, and leaves alone what it has no words for', async () => {
    const nodes = new OutboxNodes(subject);
    const store = await nodes.look();
    const { told, deliver } = teller();
    const { outbox } = await nodes.node(deliver);
    await store.transact([
      outbox.adding('other', 'a', {}),
      outbox.adding('hello', 'b', {}),
      outbox.adding('hello', 'c', {}),
    ]);
    await outbox.open();
    await nodes.untilSo(() => outbox.stats().told === 2);
    await nodes.pass(2 * LEASE_MS);
    expect([told.sort(), await nodes.left()]).toEqual([['b', 'c'], 1]);
  });

  test('tries in vain come later each time, spread, and no later than they should', async () => {
    const nodes = new OutboxNodes(subject);
    const at: number[] = [];
    const randoms = [0, 0.999, 0.5, 0, 0.999, 0.5];
    const { deliver } = teller(async (_entry, nth) => {
      at.push(nodes.time.now);
      if (nth % 2 === 0) throw new Error('nobody is there');
      return nth === 7 ? 'done' : 'later';
    });
    const bounds = { firstDelayMs: 16_000, longestDelayMs: 120_000 };
    const random = (): number => randoms[at.length - 1]!;
    const node = await nodes.node(deliver, { ...bounds, random });
    await node.add('bob');
    await nodes.untilSo(() => node.outbox.stats().told === 1);
    const pauses = at.slice(1).map((moment, nth) => moment - at[nth]!);
    // A turn of the clock is a second.
    const wanted = [8_000, 32_000, 48_000, 60_000, 120_000, 90_000];
    for (const [nth, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(wanted[nth]! - 20);
      expect(pause).toBeLessThanOrEqual(wanted[nth]! + 2_000);
    }
    expect([pauses.length, node.outbox.stats().failed, node.errors]).toEqual([6, 6, []]);
  });

  test.each([
    ['so many tries', { maxAttempts: 3 }, 3],
    ['so long a time', { maxAgeMs: 20_000, firstDelayMs: 8_000, longestDelayMs: 8_000 }, 5],
  ])('it is given up after %s, and the operator hears of it once', async (_what, bounds, tries) => {
    const nodes = new OutboxNodes(subject);
    const cause = new Error('nobody is there');
    const { told, deliver } = teller(() => Promise.reject(cause));
    const node = await nodes.node(deliver, bounds);
    const other = await nodes.node(deliver, bounds);
    await node.add('bob');
    await other.outbox.open();
    await nodes.untilSo(async () => (await nodes.left()) === 0);
    await nodes.pass(4 * LEASE_MS);
    const errors = [...node.errors, ...other.errors] as Error[];
    expect(told.length).toBeGreaterThanOrEqual(Math.min(tries, 3));
    expect(told.length).toBeLessThanOrEqual(tries);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ message: expect.stringContaining('hello bob'), cause });
    expect(node.outbox.stats().givenUp + other.outbox.stats().givenUp).toBe(1);
  });

  test('what its deliverer dies of is given up too', async () => {
    const nodes = new OutboxNodes(subject);
    const { told, deliver } = teller(() => new Promise(() => undefined));
    for (let nth = 1; nth <= 2; nth += 1) {
      const doomed = await nodes.node(deliver, { maxAttempts: 2 });
      if (nth === 1) await doomed.add('bob');
      else await doomed.outbox.open();
      await nodes.untilSo(() => told.length === nth);
      doomed.die();
    }
    const node = await nodes.node(deliver, { maxAttempts: 2 });
    await node.outbox.open();
    await nodes.untilSo(() => node.outbox.stats().givenUp === 1);
    expect([told.length, node.errors.length]).toEqual([2, 1]);
  });

  test('so many are told at the same time and no more', async () => {
    const nodes = new OutboxNodes(subject);
    const gate = new Gate();
    let atOnce = 0;
    let most = 0;
    const { deliver } = teller(async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await gate.opened;
      atOnce -= 1;
      return 'done';
    });
    const quick = teller();
    const node = await nodes.node({ hello: { deliver }, quick: { deliver: quick.deliver } });
    for (let nth = 0; nth < 40; nth += 1) await node.add(`n${nth}`);
    await nodes.untilSo(() => atOnce === 16);
    // One kind does not wait for another.
    await node.add('x', 'quick');
    await nodes.untilSo(() => quick.told.length === 1);
    gate.open();
    await nodes.untilSo(() => node.outbox.stats().told === 41);
    expect([most, node.outbox.stats().telling, await nodes.left()]).toEqual([16, 0, 0]);
  });

  test('what is added again while it is told is told again', async () => {
    const nodes = new OutboxNodes(subject);
    const gate = new Gate();
    const { told, deliver } = teller(async (_entry, nth) => {
      if (nth === 1) await gate.opened;
      return 'done';
    });
    const node = await nodes.node(deliver);
    await node.add('bob');
    await nodes.untilSo(() => told.length === 1);
    await node.add('bob');
    gate.open();
    await nodes.untilSo(() => node.outbox.stats().told === 1);
    expect([told.length, await nodes.left(), node.errors]).toEqual([2, 0, []]);
  });
}
