// Whether a runtime is ready: it says so only while its stores answer.

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { createStoreProbe } from '../../src/runtime/ready.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { EntryStore, WriteResult } from '../../src/stores/store.ts';
import { openRedisStore } from '../../stores/redis/index.ts';
import { newAgent } from '../support/agents/agents.ts';
import { hasRedis, startRedis } from '../support/stores/redis.ts';

type Put = EntryStore['put'];

function storeWith(put: Put): EntryStore {
  return { ...createMemoryStore(), put };
}

describe('#transport-ready stores', () => {
  test('that store what they are given are asked at most once a second', async () => {
    let [asked, nowMs] = [0, 0];
    const put: Put = () => {
      asked += 1;
      return Promise.resolve({ ok: true, version: asked });
    };
    const probe = createStoreProbe([storeWith(put)], () => nowMs);
    expect(await Promise.all([probe(), probe()])).toEqual([true, true]);
    nowMs = 999;
    await probe();
    expect(asked).toBe(1);
    nowMs = 1_000;
    await probe();
    expect(asked).toBe(2);
  });

  test.each<[string, Put]>([
    ['fails', () => Promise.reject(new Error('gone'))],
    ['says nothing', () => new Promise<WriteResult>(() => undefined)],
  ])('of which one %s are not ready', async (_name, put) => {
    const well = createMemoryStore();
    expect(await createStoreProbe([well, storeWith(put)], Date.now, 1)()).toBe(false);
  });

  test('of a runtime that stops do not make it ready', async () => {
    const { runtime } = await newAgent({ store: createMemoryStore() });
    const { isReady } = await runtime.listenContext();
    expect(await isReady()).toBe(true);
    await runtime.close();
    expect(await isReady()).toBe(false);
  });

  test.skipIf(!hasRedis)('are asked for nonces too, and may come back', async () => {
    let nowMs = Date.now();
    const redis = await startRedis();
    const replayStore = await openRedisStore({ url: redis.url });
    const { runtime } = await newAgent({
      store: createMemoryStore(),
      shared: { replayStore },
      now: () => nowMs,
    });
    onTestFinished(async () => {
      await runtime.close();
      await replayStore.close();
    });
    const { isReady } = await runtime.listenContext();
    expect(await isReady()).toBe(true);
    await redis.stop();
    nowMs += 1_000;
    expect(await isReady()).toBe(false);
    await redis.start();
    await vi.waitFor(async () => {
      nowMs += 1_000;
      expect(await isReady()).toBe(true);
    });
  });
});
