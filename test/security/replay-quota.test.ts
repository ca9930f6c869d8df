// Quotas of live nonces: whoever is full is refused, and nobody else loses anything.

import { describe, expect, test } from 'vitest';

import { SdlError } from '../../src/errors.ts';
import type { NonceUse } from '../../src/security/replay/entry.ts';
import type { ReplayGuardOptions } from '../../src/security/replay/replay.ts';
import { range } from '../compliance/store/setup.ts';
import type { GuardSetup } from '../support/trust/replay.ts';
import {
  MINUTE,
  complete,
  failureCode,
  newRun,
  openGuard,
  replyOf,
  storeRows,
  storeWith,
  use,
} from '../support/trust/replay.ts';

describe.each(storeRows)('#replay-quota in $label', (row) => {
  const setUp = (options?: Partial<ReplayGuardOptions>): Promise<GuardSetup> =>
    openGuard(row, options);

  const many = (count: number, changes: Partial<NonceUse> = {}): NonceUse[] =>
    range(count).map((n) => use({ nonce: `nonce-${n}`, ...changes }));

  test('a sender past its quota is refused, and no nonce of anybody is lost (W21)', async () => {
    const { guard, store } = await setUp({ quotaPerSender: 10 });
    const victim = use({ agentId: 'did:key:victim', keyThumbprint: 'key-v' });
    await complete(guard, victim);
    for (const one of many(10)) await complete(guard, one);
    const flood = many(100, { keyThumbprint: 'key-2' }).map((one) => failureCode(guard.judge(one)));
    expect(new Set(await Promise.all(flood))).toEqual(new Set(['REPLAY_FULL']));
    expect(await store.count('replay')).toBe(11);
    expect(await failureCode(guard.judge({ ...victim, inputHash: new Uint8Array(32) }))).toBe(
      'REPLAYED',
    );
    expect(await replyOf(guard, victim)).toBe('reply');
  });

  test('others are admitted meanwhile, and the sender can still retry', async () => {
    const { guard } = await setUp({ quotaPerSender: 2 });
    for (const one of many(2)) await complete(guard, one);
    expect(await failureCode(guard.judge(use({ nonce: 'third' })))).toBe('REPLAY_FULL');
    expect(await replyOf(guard, use({ nonce: 'nonce-0' }))).toBe('reply');
    const other = use({ agentId: 'did:key:bob', keyThumbprint: 'key-b' });
    expect((await guard.judge(other)).kind).toBe('new');
  });

  test('all keys of a sender share its quota, running and abandoned nonces count', async () => {
    const { guard } = await setUp({ quotaPerSender: 3 });
    await newRun(guard, use({ keyThumbprint: 'a' }));
    await (await newRun(guard, use({ keyThumbprint: 'b' }))).abandon();
    await complete(guard, use({ keyThumbprint: 'c' }));
    expect(await failureCode(guard.judge(use({ keyThumbprint: 'd' })))).toBe('REPLAY_FULL');
    expect((await guard.judge(use({ keyThumbprint: 'b' }))).kind).toBe('new');
  });

  test('forgotten nonces do not count, and are free again', async () => {
    const { guard, store } = await setUp({ quotaPerSender: 1 });
    for (const one of many(5)) await (await newRun(guard, one)).forget();
    expect(await store.count('replay')).toBe(0);
    await complete(guard, use({ input: 'other' }));
    expect(await failureCode(guard.judge(use({ nonce: 'nonce-9' })))).toBe('REPLAY_FULL');
  });

  test('who joined a message that is forgotten hears why, and an abandoned nonce keeps its message', async () => {
    const { guard } = await setUp();
    await (await newRun(guard, use())).abandon();
    const again = await newRun(guard, use());
    const joined = failureCode(replyOf(guard, use()));
    await again.forget(new SdlError('LIMIT_RATE', 'too fast'));
    expect(await joined).toBe('LIMIT_RATE');
    expect(await failureCode(guard.judge(use({ input: 'other' })))).toBe('REPLAYED');
    expect((await guard.judge(use())).kind).toBe('new');
  });

  test.each([1, 7, 20])('of 64 at once exactly the quota of %i is admitted', async (quota) => {
    const { guard, store } = await setUp({ quotaPerSender: quota });
    const codes = await Promise.all(many(64).map((one) => failureCode(guard.judge(one))));
    expect(codes.filter((code) => code === undefined)).toHaveLength(quota);
    expect(codes.filter((code) => code === 'REPLAY_FULL')).toHaveLength(64 - quota);
    expect(await store.count('replay')).toBe(quota);
  });

  test('copies of one message take one place', async () => {
    const { guard } = await setUp({ quotaPerSender: 2 });
    await Promise.all(range(64).map(() => guard.judge(use())));
    expect((await guard.judge(use({ nonce: 'second' }))).kind).toBe('new');
  });

  test('a copy that joined one past the quota fails like it', async () => {
    const { guard } = await setUp({ quotaPerSender: 1 });
    await complete(guard, use());
    const first = failureCode(guard.judge(use({ nonce: 'second' })));
    const second = failureCode(replyOf(guard, use({ nonce: 'second' })));
    expect(await Promise.all([first, second])).toEqual(['REPLAY_FULL', 'REPLAY_FULL']);
  });

  test('what has expired makes room', async () => {
    const { guard, clock } = await setUp({ quotaPerSender: 2 });
    for (const one of many(2)) await complete(guard, one);
    clock.now = use().expMs + 2 * MINUTE;
    const next = use({ nonce: 'next', expMs: clock.now + MINUTE });
    expect((await guard.judge(next)).kind).toBe('new');
  });

  test('counting is done once for many, not for each', async () => {
    const { store, guardOn } = await setUp();
    let counts = 0;
    const counted = storeWith(store, {
      count: (space, options) => {
        if (options?.index?.['agent'] !== undefined) counts += 1;
        return store.count(space, options);
      },
    });
    const guard = guardOn(counted, { quotaPerSender: 80 });
    for (const one of many(80)) await guard.judge(one);
    expect(counts).toBe(8);
  });
});
