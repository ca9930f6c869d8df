// What a great number of entries does to others, and how much time anybody can ask for: in memory, because it is the same
// code on every store.

import { describe, expect, test } from 'vitest';

import type { Deliverer } from '../../src/outbox/deliverer.ts';
import { delayAfter } from '../../src/outbox/deliverer.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { OutboxNodes } from '../compliance/outbox/setup.ts';
import { Gate } from '../support/agents/time.ts';

const subject = {
  open: async (now: () => number) => {
    const store = createMemoryStore({ now });
    return async () => store;
  },
};
const lanesOf: NonNullable<Deliverer['lanesOf']> = ({ key }) => key.split('.').slice(0, -1);

describe('#task-hooks many entries', () => {
  test('those that stand in the way in great number are put off, and told later', async () => {
    const nodes = new OutboxNodes(subject);
    const gate = new Gate();
    const begun = new Set<string>();
    const deliver: Deliverer['deliver'] = async ({ key }) => {
      begun.add(key);
      if (key.startsWith('ann')) await gate.opened;
      return 'done';
    };
    const node = await nodes.node({ hello: { deliver, lanesOf, atOnce: 4 } });
    const store = await nodes.look();
    const crowd = Array.from({ length: 1_200 }, (_, nth) =>
      node.outbox.adding('hello', `ann.${nth}`, {}),
    );
    await store.transact(crowd);
    nodes.time.pass(1);
    await node.add('bob.1');
    await nodes.untilSo(() => begun.has('bob.1'));
    expect(begun.size).toBeLessThan(10);
    gate.open();
    await nodes.untilSo(async () => (await nodes.left()) === 0);
    expect(begun.size).toBe(1_201);
  });

  test('nobody can ask for more than an hour, and who asks for nothing has the usual delay', () => {
    const deliverer: Deliverer = { deliver: async () => 'done', firstDelayMs: 1_000 };
    const delays = [0, 500, 30_000, 3_600_000, 1e12].map((asked) =>
      delayAfter(1, deliverer, () => 1, asked),
    );
    expect(delays).toEqual([1_000, 1_000, 30_000, 3_600_000, 3_600_000]);
    expect(delayAfter(20, deliverer, () => 0, 0)).toBe(150_000);
  });
});
