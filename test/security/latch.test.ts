// The latch against downgrades: raised by what was proven, never lowered but by the operator.

import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Envelope, MessageType, SecurityMode } from '../../src/envelope/types.ts';
import { bundleKeys } from '../../src/security/identity/key-bundle.ts';
import type { ModeLatch } from '../../src/security/peers/latch.ts';
import { createModeLatch } from '../../src/security/peers/latch.ts';
import type { PeerKey } from '../../src/security/peers/peer.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { NOW } from '../support/agents/agents.ts';
import { utf8 } from '../support/wire/bytes.ts';
import type { Wire } from '../support/wire/forge.ts';
import { drop, forge, judge, newNonce, newScene, put, resigned } from '../support/wire/forge.ts';
import { messageFrom } from '../support/trust/peers.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

const key: PeerKey = { kid: 'k', key: new Uint8Array(32) };
const proven = { key, isStranger: false };
const ALICE = 'did:key:alice';

const message = (mode: SecurityMode, type: MessageType = 'req'): Envelope => ({
  ...messageFrom({ from: ALICE, mode }),
  type,
});
const newLatch = (): ModeLatch => createModeLatch(createMemoryStore());

describe('#hardening W19 the latch of a peer', () => {
  test('is open before its first message', async () => {
    expect(await newLatch().get(ALICE)).toBe('none');
  });

  test('goes up with what the peer has proven, and never down', async () => {
    const latch = newLatch();
    const steps: [SecurityMode, SecurityMode][] = [
      ['sig', 'sig'],
      ['enc+sig', 'enc+sig'],
      ['sig', 'enc+sig'],
    ];
    for (const [mode, after] of steps) {
      await latch.raise(proven, message(mode));
      expect(await latch.get(ALICE)).toBe(after);
    }
  });

  test('is its own: that of another agent stays as it is', async () => {
    const latch = newLatch();
    await latch.raise(proven, message('enc+sig'));
    expect(await latch.get('did:key:bob')).toBe('none');
  });

  test('does not move for what nobody signed', async () => {
    const latch = newLatch();
    for (const mode of ['none', 'enc'] as const) {
      await latch.raise({ key: undefined, isStranger: false }, message(mode));
    }
    await latch.raise({ key: undefined, isStranger: false }, message('enc+sig'));
    expect(await latch.get(ALICE)).toBe('none');
  });

  test('is not kept for strangers, who are without number', async () => {
    const latch = newLatch();
    await latch.raise({ key, isStranger: true }, message('enc+sig'));
    expect(await latch.get(ALICE)).toBe('none');
  });

  test.each(['res', 'evt'] as const)('takes from a %s only that its sender signs', async (type) => {
    const latch = newLatch();
    await latch.raise(proven, message('enc+sig', type));
    expect(await latch.get(ALICE)).toBe('sig');
  });

  test('is not lowered by two messages at once, whichever is written last', async () => {
    const store = createMemoryStore();
    const latch = createModeLatch(store);
    let isFirst = true;
    const slow = createModeLatch({
      get: (space, name) => store.get(space, name),
      delete: (space, name) => store.delete(space, name),
      put: async (space, name, value, options) => {
        // The stronger message gets in between reading and writing.
        if (isFirst) {
          isFirst = false;
          await latch.raise(proven, message('enc+sig'));
        }
        return store.put(space, name, value, options);
      },
    });
    await slow.raise(proven, message('sig'));
    expect(isFirst).toBe(false);
    expect(await latch.get(ALICE)).toBe('enc+sig');
  });

  test('never expires', async () => {
    let now = 0;
    const store = createMemoryStore({ now: () => now });
    const latch = createModeLatch(store);
    await latch.raise(proven, message('enc+sig'));
    now = Number.MAX_SAFE_INTEGER;
    await store.purge();
    expect(await latch.get(ALICE)).toBe('enc+sig');
  });

  test('is opened again by the operator alone', async () => {
    const latch = newLatch();
    await latch.raise(proven, message('enc+sig'));
    await latch.reset(ALICE);
    expect(await latch.get(ALICE)).toBe('none');
    await latch.raise(proven, message('sig'));
    expect(await latch.get(ALICE)).toBe('sig');
  });

  test('refuses rather than guesses when its store holds something else', async () => {
    const store = createMemoryStore();
    const latch = createModeLatch(store);
    for (const text of ['none', 'enc', 'strong', '']) {
      await store.put('mode-latch', ALICE, utf8(text));
      await expect(latch.get(ALICE)).rejects.toThrow('holds no mode');
      await expect(latch.raise(proven, message('sig'))).rejects.toThrow('holds no mode');
    }
  });

  test('has room for the longest id that an envelope may carry', async () => {
    const latch = newLatch();
    const longest = '\u{1F511}'.repeat(512);
    await latch.raise(proven, { ...messageFrom({ from: longest, mode: 'sig' }) });
    expect(await latch.get(longest)).toBe('sig');
  });
});

describe('#sec-reply-strength W19 a message that is refused', () => {
  type Case = [why: string, stage: string, after: SecurityMode, make: typeof unbound];
  const unbound = async ({ bob, alice }: Awaited<ReturnType<typeof newScene>>): Promise<Wire> => {
    const { envelope } = await forge(alice, bob, { mode: 'enc+sig' });
    return resigned(alice, envelope, drop('/sec/x/bind'));
  };

  test.each<Case>([
    ['signed, and not bound', 'bind', 'enc+sig', unbound],
    [
      'signed, and sealed to somebody else',
      'decrypt',
      'enc+sig',
      ({ bob, alice, mallory }) =>
        forge(alice, bob, {
          mode: 'enc+sig',
          recipients: bundleKeys(mallory.bundle, 'enc', NOW),
        }),
    ],
    [
      'not signed by its sender',
      'verify',
      'none',
      async ({ bob, alice, mallory }) => {
        const { envelope } = await forge(mallory, bob, { mode: 'enc+sig' });
        return resigned(
          mallory,
          envelope,
          put('/from/agent_id', alice.agentId),
          put('/sec/kid', alice.keys.find(({ use }) => use === 'sig')!.kid),
          put('/cap/a2a_sdl/bundle', alice.bundle.document),
        );
      },
    ],
    [
      'signed, and too old',
      'freshness',
      'none',
      ({ bob, alice }) => forge(alice, bob, { mode: 'enc+sig', nowMs: bob.clock.nowMs - 600_000 }),
    ],
    [
      'signed, with a nonce that was used',
      'replay',
      'sig',
      async ({ bob, alice }) => {
        const replay = { nonce: newNonce() };
        await judge(bob, await forge(alice, bob, { replay }));
        return forge(alice, bob, { mode: 'enc+sig', replay });
      },
    ],
  ])('%s: at %s leaves its sender at %s', async (_why, stage, after, make) => {
    const store = createMemoryStore({ now: () => NOW });
    const scene = await newScene({ store });
    const { outcome } = await judge(scene.bob, await make(scene));
    expect(outcome.stage).toBe(stage);
    expect(await createModeLatch(store).get(scene.alice.agentId)).toBe(after);
  });

  test('signed, and sent too fast: at contact leaves its sender at none', async () => {
    const store = createMemoryStore({ now: () => NOW });
    const { bob, alice } = await newScene({
      store,
      shared: { rateLimiter: { take: () => false } },
    });
    const { outcome } = await judge(bob, await forge(alice, bob, { mode: 'enc+sig' }));
    expect([outcome.stage, outcome.error?.code]).toEqual(['contact', 'LIMIT_RATE']);
    expect(await createModeLatch(store).get(alice.agentId)).toBe('none');
    expect(await store.count('replay')).toBe(0);
  });
});

describe.skipIf(driver === undefined)('#hardening W19 the latch in a file', () => {
  const folder = temporaryFolder();

  test('holds after a restart', async () => {
    const path = join(folder, 'latch.db');
    const first = await openSqliteStore({ path });
    await createModeLatch(first).raise(proven, message('enc+sig'));
    await first.close();
    const second = await openSqliteStore({ path });
    expect(await createModeLatch(second).get(ALICE)).toBe('enc+sig');
    await second.close();
  });
});
