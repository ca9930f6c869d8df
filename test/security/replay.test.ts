// Replay and idempotency: one run a nonce, the same reply for every retry, and how long a nonce is known.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { SdlError } from '../../src/errors.ts';
import { checkFreshness } from '../../src/security/message/freshness.ts';
import type { ReplayGuardOptions } from '../../src/security/replay/replay.ts';
import { createReplayGuard } from '../../src/security/replay/replay.ts';
import { signEnvelope, verifyEnvelope } from '../../src/security/message/sign.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { range } from '../compliance/store/setup.ts';
import { textOf, utf8 } from '../support/wire/bytes.ts';
import { request } from '../support/wire/envelopes.ts';
import type { GuardSetup } from '../support/trust/replay.ts';
import {
  HOUR,
  MINUTE,
  START,
  complete,
  failureCode,
  failureOf,
  newRun,
  openGuard,
  replyOf,
  storeRows,
  use,
} from '../support/trust/replay.ts';

describe.each(storeRows)('#replay-retry a retry in $label', (row) => {
  const setUp = (options?: Partial<ReplayGuardOptions>): Promise<GuardSetup> =>
    openGuard(row, options);

  test('a retry of the same message gets the stored reply, every time (W24)', async () => {
    const { guard } = await setUp();
    await complete(guard, use(), 'the reply');
    expect(await replyOf(guard, use())).toBe('the reply');
    expect(await replyOf(guard, use())).toBe('the reply');
  });

  test('a reply of no bytes is a reply too', async () => {
    const { guard } = await setUp();
    await complete(guard, use(), '');
    expect(await replyOf(guard, use())).toBe('');
  });

  test('the same nonce with another signing input is refused, before and after the reply', async () => {
    const { guard } = await setUp();
    const run = await newRun(guard, use());
    expect(await failureCode(guard.judge(use({ input: 'other' })))).toBe('REPLAYED');
    await run.complete(utf8('reply'));
    expect(await failureCode(guard.judge(use({ input: 'other' })))).toBe('REPLAYED');
    expect(await replyOf(guard, use())).toBe('reply');
  });

  test('64 at once run once, and all get the same bytes', async () => {
    const { guard } = await setUp();
    const verdicts = await Promise.all(range(64).map(() => guard.judge(use())));
    const runs = verdicts.filter((one) => one.kind === 'new');
    const joined = verdicts.filter((one) => one.kind === 'retry');
    expect([runs.length, joined.length]).toEqual([1, 63]);
    await runs[0]!.complete(utf8('reply'));
    const replies = await Promise.all(joined.map(({ reply }) => reply));
    expect(new Set(replies.map(textOf))).toEqual(new Set(['reply']));
    expect(await replyOf(guard, use())).toBe('reply');
  });

  test('64 at once with 64 inputs are one run and 63 replays', async () => {
    const { guard } = await setUp();
    const outcomes = await Promise.all(
      range(64).map((n) =>
        guard.judge(use({ input: `${n}` })).then(
          ({ kind }) => kind,
          (thrown: SdlError) => thrown.code,
        ),
      ),
    );
    expect(outcomes.filter((one) => one === 'new')).toHaveLength(1);
    expect(outcomes.filter((one) => one === 'REPLAYED')).toHaveLength(63);
  });

  test('a true retry is not mistaken while another input with its nonce is looked up', async () => {
    const { guard } = await setUp();
    await complete(guard, use());
    const foreign = failureCode(guard.judge(use({ input: 'other' })));
    expect(await replyOf(guard, use())).toBe('reply');
    expect(await foreign).toBe('REPLAYED');
  });

  test('the reply is the guard’s own copy', async () => {
    const { guard } = await setUp();
    const one = use();
    const run = await newRun(guard, one);
    const joined = replyOf(guard, use());
    one.inputHash.fill(0);
    const reply = utf8('reply');
    const completing = run.complete(reply);
    reply.fill(0);
    await completing;
    expect(await joined).toBe('reply');
    expect(await replyOf(guard, use())).toBe('reply');
  });

  test('an abandoned run may run again; who had joined gets what it was abandoned for', async () => {
    const { guard } = await setUp();
    const run = await newRun(guard, use());
    const joined = replyOf(guard, use());
    await run.abandon(new SdlError('PAYLOAD_INVALID', 'of the run'));
    expect(await failureCode(joined)).toBe('PAYLOAD_INVALID');
    expect(await failureCode(guard.judge(use({ input: 'other' })))).toBe('REPLAYED');
    await complete(guard, use(), 'second');
    expect(await replyOf(guard, use())).toBe('second');
  });

  test('abandoned without a word, who had joined may try again', async () => {
    const { guard } = await setUp();
    const run = await newRun(guard, use());
    const joined = failureOf(replyOf(guard, use()));
    await run.abandon();
    expect(await joined).toMatchObject({ code: 'DEADLINE', details: { outcome: 'none' } });
    expect((await joined)?.row.retryable).toBe(true);
  });

  test('of several that take up an abandoned run one does', async () => {
    const { guard, guardOn, store } = await setUp();
    await (await newRun(guard, use())).abandon();
    const guards = [guard, guardOn(store, { joinMs: 0 }), guardOn(store, { joinMs: 0 })];
    const verdicts = await Promise.all(guards.map((one) => one.judge(use())));
    expect(verdicts.filter(({ kind }) => kind === 'new')).toHaveLength(1);
  });

  test('a run that has ended stays so', async () => {
    const { guard } = await setUp({ joinMs: 0 });
    const done = await newRun(guard, use());
    await done.complete(utf8('first'));
    await done.complete(utf8('second'));
    await done.abandon();
    expect(await replyOf(guard, use())).toBe('first');
    const gone = await newRun(guard, use({ nonce: 'nonce-2' }));
    await gone.abandon();
    const next = await newRun(guard, use({ nonce: 'nonce-2' }));
    await gone.complete(utf8('late'));
    const joined = replyOf(guard, use({ nonce: 'nonce-2' }));
    await next.complete(utf8('next'));
    expect(await joined).toBe('next');
  });

  test('a run that outlives its nonce answers those that joined it', async () => {
    const { guard, clock, store } = await setUp();
    const run = await newRun(guard, use());
    const joined = replyOf(guard, use());
    clock.now += HOUR;
    await run.complete(utf8('late'));
    expect(await joined).toBe('late');
    expect(await store.count('replay')).toBe(0);
  });
});

describe.each(storeRows)('#replay a nonce in $label', (row) => {
  const setUp = (options?: Partial<ReplayGuardOptions>): Promise<GuardSetup> =>
    openGuard(row, options);

  test('nonces are kept by key, not by the name that is claimed (W25)', async () => {
    const { guard } = await setUp();
    await complete(guard, use());
    const renamed = use({ agentId: 'did:key:mallory', input: 'renamed' });
    expect(await failureCode(guard.judge(renamed))).toBe('REPLAYED');
    expect((await guard.judge(use({ keyThumbprint: 'key-2', input: 'x' }))).kind).toBe('new');
  });

  test('no two pairs of key and nonce are one', async () => {
    const { guard } = await setUp();
    for (const [keyThumbprint, nonce] of [
      ['k', '1:k'],
      ['k1', ':k'],
      ['1:k', '1:k'],
      ['k:1', 'k'],
      ['k', ''],
    ] as const) {
      expect((await guard.judge(use({ keyThumbprint, nonce, input: nonce }))).kind).toBe('new');
    }
  });

  test('the longest agent ids and nonces fit', async () => {
    const { guard } = await setUp();
    const one = use({ agentId: '\u{1f980}'.repeat(512), nonce: '\u{1f980}'.repeat(256) });
    await complete(guard, one);
    expect(await replyOf(guard, one)).toBe('reply');
  });

  test('a nonce is there until exp plus the skew, whatever is purged (W20)', async () => {
    const { guard, clock, store } = await setUp();
    const { expMs } = use();
    await complete(guard, use());
    clock.now = expMs - 1;
    await store.purge();
    expect(await replyOf(guard, use())).toBe('reply');
    expect(await failureCode(guard.judge(use({ input: 'other' })))).toBe('REPLAYED');
    clock.now = expMs + 2 * MINUTE - 1;
    await store.purge();
    const prolonged = use({ input: 'other', expMs: expMs + HOUR });
    expect(await failureCode(guard.judge(prolonged))).toBe('REPLAYED');
    clock.now += 1;
    expect((await guard.judge(prolonged)).kind).toBe('new');
  });

  test('from exp on it is refused as expired, a retry too (W20)', async () => {
    const { guard, clock, store } = await setUp();
    await complete(guard, use());
    clock.now = use().expMs;
    expect(await failureCode(guard.judge(use()))).toBe('TIME_INVALID');
    expect(await failureCode(guard.judge(use({ nonce: 'fresh' })))).toBe('TIME_INVALID');
    expect(await failureCode(guard.judge(use({ expMs: NaN })))).toBe('TIME_INVALID');
    expect(await store.count('replay')).toBe(1);
  });

  test('no moment is fresh enough to be admitted and too late to be known', async () => {
    const { guard, clock } = await setUp();
    const exp = '2026-01-01T00:10:00Z';
    await complete(guard, use());
    for (const offset of [-1, 0, 1, 2 * MINUTE - 1, 2 * MINUTE, 2 * MINUTE + 1]) {
      clock.now = use().expMs + offset;
      const replay = async (): Promise<unknown> => {
        checkFreshness({ ts: new Date(clock.now).toISOString(), exp, nowMs: clock.now });
        return guard.judge(use({ input: 'other' }));
      };
      expect(await failureCode(replay())).toBe(offset < 0 ? 'REPLAYED' : 'TIME_INVALID');
    }
  });
});

describe('#replay-after-verify', () => {
  const crypto = chooseProvider('noble');
  const secretKey = new Uint8Array(32).fill(7); // TEST ONLY
  const publicKey = crypto.ed25519PublicKey(secretKey);
  const forger = new Uint8Array(32).fill(8); // TEST ONLY

  const unsigned: JsonObject = {
    ...request,
    sec: {
      mode: 'sig',
      kid: 'k',
      sig: { alg: 'ed25519', value: '', canon: 'jcs' },
      replay: { nonce: 'nonce-1', exp: '2026-01-01T00:10:00Z' },
    },
  };

  test('a forged copy burns no nonce, so the true message is still answered (W22)', async () => {
    const store = createMemoryStore({ now: () => START });
    const guard = createReplayGuard({ store, now: () => START });
    const receive = async (envelope: JsonObject): Promise<string> => {
      const { input } = await verifyEnvelope(envelope, { publicKey, crypto });
      const keyThumbprint = thumbprint('ed25519', publicKey);
      return (await guard.judge(use({ keyThumbprint, inputHash: sha256(input) }))).kind;
    };
    const { envelope: forged } = await signEnvelope(unsigned, 'jcs', forger, crypto);
    expect(await failureCode(receive(forged))).toBe('SIGNATURE_INVALID');
    expect(await store.count('replay')).toBe(0);
    const { envelope: genuine } = await signEnvelope(unsigned, 'jcs', secretKey, crypto);
    expect(await receive(genuine)).toBe('new');
    expect(await receive(genuine)).toBe('retry');
  });
});
