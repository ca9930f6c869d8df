// The quota of an agent where the order of events matters: writes that are under way while it is counted.

import { describe, expect, test } from 'vitest';

import { AgentQuota } from '../../src/security/replay/agent-quota.ts';
import type { WriteResult } from '../../src/stores/store.ts';
import { range } from '../compliance/store/setup.ts';

/** A store whose writes land when told to. */
function slowStore() {
  let landed = 0;
  const pending: (() => void)[] = [];
  return {
    count: async (): Promise<number> => landed,
    create: (isOk = true): Promise<WriteResult> =>
      new Promise((resolve) => {
        pending.push(() => {
          if (isOk) landed += 1;
          resolve({ ok: isOk, version: 1 });
        });
      }),
    /** Lets what was begun land, and what that lets begin, until nothing is left. */
    land: async (): Promise<void> => {
      for (;;) {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        const next = pending.shift();
        if (next === undefined) return;
        next();
      }
    },
    landed: (): number => landed,
  };
}

describe('#replay-quota while writes are under way', () => {
  test.each([1, 2, 9])('never more than %i land of those that come at once', async (limit) => {
    const store = slowStore();
    const quota = new AgentQuota(store, 'space', limit);
    const writes = range(20).map(() => quota.write('agent', () => store.create()));
    await store.land();
    const results = await Promise.all(writes);
    expect(store.landed()).toBe(limit);
    expect(results.filter((result) => result === undefined)).toHaveLength(20 - limit);
  });

  test.each([1, 2, 9])('never more than %i land of those that come in turns', async (limit) => {
    for (const ticks of range(8)) {
      const store = slowStore();
      const quota = new AgentQuota(store, 'space', limit);
      const writes: Promise<unknown>[] = [];
      for (const _ of range(20)) {
        writes.push(quota.write('agent', () => store.create()));
        for (let left = ticks; left > 0; left -= 1) await Promise.resolve();
      }
      await store.land();
      await Promise.all(writes);
      expect(store.landed()).toBe(limit);
    }
  });

  test('what turns out to be there already takes no place', async () => {
    const store = slowStore();
    const quota = new AgentQuota(store, 'space', 2);
    const oks: (boolean | undefined)[] = [];
    for (const isOk of [false, false, false, true, false, true, true]) {
      const writing = quota.write('agent', () => store.create(isOk));
      await store.land();
      oks.push((await writing)?.ok);
    }
    expect(oks).toEqual([false, false, false, true, false, true, undefined]);
  });

  test('a write that fails is not taken for one that did not happen', async () => {
    const store = slowStore();
    const quota = new AgentQuota(store, 'space', 1);
    const failing = quota.write('agent', async () => {
      await store.create();
      throw new Error('the answer was lost');
    });
    const failed = expect(failing).rejects.toThrow('the answer was lost');
    const next = quota.write('agent', () => store.create());
    await store.land();
    await failed;
    expect(await next).toBeUndefined();
    expect(store.landed()).toBe(1);
  });

  test('a count that fails fails the write, and the next one counts again', async () => {
    let isBroken = true;
    const store = slowStore();
    const count = async (): Promise<number> => {
      if (isBroken) throw new Error('the disk is gone');
      return store.count();
    };
    const quota = new AgentQuota({ count }, 'space', 1);
    await expect(quota.write('agent', () => store.create())).rejects.toThrow('the disk is gone');
    isBroken = false;
    const next = quota.write('agent', () => store.create());
    await store.land();
    expect((await next)?.ok).toBe(true);
  });

  test('agents are counted apart, by ids of any length', async () => {
    const store = slowStore();
    const quota = new AgentQuota(store, 'space', 5);
    const ids = ['a', 'b', '\u{1f980}'.repeat(512), '\u{1f980}'.repeat(511)];
    const fields = ids.map((id) => quota.fieldOf(id));
    expect(new Set(fields).size).toBe(4);
    for (const field of fields) expect(field).toMatch(/^[\w-]{43}$/);
  });
});
