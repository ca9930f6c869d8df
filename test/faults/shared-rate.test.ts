// How fast one agent may send to several nodes that are one agent: where they share a limiter they count together, else
// each counts its own. The rates are so slow that nothing comes back while a test runs.

import { afterAll, describe, expect, test } from 'vitest';

import { createIdentity } from '../../src/security/identity/identity.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import type { RateLimiter } from '../../src/stores/rate-limiter.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { StoreError } from '../../src/stores/store.ts';
import type { Incoming } from '../../src/transport.ts';
import { NOW, crypto } from '../support/agents/agents.ts';
import type { Cluster } from '../support/agents/cluster.ts';
import { answerOf, startCluster } from '../support/agents/cluster.ts';
import { operatorMessage } from '../support/agents/daemon-peers.ts';
import { stopDaemons } from '../support/agents/daemon.ts';
import { forge, judge, newScene } from '../support/wire/forge.ts';
import { server } from '../support/stores/postgres.ts';
import { hasRedis, startRedis } from '../support/stores/redis.ts';

describe('#admit a runtime whose agents are counted elsewhere too', () => {
  const admission = { burst: 100, ratePerSecond: 1e-9 };

  test('a retry counts like any message, and what is refused has not used its nonce', async () => {
    let left = 2;
    const rateLimiter: RateLimiter = { take: () => (left -= 1) >= 0 };
    const store = createMemoryStore({ now: () => NOW });
    const { bob, alice } = await newScene({ store, admission, shared: { rateLimiter } });
    const [first, second] = [await forge(alice, bob), await forge(alice, bob)];
    expect((await judge(bob, first)).code).toBeUndefined();
    expect((await judge(bob, first)).outcome).toMatchObject({ isRetry: true });
    const refused = await judge(bob, second);
    expect([refused.outcome.stage, refused.code]).toEqual(['contact', 'LIMIT_RATE']);
    expect(refused.reply).toMatchObject({ ct: 'error.v1', payload: { retryable: true } });
    expect(await store.count('replay')).toBe(1);
    left = 1;
    const again = await judge(bob, second);
    expect([again.code, again.outcome.isRetry]).toEqual([undefined, false]);
    expect(bob.runs).toHaveLength(2);
  });

  test('nobody is heard while it cannot be known how fast they were', async () => {
    let isBroken = true;
    const rateLimiter: RateLimiter = {
      take: async () => {
        if (isBroken) throw new StoreError('failed', 'no answer');
        return true;
      },
    };
    const { bob, alice } = await newScene({ admission, shared: { rateLimiter } });
    const message = await forge(alice, bob);
    const refused = await judge(bob, message);
    expect([refused.outcome.stage, refused.code]).toEqual(['contact', 'INTERNAL']);
    expect(bob.runs).toEqual([]);
    isBroken = false;
    expect((await judge(bob, message)).outcome).toMatchObject({ isRetry: false });
    expect(bob.runs).toHaveLength(1);
  });

  test('who is not proven is not counted there', async () => {
    const asked: string[] = [];
    const rateLimiter: RateLimiter = { take: (key) => asked.push(key) > 0 };
    const { bob, alice, mallory } = await newScene({ admission, shared: { rateLimiter } });
    const { envelope } = await forge(alice, bob);
    const forged = { ...envelope, ts: '2026-11-16T00:28:30Z' };
    expect((await judge(bob, forged)).code).toBe('SIGNATURE_INVALID');
    expect((await judge(bob, new Uint8Array([1]))).code).toBe('ENCODING_INVALID');
    await judge(bob, await forge(mallory, bob));
    expect(asked).toEqual([mallory.agentId]);
  });
});

const BURST = 6;
const ADMISSION = { rate_per_second: 1e-9, burst: BURST };

afterAll(stopDaemons);

/** The code of the refusal, if it is one. */
function refusalIn({ bytes }: Incoming): string | undefined {
  const { ct, payload } = decodeMessage(bytes, 'json') as JsonObject;
  if (ct !== 'error.v1') return undefined;
  return ((payload as JsonObject)['details'] as JsonObject)['reason'] as string;
}

/** Sends one message after the other, to both nodes in turn; how each was refused. */
async function alternate(
  { nodes, home }: Pick<Cluster, 'nodes' | 'home'>,
  count: number,
): Promise<readonly (string | undefined)[]> {
  const codes: (string | undefined)[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const answer = await answerOf(nodes[sent % 2]!, await operatorMessage(home));
    codes.push(refusalIn(answer));
  }
  return codes;
}

const fates = (passed: number, refused: number): (string | undefined)[] => [
  ...Array.from({ length: passed }, () => undefined),
  ...Array.from({ length: refused }, () => 'LIMIT_RATE'),
];

describe.skipIf(server === undefined)('#admit an agent that sends to two daemons in turn', () => {
  test('has its burst at each of them where they share no Redis', async () => {
    const cluster = await startCluster(undefined, ADMISSION);
    expect(await alternate(cluster, 2 * BURST + 4)).toEqual(fates(2 * BURST, 4));
  }, 60_000);

  test.skipIf(!hasRedis)(
    'has its burst once where they do, and leaves another agent its own',
    async () => {
      const { nodes, home } = await startCluster((await startRedis()).url, ADMISSION);
      expect(await alternate({ nodes, home }, BURST + 2)).toEqual(fates(BURST, 2));
      // Its root key signs: that needs no bundle.
      const stranger = { ...(await createIdentity({ crypto })), keys: [] };
      const operator = { ...home.identities.operator, ...stranger };
      const strangers = { ...home, identities: { ...home.identities, operator } };
      expect(await alternate({ nodes, home: strangers }, 2)).toEqual(fates(2, 0));
    },
    60_000,
  );
});
