// What is left of a nonce after a restart, a crash or a failing store, and what another process sees of a run.

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { SdlError } from '../../src/errors.ts';
import type { FirstUse, ReplayGuardOptions } from '../../src/security/replay/replay.ts';
import { createReplayGuard } from '../../src/security/replay/replay.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { range } from '../compliance/store/setup.ts';
import { utf8 } from '../support/wire/bytes.ts';
import type { GuardSetup } from '../support/trust/replay.ts';
import {
  HOUR,
  START,
  complete,
  failureCode,
  failureOf,
  newRun,
  openGuard,
  replyOf,
  sharedRows,
  storeRows,
  storeWith,
  use,
} from '../support/trust/replay.ts';

describe.each(sharedRows)('#replay after a restart, in $label', (row) => {
  const setUp = (options?: Partial<ReplayGuardOptions>): Promise<GuardSetup> =>
    openGuard(row, options);

  test('nonces, replies and quotas are all there', async () => {
    const { guard, store, again, guardOn } = await setUp({ quotaPerSender: 2 });
    await complete(guard, use());
    await (await newRun(guard, use({ nonce: 'nonce-2' }))).abandon();
    await store.close();
    const next = guardOn(await again());
    expect(await replyOf(next, use())).toBe('reply');
    expect(await failureCode(next.judge(use({ input: 'other' })))).toBe('REPLAYED');
    expect(await failureCode(next.judge(use({ nonce: 'nonce-3' })))).toBe('REPLAY_FULL');
    expect((await next.judge(use({ nonce: 'nonce-2' }))).kind).toBe('new');
  });

  test('a run that a crash ended is not run again: its retry hears that nobody knows (#replay-retry)', async () => {
    const { guard, store, again, guardOn } = await setUp();
    await newRun(guard, use());
    await store.close();
    const next = guardOn(await again(), { joinMs: 0 });
    for (const _ of range(2)) {
      const failure = await failureOf(replyOf(next, use()));
      expect(failure).toMatchObject({ code: 'DEADLINE', details: { outcome: 'unknown' } });
    }
    expect(await failureCode(next.judge(use({ input: 'other' })))).toBe('REPLAYED');
  });
});

describe.each(storeRows)('#replay-retry in another process, by $label', (row) => {
  const setUp = (options?: Partial<ReplayGuardOptions>): Promise<GuardSetup> =>
    openGuard(row, options);

  /** Two guards on one store know of each other only through it. `steps` happen while the second one waits. */
  async function setUpTwo(...steps: ((run: FirstUse) => Promise<void> | void)[]) {
    const { guard, guardOn, store, again, clock } = await setUp();
    const run = await newRun(guard, use());
    const waits: number[] = [];
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms);
      await steps[waits.length - 1]?.(run);
    };
    const place = row.isShared ? await again() : store;
    return { other: guardOn(place, { joinMs: 1_000, wait }), waits, clock, run };
  }
  const nothing = (): void => undefined;

  test('a retry waits for the reply', async () => {
    const { other, waits } = await setUpTwo(nothing, (run) => run.complete(utf8('from afar')));
    const replies = await Promise.all(range(5).map(() => replyOf(other, use())));
    expect(new Set(replies)).toEqual(new Set(['from afar']));
    expect(waits).toEqual([100, 100]);
  });

  test('a retry that has waited long enough hears that nobody knows, and may ask again', async () => {
    const { other, waits, run } = await setUpTwo();
    const failure = await failureOf(replyOf(other, use()));
    expect(failure).toMatchObject({ code: 'DEADLINE', details: { outcome: 'unknown' } });
    expect(failure?.row.retryable).toBe(true);
    expect(waits).toHaveLength(10);
    await run.complete(utf8('at last'));
    expect(await replyOf(other, use())).toBe('at last');
  });

  test('a run that was abandoned there can be run here', async () => {
    const { other } = await setUpTwo((run) => run.abandon());
    const failure = await failureOf(replyOf(other, use()));
    expect(failure).toMatchObject({ code: 'DEADLINE', details: { outcome: 'none' } });
    await complete(other, use(), 'here');
    expect(await replyOf(other, use())).toBe('here');
  });

  test('a nonce that expires ends the wait', async () => {
    const { other, waits, clock } = await setUpTwo(() => {
      clock.now += HOUR;
    });
    expect(await failureCode(replyOf(other, use()))).toBe('DEADLINE');
    expect(waits).toHaveLength(1);
  });

  test('a run that outlived its nonce leaves the next use of it alone', async () => {
    const { run, other, clock } = await setUpTwo();
    clock.now += HOUR;
    const next = use({ input: 'another', expMs: clock.now + HOUR });
    await complete(other, next, 'of the next');
    await run.complete(utf8('too late'));
    expect(await replyOf(other, next)).toBe('of the next');
  });

  test('of 64 at once on two guards one runs', async () => {
    const { guard, guardOn, store, again } = await setUp();
    const place = row.isShared ? await again() : store;
    const other = guardOn(place, { joinMs: 0 });
    const verdicts = await Promise.all(
      range(64).map((n) => (n % 2 === 0 ? guard : other).judge(use())),
    );
    expect(verdicts.filter(({ kind }) => kind === 'new')).toHaveLength(1);
  });
});

describe('#replay a guard whose store fails', () => {
  test('admits nothing, and works again with it', async () => {
    const memory = createMemoryStore({ now: () => START });
    let isBroken = true;
    const store = storeWith(memory, {
      put: async (...args) => {
        if (isBroken) throw new SdlError('INTERNAL', 'the disk is full');
        return memory.put(...args);
      },
    });
    const guard = createReplayGuard({ store, now: () => START, joinMs: 0, quotaPerSender: 1 });
    const other = failureCode(guard.judge(use()));
    const second = failureCode(guard.judge(use({ input: 'other' })));
    expect([await other, await second]).toEqual(['INTERNAL', 'INTERNAL']);
    isBroken = false;
    const run = await newRun(guard, use());
    const joined = replyOf(guard, use());
    isBroken = true;
    expect(await failureCode(run.complete(utf8('reply')))).toBe('INTERNAL');
    expect(await joined).toBe('reply');
    // The reply was not kept, so nobody knows; but it does not run again.
    expect(await failureCode(replyOf(guard, use()))).toBe('DEADLINE');
  });

  test('and options that make no sense are named', async () => {
    const store = createMemoryStore();
    for (const name of ['quotaPerSender', 'skewMs', 'joinMs']) {
      expect(() => createReplayGuard({ store, [name]: -1 })).toThrow(new RegExp(`"${name}"`));
    }
    const guard = createReplayGuard({ store, now: () => START });
    await expect(guard.judge(use({ inputHash: utf8('short') }))).rejects.toThrow(/"inputHash"/);
  });

  test('and the clock and the timer are the platform’s unless given', async () => {
    vi.useFakeTimers({ now: START });
    onTestFinished(() => void vi.useRealTimers());
    const store = createMemoryStore();
    await newRun(createReplayGuard({ store }), use());
    const failure = failureCode(replyOf(createReplayGuard({ store, joinMs: 150 }), use()));
    await vi.advanceTimersByTimeAsync(200);
    expect(await failure).toBe('DEADLINE');
  });
});
