// The stores of a runtime: what is kept where, and that what has expired or is past its time goes by itself.

import { afterEach, describe, expect, test, vi } from 'vitest';

import { formatTimestamp } from '../../src/envelope/timestamp.ts';
import { signingKeyOf } from '../../src/security/identity/own-identity.ts';
import { createTrustLog } from '../../src/security/trust/log.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';
import type { Agent } from '../support/agents/agents.ts';
import { NOW, crypto, introduce, newAgent } from '../support/agents/agents.ts';
import { EMPTY, approvers, registryAfter, single } from '../support/trust/trust.ts';

const HOUR_MS = 3_600_000;

/** What another node of the same agent does: it applies a change to the registry that both keep. */
async function revokeElsewhere(store: Store, agentId: string, kid: string): Promise<void> {
  const trust = await createTrustLog({
    store,
    crypto,
    ownAgentId: agentId,
    approvers,
    now: () => NOW,
  });
  const exp = formatTimestamp(NOW + HOUR_MS);
  const registry = registryAfter(EMPTY, { aud: agentId, exp, revoked_kids: [kid] });
  expect(await trust.propose(await single(registry))).toMatchObject({ status: 'accepted' });
}

afterEach(() => {
  vi.useRealTimers();
});

async function newPair(options: Parameters<typeof newAgent>[0]): Promise<Record<string, Agent>> {
  const hub = createMemoryHub();
  const bob = await newAgent(options);
  const alice = await newAgent({ transports: [hub.transport('alice')] });
  await bob.runtime.listen(hub.transport('bob'));
  introduce(alice, bob, 'memory:bob');
  return { alice, bob };
}

async function closeAll({ alice, bob }: Record<string, Agent>): Promise<void> {
  await alice!.runtime.close();
  await bob!.runtime.close();
}

describe('#replay the stores of a runtime', () => {
  test('nonces are in the replay store where there is one, and all else in the store', async () => {
    const [store, replayStore] = [createMemoryStore(), createMemoryStore()];
    const pair = await newPair({ store, shared: { replayStore } });
    const peer = pair['alice']!.runtime.connect(pair['bob']!.identity.agentId);
    await peer.task('say it').result();
    expect(await replayStore.inventory!('logs')).toEqual([]);
    const kept = await replayStore.inventory!('spaces');
    expect(kept.length).toBeGreaterThan(0);
    const others = await store.inventory!('spaces');
    expect(others).toContain('task');
    expect(others.filter((space) => kept.includes(space))).toEqual([]);
    await closeAll(pair);
  });

  test('what has expired is purged from both, and tasks go when their time is over', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
    let nowMs = 0;
    const [store, replayStore] = [0, 1].map(() => createMemoryStore({ now: () => nowMs }));
    const tasks = { retentionMs: HOUR_MS };
    const pair = await newPair({ store: store!, shared: { replayStore: replayStore! }, tasks });
    const clock = pair['bob']!.clock;
    nowMs = clock.nowMs;
    const peer = pair['alice']!.runtime.connect(pair['bob']!.identity.agentId);
    await peer.task('say it').result();
    for (const each of [store!, replayStore!]) {
      await each.put('test', 'k', new Uint8Array(), { expiresAt: nowMs + 1 });
    }
    clock.nowMs += HOUR_MS - 1;
    await vi.advanceTimersByTimeAsync(61_000);
    expect(await store!.count('task')).toBe(1);
    clock.nowMs += 1;
    nowMs = clock.nowMs;
    await vi.advanceTimersByTimeAsync(61_000);
    expect(await store!.inventory!('spaces')).not.toEqual(expect.arrayContaining(['test']));
    expect(await replayStore!.inventory!('spaces')).toEqual(['replay-horizon']);
    expect(await store!.count('task')).toBe(0);
    expect(await store!.inventory!('logs')).not.toContainEqual(expect.stringMatching(/^task:/));
    await closeAll(pair);
  });
});

describe('#registry a registry that several nodes share', () => {
  test('a key that was revoked at another node is soon refused here', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const store = createMemoryStore({ now: () => NOW });
    const pair = await newPair({ store, trust: { approvers } });
    const [alice, bob] = [pair['alice']!, pair['bob']!];
    const peer = alice.runtime.connect(bob.identity.agentId);
    await peer.call('sys.ping');
    const { kid } = signingKeyOf(alice.identity, NOW);
    await revokeElsewhere(store, bob.identity.agentId, kid);
    await vi.advanceTimersByTimeAsync(5_000);
    await expect(peer.call('sys.ping')).rejects.toMatchObject({ code: 'SECURITY_UNSUPPORTED' });
    await closeAll(pair);
  });
});
