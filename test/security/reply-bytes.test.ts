// The quota of bytes of kept replies: whoever is full runs nothing new, every retry still gets its reply.

import { describe, expect, test } from 'vitest';

import type { NonceUse } from '../../src/security/replay/entry.ts';
import type { ReplayGuard, ReplayGuardOptions } from '../../src/security/replay/replay.ts';
import { createReplayGuard } from '../../src/security/replay/replay.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { range } from '../compliance/store/setup.ts';
import { textOf, utf8 } from '../support/wire/bytes.ts';
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
  sharedRows,
  storeRows,
  storeWith,
  use,
} from '../support/trust/replay.ts';

const KIB = 1_024;
const reply = (bytes: number): string => 'r'.repeat(bytes);
const nth = (n: number, changes: Partial<NonceUse> = {}): NonceUse =>
  use({ nonce: `nonce-${n}`, ...changes });

/** How many replies of a size are kept before the sender is full; asked one after the other. */
async function roomFor(guard: ReplayGuard, bytes: number, atMost = 100): Promise<number> {
  for (const n of range(atMost)) {
    const verdict = await guard.judge(nth(n)).catch(() => undefined);
    if (verdict?.kind !== 'new') return n;
    await verdict.complete(utf8(reply(bytes)));
  }
  return atMost;
}

describe.each(storeRows)('#replay-quota bytes of replies in $label', (row) => {
  const setUp = (options?: Partial<ReplayGuardOptions>): Promise<GuardSetup> =>
    openGuard(row, { maxReplyBytesPerSender: 256 * KIB, ...options });

  test.each([
    [8 * KIB, 100],
    [8 * KIB + 1, 16],
    [16 * KIB, 16],
    [16 * KIB + 1, 8],
    [100 * KIB, 2],
    [300 * KIB, 1],
  ])('replies of %i bytes are kept until the next power of two is over: %i', async (size, room) => {
    const { guard } = await setUp();
    expect(await roomFor(guard, size)).toBe(room);
  });

  test('a sender that is full is refused, others are not, and every retry gets its reply', async () => {
    const { guard } = await setUp();
    expect(await roomFor(guard, 128 * KIB)).toBe(2);
    const failure = await failureOf(guard.judge(nth(9)));
    expect(failure).toMatchObject({
      code: 'REPLAY_FULL',
      reason: expect.stringContaining('bytes'),
    });
    expect(failure?.row.retryable).toBe(true);
    for (const n of range(2)) expect(await replyOf(guard, nth(n))).toBe(reply(128 * KIB));
    const other = nth(9, { agentId: 'did:key:bob', keyThumbprint: 'key-b' });
    expect((await guard.judge(other)).kind).toBe('new');
  });

  test('a sender that is full takes no nonce, so the same message may come again later', async () => {
    const { guard, store, clock } = await setUp();
    await roomFor(guard, 128 * KIB);
    expect(await failureCode(guard.judge(nth(9, { expMs: START + HOUR })))).toBe('REPLAY_FULL');
    expect(await store.count('replay')).toBe(2);
    clock.now = use().expMs + 2 * MINUTE;
    expect((await guard.judge(nth(9, { expMs: START + HOUR }))).kind).toBe('new');
  });

  test('a nonce that was abandoned does not run again while its sender is full', async () => {
    const { guard } = await setUp();
    await (await newRun(guard, nth(9))).abandon();
    await roomFor(guard, 128 * KIB);
    expect(await failureCode(guard.judge(nth(9)))).toBe('REPLAY_FULL');
  });

  test('what runs when the quota is reached is kept, and nothing after it', async () => {
    const { guard } = await setUp();
    const runs = await Promise.all(range(3).map((n) => newRun(guard, nth(n))));
    for (const run of runs) await run.complete(utf8(reply(256 * KIB)));
    for (const n of range(3)) expect((await replyOf(guard, nth(n))).length).toBe(256 * KIB);
    expect(await failureCode(guard.judge(nth(9)))).toBe('REPLAY_FULL');
  });

  test('all keys of a sender share it', async () => {
    const { guard } = await setUp();
    for (const keyThumbprint of ['a', 'b']) {
      await complete(guard, use({ keyThumbprint }), reply(128 * KIB));
    }
    expect(await failureCode(guard.judge(use({ keyThumbprint: 'c' })))).toBe('REPLAY_FULL');
  });

  test('small replies cost no count, and a full sender is not counted for each message', async () => {
    const { store, guardOn, clock } = await setUp();
    let counts = 0;
    const counted = storeWith(store, {
      count: (space, options) => {
        const { index } = options ?? {};
        if (index !== undefined && index['agent'] === undefined) counts += 1;
        return store.count(space, options);
      },
    });
    const guard = guardOn(counted);
    for (const n of range(50)) await complete(guard, nth(n, { keyThumbprint: 'small' }));
    expect(counts).toBe(1);
    await roomFor(guard, 128 * KIB);
    for (const n of range(50)) await failureCode(guard.judge(nth(100 + n)));
    const whenFull = counts;
    for (const n of range(50)) await failureCode(guard.judge(nth(100 + n)));
    expect(counts).toBe(whenFull);
    clock.now += 1_000;
    expect(await failureCode(guard.judge(nth(100)))).toBe('REPLAY_FULL');
    expect(counts).toBeGreaterThan(whenFull);
  });
});

describe.each(sharedRows)('#replay-quota bytes of replies after a restart, in $label', (row) => {
  test('count as before', async () => {
    const options = { maxReplyBytesPerSender: 64 * KIB };
    const { guard, store, again, guardOn } = await openGuard(row, options);
    for (const n of range(3)) await complete(guard, nth(n), reply(16 * KIB));
    await store.close();
    const next = guardOn(await again());
    await complete(next, nth(3), reply(16 * KIB));
    expect(await failureCode(next.judge(nth(4)))).toBe('REPLAY_FULL');
    expect(await replyOf(next, nth(0))).toBe(reply(16 * KIB));
  });

  test('are seen by another process once it counts again', async () => {
    const options = { maxReplyBytesPerSender: 64 * KIB };
    const { guard, again, guardOn } = await openGuard(row, options);
    const other = guardOn(await again());
    await complete(other, nth(0));
    for (const n of range(3)) await complete(guard, nth(1 + n), reply(16 * KIB));
    await complete(other, nth(4), reply(16 * KIB));
    expect(await failureCode(other.judge(nth(5)))).toBe('REPLAY_FULL');
  });
});

describe('#replay-quota bytes of replies that are being written', () => {
  test('are not missed by a count that goes on meanwhile', async () => {
    const memory = createMemoryStore({ now: () => START });
    let isHeld = false;
    let counted!: () => void;
    let release!: () => void;
    const whenCounted = new Promise<void>((resolve) => {
      counted = resolve;
    });
    const whenReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const store = storeWith(memory, {
      count: async (space, options) => {
        const count = await memory.count(space, options);
        if (isHeld && options?.index?.['charge'] !== undefined) {
          counted();
          await whenReleased;
        }
        return count;
      },
    });
    const guard = createReplayGuard({ store, now: () => START, maxReplyBytesPerSender: 64 * KIB });
    const runs = await Promise.all(range(4).map((n) => newRun(guard, nth(n))));
    await runs[0]!.complete(utf8(reply(16 * KIB)));
    isHeld = true;
    // This judgement counts one reply, and three more land before it hears how many there are.
    const counting = failureCode(guard.judge(nth(8)));
    await whenCounted;
    for (const run of runs.slice(1)) await run.complete(utf8(reply(16 * KIB)));
    release();
    expect(await counting).toBe('REPLAY_FULL');
    expect(await failureCode(guard.judge(nth(9)))).toBe('REPLAY_FULL');
  });

  test('are waited for by a count that begins then', async () => {
    const memory = createMemoryStore({ now: () => START });
    let now = START;
    let hold: Promise<void> | undefined;
    let release!: () => void;
    const store = storeWith(memory, {
      put: async (...args) => {
        await hold;
        return memory.put(...args);
      },
    });
    const guard = createReplayGuard({ store, now: () => now, maxReplyBytesPerSender: 16 * KIB });
    const run = await newRun(guard, nth(0));
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const completing = run.complete(utf8(reply(16 * KIB)));
    now += 1_000;
    const admitting = failureCode(guard.judge(nth(1)));
    // A count that did not wait would be over after this turn.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    release();
    await completing;
    expect(await admitting).toBe('REPLAY_FULL');
  });

  test('count though their write failed, until they are counted', async () => {
    const memory = createMemoryStore({ now: () => START });
    let now = START;
    let isBroken = false;
    const store = storeWith(memory, {
      put: async (...args) => {
        if (isBroken) throw new Error('the answer was lost');
        return memory.put(...args);
      },
    });
    const guard = createReplayGuard({ store, now: () => now, maxReplyBytesPerSender: 16 * KIB });
    const run = await newRun(guard, nth(0));
    isBroken = true;
    await expect(run.complete(utf8(reply(16 * KIB)))).rejects.toThrow('the answer was lost');
    isBroken = false;
    expect(await failureCode(guard.judge(nth(1)))).toBe('REPLAY_FULL');
    now += 1_000;
    expect((await guard.judge(nth(1))).kind).toBe('new');
  });

  test('the option is checked', () => {
    const store = createMemoryStore();
    expect(() => createReplayGuard({ store, maxReplyBytesPerSender: 0 })).toThrow(
      /"maxReplyBytesPerSender"/,
    );
  });

  test('a reply is the same bytes on every retry, whatever its size', async () => {
    const guard = createReplayGuard({
      store: createMemoryStore({ now: () => START }),
      now: () => START,
    });
    for (const [n, size] of [0, 8 * KIB, 8 * KIB + 1, 1024 * KIB].entries()) {
      await complete(guard, nth(n), reply(size));
      const verdict = await guard.judge(nth(n));
      if (verdict.kind !== 'retry') throw new Error('expected a retry');
      expect(textOf(await verdict.reply)).toBe(reply(size));
    }
  });
});
