// Replay and sessions of two nodes on one Redis, while that Redis is killed and comes back.

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import type { NonceUse } from '../../../src/security/replay/entry.ts';
import type { ReplayGuard } from '../../../src/security/replay/replay.ts';
import { createReplayGuard } from '../../../src/security/replay/replay.ts';
import type { SessionBook } from '../../../src/security/session.ts';
import { createSessionBook } from '../../../src/security/session.ts';
import type { EntryStore } from '../../../src/stores/store.ts';
import { openRedisStore } from '../../../stores/redis/index.ts';
import { range } from '../../compliance/store/setup.ts';
import type { PrivateRedis } from '../../support/stores/redis.ts';
import { serverProgram, startRedis } from '../../support/stores/redis.ts';
import { START, complete, failureCode, newRun, replyOf, use } from '../../support/trust/replay.ts';

interface Node {
  readonly store: EntryStore;
  readonly guard: ReplayGuard;
  readonly sessions: SessionBook;
}

async function openNode({ url }: PrivateRedis): Promise<Node> {
  const now = (): number => START;
  const store = await openRedisStore({ url, now });
  onTestFinished(() => store.close());
  return {
    store,
    guard: createReplayGuard({ store, now, joinMs: 0 }),
    sessions: createSessionBook({ store, now }),
  };
}

async function restart(redis: PrivateRedis, ...nodes: readonly Node[]): Promise<void> {
  await redis.stop();
  await redis.start();
  for (const { store } of nodes) {
    await vi.waitFor(() => store.count('replay'), { timeout: 30_000 });
  }
}

describe.skipIf(serverProgram === undefined)('#replay on a Redis that is killed', () => {
  test('nonces and replies are there when it is back, for this node and a new one', async () => {
    const redis = await startRedis();
    const node = await openNode(redis);
    await complete(node.guard, use());
    await newRun(node.guard, use({ nonce: 'nonce-2' }));
    await restart(redis, node);
    for (const { guard } of [node, await openNode(redis)]) {
      expect(await replyOf(guard, use())).toBe('reply');
      expect(await failureCode(guard.judge(use({ input: 'other' })))).toBe('REPLAYED');
      const other = use({ nonce: 'nonce-2', input: 'other' });
      expect(await failureCode(guard.judge(other))).toBe('REPLAYED');
    }
  });

  test('of two nodes never both run one nonce, whatever the server does meanwhile', async () => {
    const redis = await startRedis();
    const nodes = [await openNode(redis), await openNode(redis)];
    const runs = new Map<string, number>();
    let onSomeRun!: () => void;
    const someRun = new Promise<void>((resolve) => {
      onSomeRun = resolve;
    });
    /** Tries until the guard has an opinion: an admission, or a refusal that is not the store's. */
    const tryUntilKnown = async (guard: ReplayGuard, one: NonceUse): Promise<void> =>
      vi.waitFor(
        async () => {
          const verdict = await guard.judge(one);
          if (verdict.kind === 'new') runs.set(one.nonce, (runs.get(one.nonce) ?? 0) + 1);
          if (runs.size === 20) onSomeRun();
        },
        { timeout: 30_000 },
      );
    const uses = range(200).map((at) => use({ nonce: `nonce-${at}` }));
    const trying = uses.flatMap((one) => nodes.map(({ guard }) => tryUntilKnown(guard, one)));
    await someRun;
    await restart(redis, ...nodes);
    await Promise.all(trying);
    expect(Math.max(...runs.values())).toBe(1);
    expect(await nodes[0]!.store.count('replay')).toBe(200);
  });
});

describe.skipIf(serverProgram === undefined)('#session on a Redis that is killed', () => {
  test('a session that one node opened is live on the other, before and after', async () => {
    const redis = await startRedis();
    const [one, other] = [await openNode(redis), await openNode(redis)];
    const { id } = await one.sessions.open({
      agentId: 'did:key:alice',
      peerAgentId: 'did:key:bob',
      keyThumbprint: 'key-1',
      nonce: 'nonce-12345678',
      profile: {},
    });
    for (const step of ['before', 'after']) {
      if (step === 'after') await restart(redis, one, other);
      await other.sessions.check(id, 'did:key:alice', 'key-1');
      const stolen = failureCode(other.sessions.check(id, 'did:key:alice', 'key-2'));
      expect(await stolen).toBe('SESSION_INVALID');
    }
  });
});
