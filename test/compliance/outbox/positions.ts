// What every outbox does for who follows a log: each is told what came after the place that it has reached.

import { expect, test } from 'vitest';

import type { Deliverer } from '../../../src/outbox/deliverer.ts';
import type { Store } from '../../../src/stores/store.ts';
import { Gate } from '../../support/agents/time.ts';
import type { OutboxStoreUnderTest } from './setup.ts';
import { LEASE_MS, OutboxNodes } from './setup.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Tells the records of a log after the position, two at a time; done after `end`. */
function following(store: Store, told: string[]): Deliverer['deliver'] {
  return async ({ key, position }) => {
    const records = await store.read(key, position, 2);
    const texts = records.map(({ value }) => decoder.decode(value));
    told.push(...texts);
    return texts.includes('end') ? 'done' : { position: position + records.length };
  };
}

async function write(store: Store, ...texts: readonly string[]): Promise<void> {
  await store.append(
    'log',
    texts.map((text) => encoder.encode(text)),
  );
}

export function positionRules(subject: OutboxStoreUnderTest): void {
  test('all that a log holds is told in order, then what is new as soon as it is noticed', async () => {
    const nodes = new OutboxNodes(subject);
    const store = await nodes.look();
    const told: string[] = [];
    const node = await nodes.node(following(store, told));
    await write(store, 'a', 'b', 'c');
    await node.add('log');
    await nodes.untilSo(() => told.length === 3);
    await nodes.pass(1_000);
    const begun = nodes.time.now;
    await write(store, 'd', 'end');
    node.outbox.notice('hello', 'log');
    await nodes.untilSo(() => node.outbox.stats().told === 1);
    expect(told).toEqual(['a', 'b', 'c', 'd', 'end']);
    expect(nodes.time.now - begun).toBeLessThan(LEASE_MS);
    expect([await nodes.left(), node.errors]).toEqual([0, []]);
  });

  test('what is new while it is told is not missed', async () => {
    const nodes = new OutboxNodes(subject);
    const store = await nodes.look();
    const told: string[] = [];
    const follow = following(store, told);
    const begun = new Gate();
    const gate = new Gate();
    const node = await nodes.node(async (entry, signal) => {
      const delivered = await follow(entry, signal);
      begun.open();
      await gate.opened;
      return delivered;
    });
    await node.add('log');
    await nodes.until(begun.opened);
    const since = nodes.time.now;
    await write(store, 'end');
    node.outbox.notice('hello', 'log');
    gate.open();
    await nodes.untilSo(() => node.outbox.stats().told === 1);
    expect([told, nodes.time.now - since < LEASE_MS]).toEqual([['end'], true]);
  });

  test('what nobody notices is told all the same, a little later', async () => {
    const nodes = new OutboxNodes(subject);
    const store = await nodes.look();
    const told: string[] = [];
    const node = await nodes.node(following(store, told));
    await write(store, 'a');
    await node.add('log');
    await nodes.untilSo(() => told.length === 1);
    await nodes.pass(3 * LEASE_MS);
    await write(store, 'end');
    await nodes.untilSo(() => node.outbox.stats().told === 1);
    expect(told).toEqual(['a', 'end']);
  });

  test('another node goes on where the one that died had got to', async () => {
    const nodes = new OutboxNodes(subject);
    const store = await nodes.look();
    const told: string[] = [];
    const follow = following(store, told);
    const doomed = await nodes.node(async (entry, signal) => {
      if (entry.position === 2) {
        doomed.die();
        return new Promise(() => undefined);
      }
      return follow(entry, signal);
    });
    const other = await nodes.node(follow);
    await other.outbox.open();
    await write(store, 'a', 'b', 'c', 'end');
    await doomed.add('log');
    await nodes.untilSo(() => other.outbox.stats().told === 1);
    expect(told).toEqual(['a', 'b', 'c', 'end']);
  });

  test('a position that goes back is a fault of its deliverer', async () => {
    const nodes = new OutboxNodes(subject);
    const node = await nodes.node(async () => ({ position: -1 }), { maxAttempts: 1 });
    await node.add('log');
    await nodes.untilSo(() => node.outbox.stats().givenUp === 1);
    expect((node.errors[0] as Error).cause).toBeInstanceOf(RangeError);
  });
}
