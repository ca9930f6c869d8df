// Group B of the weaknesses: replay, time, retries, through the pipeline.
// Each test is the attack; without its fix it succeeds.

import { describe, expect, test } from 'vitest';

import { formatTimestamp } from '../../src/envelope/timestamp.ts';
import type { OwnIdentity } from '../../src/security/identity/own-identity.ts';
import { signingKeyOf } from '../../src/security/identity/own-identity.ts';
import { createReplayGuard } from '../../src/security/replay/replay.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { Clock, NOW, entryFor, newIdentity } from '../support/agents/agents.ts';
import { taskPayload } from '../support/wire/envelopes.ts';
import type { Draft } from '../support/wire/forge.ts';
import {
  changed,
  forge,
  identityOf,
  judge,
  newReceiver,
  newScene,
  put,
  resigned,
} from '../support/wire/forge.ts';
import { turn, until } from '../support/agents/exchanges.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A message with this nonce that is good for so long; each has another id. */
const withNonce = (nonce: string, forMs = MINUTE): Draft => ({
  replay: { nonce, exp: formatTimestamp(NOW + forMs) },
});

describe('W20 W21 W25 nonces are kept #replay #replay-window #replay-quota', () => {
  test('W20 a nonce is remembered for as long as its message is valid', async () => {
    const { bob, alice } = await newScene();
    const use = withNonce('n', HOUR);
    const first = await forge(alice, bob, use);
    expect((await judge(bob, first)).code).toBeUndefined();
    for (const minutes of [11, 30, 59]) {
      bob.clock.nowMs = NOW + minutes * MINUTE;
      expect((await judge(bob, first)).outcome.isRetry).toBe(true);
      expect((await judge(bob, await forge(alice, bob, use))).code).toBe('REPLAYED');
    }
    expect(bob.runs).toHaveLength(1);
  });

  test.each([0, 1_000, HOUR])('W20 %i ms after its end a message is refused', async (afterMs) => {
    const { bob, alice } = await newScene();
    const message = await forge(alice, bob, withNonce('n'));
    bob.clock.nowMs = NOW + MINUTE + afterMs;
    expect((await judge(bob, message)).code).toBe('TIME_INVALID');
    expect(bob.runs).toEqual([]);
  });

  test('W20 a message that wants to be valid for longer than nonces are kept is refused', async () => {
    const { bob, alice } = await newScene();
    const message = await forge(alice, bob, withNonce('n', HOUR + 1_000));
    expect((await judge(bob, message)).code).toBe('TIME_INVALID');
    expect(bob.runs).toEqual([]);
  });

  test('W21 a flood of nonces pushes out nobody: it is refused', async () => {
    const clock = new Clock();
    const store = createMemoryStore({ now: clock.now });
    const { bob, alice, mallory } = await newScene({ store });
    const victim = withNonce('n', HOUR);
    expect((await judge(bob, await forge(alice, bob, victim))).code).toBeUndefined();
    // What ten thousand signed messages would leave behind.
    const guard = createReplayGuard({ store, now: clock.now });
    const { key } = signingKeyOf(mallory, NOW);
    const use = {
      agentId: mallory.agentId,
      keyThumbprint: thumbprint('ed25519', key.publicKey),
      tsMs: NOW,
      expMs: NOW + HOUR,
      inputHash: new Uint8Array(32),
    };
    for (let count = 0; count < 10_000; count += 1) {
      await guard.judge({ ...use, nonce: `flood-${count}` });
    }
    expect((await judge(bob, await forge(mallory, bob))).code).toBe('REPLAY_FULL');
    expect((await judge(bob, await forge(alice, bob, victim))).code).toBe('REPLAYED');
    expect((await judge(bob, await forge(alice, bob))).code).toBeUndefined();
    expect(bob.runs).toHaveLength(2);
  });

  test('W25 a nonce that another agent used first is still free', async () => {
    const { bob, alice, mallory } = await newScene();
    for (const sender of [mallory, alice]) {
      expect((await judge(bob, await forge(sender, bob, withNonce('n')))).code).toBeUndefined();
    }
    expect(bob.runs).toHaveLength(2);
  });

  test('W25 one key uses a nonce once, under whatever name and kid', async () => {
    const bob = await newReceiver();
    const { root: key } = await newIdentity();
    const named = (agentId: string, kid: string): OwnIdentity => {
      bob.book.add({
        ...entryFor(bob.identity, { switches: new Set(['label-id']) }),
        agentId,
        signingKeys: [{ kid, key: key.publicKey }],
      });
      return { agentId, keys: [{ kid, use: 'sig', notAfterMs: NOW + HOUR, key }] };
    };
    const [one, other] = [named('label-one', 'k1'), named('label-other', 'k2')];
    expect((await judge(bob, await forge(one, bob, withNonce('n')))).code).toBeUndefined();
    expect((await judge(bob, await forge(other, bob, withNonce('n')))).code).toBe('REPLAYED');
    expect(bob.runs).toHaveLength(1);
  });
});

describe('W22 forgeries burn nothing #replay-after-verify', () => {
  test('W22 a copy with a broken signature does not use up the nonce of the real message', async () => {
    const { bob, alice } = await newScene();
    const real = await forge(alice, bob, withNonce('n'));
    const copy = changed(real.envelope, put('/payload/goal', 'garbage'));
    expect((await judge(bob, copy)).code).toBe('SIGNATURE_INVALID');
    expect((await judge(bob, real)).code).toBeUndefined();
    expect(bob.runs).toEqual([taskPayload]);
  });

  test('W22 nor does a forgery by somebody else under a nonce that it foresaw', async () => {
    const { bob, alice, mallory } = await newScene();
    const members = { from: identityOf(alice) };
    const forged = await forge(mallory, bob, { ...withNonce('n'), members });
    expect((await judge(bob, forged)).code).toBe('SENDER_REFUSED');
    expect((await judge(bob, await forge(alice, bob, withNonce('n')))).code).toBeUndefined();
  });
});

describe('W23 dates #timestamp #replay-window', () => {
  test.each([
    '2026-W47-1T00:28:29Z',
    '2026-W47-1',
    '2026-11-16T00:28:29',
    '2026-11-16T14:28:29+14:00',
    '2026-11-16T00:28:29+00:00',
    '2026-11-16 00:28:29Z',
    '2026-11-16t00:28:29z',
    '20261116T002829Z',
  ])('W23 the date %s is refused as ts and as exp', async (date) => {
    const { bob, alice } = await newScene();
    const ts = await forge(alice, bob, { members: { ts: date } });
    expect((await judge(bob, ts)).code).toBe('ENVELOPE_INVALID');
    const exp = await forge(alice, bob, { replay: { exp: date } });
    expect((await judge(bob, exp)).code).toBe('ENVELOPE_INVALID');
    expect(bob.runs).toEqual([]);
  });

  test('W23 a message of the future is refused', async () => {
    const { bob, alice } = await newScene();
    const aheadBy = (ms: number): Draft => ({ members: { ts: formatTimestamp(NOW + ms) } });
    const early = await forge(alice, bob, aheadBy(2 * MINUTE + 1_000));
    expect((await judge(bob, early)).code).toBe('TIME_INVALID');
    expect((await judge(bob, await forge(alice, bob, aheadBy(2 * MINUTE)))).code).toBeUndefined();
    expect(bob.runs).toHaveLength(1);
  });

  test('W23 an old message without exp is refused where that is allowed at all', async () => {
    const { bob, alice } = await newScene();
    const draft: Draft = { replay: null };
    expect((await judge(bob, await forge(alice, bob, draft))).code).toBe('ENVELOPE_INVALID');
    bob.book.add(entryFor(alice, { switches: new Set(['no-replay']) }));
    const old = await forge(alice, bob, { ...draft, nowMs: NOW - 2 * MINUTE - 1_000 });
    expect((await judge(bob, old)).code).toBe('TIME_INVALID');
    expect((await judge(bob, await forge(alice, bob, draft))).code).toBeUndefined();
    expect(bob.runs).toHaveLength(1);
  });
});

describe('W24 a retry #replay-retry', () => {
  test('W24 the same bytes get the same answer, and nothing runs twice', async () => {
    const { bob, alice } = await newScene();
    const message = await forge(alice, bob, { mode: 'enc+sig' });
    const first = await judge(bob, message);
    const second = await judge(bob, message);
    expect(second.code).toBeUndefined();
    expect(second.outcome.isRetry).toBe(true);
    expect(second.replies[0]!.bytes).toEqual(first.replies[0]!.bytes);
    expect(bob.runs).toHaveLength(1);
  });

  test('W24 a retry while the first is still at work waits for its answer', async () => {
    let runs = 0;
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { bob, alice } = await newScene({
      onTask: async () => {
        runs += 1;
        await finished;
      },
    });
    const message = await forge(alice, bob);
    const first = judge(bob, message);
    await until(() => runs > 0);
    const second = judge(bob, message);
    await turn();
    finish();
    expect((await second).replies[0]!.bytes).toEqual((await first).replies[0]!.bytes);
    expect(runs).toBe(1);
  });

  test('W24 another message under the same nonce is no retry', async () => {
    const { bob, alice } = await newScene();
    const { envelope } = await forge(alice, bob, withNonce('n'));
    expect((await judge(bob, envelope)).code).toBeUndefined();
    const other = await resigned(alice, envelope, put('/payload/goal', 'another'));
    const { outcome, code, reply } = await judge(bob, other);
    expect([outcome.stage, code]).toEqual(['replay', 'REPLAYED']);
    expect(reply).toMatchObject({ ct: 'error.v1' });
    expect(bob.runs).toHaveLength(1);
  });
});
