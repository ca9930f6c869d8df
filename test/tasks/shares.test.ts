// Proves that nobody uses up the room of another: each owner has a share, strangers have one together, the operator and
// known callers have a reserve, and all of it is counted in the store.

import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import type { TaskEngine } from '../../src/tasks/engine/contract.ts';
import type { TaskEngineOptions } from '../../src/tasks/engine/options.ts';
import { TaskError } from '../../src/tasks/error.ts';
import { ownerName } from '../../src/tasks/log/row.ts';
import type { ShareClass } from '../../src/tasks/share.ts';
import { allTasks } from '../support/stores/task-stores.ts';
import { Gate, finished, start, testEngine } from '../support/agents/tasks.ts';
import type { TestEngine } from '../support/agents/tasks.ts';

/** Bytes that every small task sets aside. */
const SMALL = 4_096;

/** An engine whose tasks end at once, except those whose id begins with `open`. */
function setUp(options: Partial<TaskEngineOptions> = {}): TestEngine & { readonly gate: Gate } {
  const gate = new Gate();
  const made = testEngine(async ({ id }) => {
    if (id.startsWith('open')) await gate.opened;
  }, options);
  return { ...made, gate };
}

/** Starts tasks until one is refused. Returns how many there are. */
async function fill(
  engine: TaskEngine,
  share: ShareClass,
  owner: (at: number) => string,
): Promise<number> {
  for (let at = 0; ; at += 1) {
    try {
      await start(engine, { owner: owner(at), share, id: `open ${share} ${at}` });
    } catch (cause) {
      expect(cause).toMatchObject({ code: 'LIMIT_RATE' });
      return at;
    }
  }
}

async function ended(engine: TaskEngine, owner: string, id: string): Promise<void> {
  await finished(engine, await start(engine, { owner, id }));
}

const isThere = async (engine: TaskEngine, owner: string, id: string): Promise<boolean> =>
  (await engine.get({ owner }, id)) !== undefined;

describe('#task-shares A4 the open tasks of one owner', () => {
  test.each<[string, Partial<TaskEngineOptions>]>([
    ['tasks', { maxTasksPerOwner: 5, maxTasks: 20 }],
    ['bytes', { maxHeldBytesPerOwner: 5 * SMALL, maxHeldBytes: 20 * SMALL }],
  ])(
    'at its share of %s never push out the result of another, nor stop its next task',
    async (_what, options) => {
      const { engine } = setUp(options);
      await ended(engine, 'a', 'result');
      expect(await fill(engine, 'known', () => 'b')).toBe(5);
      expect(await isThere(engine, 'a', 'result')).toBe(true);
      await ended(engine, 'a', 'next');
      expect(await isThere(engine, 'a', 'result')).toBe(true);
    },
  );

  test('and of many owners at the share of all refuse a newcomer rather than drop what somebody finished', async () => {
    const { engine } = setUp({ maxTasks: 8 });
    await ended(engine, 'a', 'result');
    // One of eight is for the operator, and one has ended.
    expect(await fill(engine, 'known', (at) => `o${at}`)).toBe(6);
    expect(await isThere(engine, 'a', 'result')).toBe(true);
    await expect(start(engine, { owner: 'new', id: 't' })).rejects.toThrow(
      'the agent holds too many tasks that have not ended',
    );
    // Its own finished work makes room, and nobody else's.
    await ended(engine, 'a', 'next');
    expect(await isThere(engine, 'a', 'result')).toBe(false);
  });

  test('that ended make room, the one that ended first goes first, and an open one never', async () => {
    const { engine, time } = setUp({ maxTasksPerOwner: 3 });
    await start(engine, { owner: 'a', id: 'open' });
    await ended(engine, 'b', 'other');
    for (const id of ['one', 'two', 'three', 'four']) {
      time.now += 1;
      await ended(engine, 'a', id);
    }
    const left = (await engine.list({ owner: 'a' })).tasks.map(({ id }) => id);
    expect(left.sort()).toEqual(['four', 'open', 'three']);
    expect(await isThere(engine, 'b', 'other')).toBe(true);
  });

  test('that would not make room enough are all left where they are', async () => {
    const { engine } = setUp({ maxHeldBytesPerOwner: 4 * SMALL });
    await start(engine, { owner: 'a', id: 'open', text: 'x'.repeat(2 * SMALL - 1_000) });
    await ended(engine, 'a', 'small');
    const text = 'x'.repeat(3 * SMALL);
    await expect(start(engine, { owner: 'a', id: 'large', text })).rejects.toThrow(
      'one owner has too many bytes in tasks that have not ended',
    );
    expect(await isThere(engine, 'a', 'small')).toBe(true);
  });

  test('are told as what there is too much of: tasks or bytes', async () => {
    const tasks = setUp({ maxTasksPerOwner: 1 });
    await start(tasks.engine, { id: 'open' });
    await expect(start(tasks.engine, { id: 'more' })).rejects.toThrow(
      'one owner has too many tasks that have not ended',
    );
    const bytes = setUp({ maxHeldBytesPerOwner: SMALL });
    await start(bytes.engine, { id: 'open' });
    await expect(start(bytes.engine, { id: 'more' })).rejects.toThrow(
      'one owner has too many bytes in tasks that have not ended',
    );
  });

  test('of one tenant are not those of another', async () => {
    const { engine } = setUp({ maxTasksPerOwner: 1 });
    await start(engine, { owner: 'a', tenant: 'x', id: 'open' });
    await expect(start(engine, { owner: 'a', tenant: 'x', id: 'open 2' })).rejects.toThrow();
    expect((await start(engine, { owner: 'a', tenant: 'y', id: 'open' })).isNew).toBe(true);
  });
});

describe('#task-shares A7 strangers, each with a key of its own', () => {
  test.each<[string, Partial<TaskEngineOptions>]>([
    ['tasks', { maxTasks: 16 }],
    ['bytes', { maxHeldBytes: 16 * SMALL }],
  ])('have at most half of the %s together, and the rest is for others', async (_what, options) => {
    const { engine } = setUp({ ...options, maxConcurrent: 100 });
    expect(await fill(engine, 'stranger', (at) => `s${at}`)).toBe(8);
    await expect(start(engine, { owner: 's', share: 'stranger' })).rejects.toThrow(
      'strangers have used up their share of the tasks',
    );
    // Two of sixteen are for the operator alone.
    expect(await fill(engine, 'known', (at) => `k${at}`)).toBe(6);
    expect(await fill(engine, 'operator', () => 'op')).toBeGreaterThan(0);
  });

  test('find no room at all where only that of known callers and the operator is left', async () => {
    const { engine } = setUp({ maxTasks: 16 });
    for (let at = 0; at < 12; at += 1) await start(engine, { owner: `k${at}`, id: 'open' });
    expect(await fill(engine, 'stranger', (at) => `s${at}`)).toBe(0);
    expect(await fill(engine, 'known', (at) => `more${at}`)).toBe(2);
    expect(await fill(engine, 'operator', (at) => `op${at}`)).toBe(2);
  });

  test('never lose what they finished to another stranger', async () => {
    const { engine } = setUp({ maxTasks: 4 });
    for (const owner of ['s1', 's2']) {
      await finished(engine, await start(engine, { owner, share: 'stranger', id: 'done' }));
    }
    expect(await fill(engine, 'stranger', () => 's3')).toBe(0);
    expect(await isThere(engine, 's1', 'done')).toBe(true);
    expect(await fill(engine, 'stranger', () => 's1')).toBe(1);
    expect(await isThere(engine, 's1', 'done')).toBe(false);
    expect(await isThere(engine, 's2', 'done')).toBe(true);
  });

  test('that fill their places at work let a known caller and the operator begin at once', async () => {
    const { engine } = setUp({ maxConcurrent: 8 });
    const states: Record<ShareClass, string[]> = { stranger: [], known: [], operator: [] };
    for (const [share, count] of [
      ['stranger', 20],
      ['known', 20],
      ['operator', 2],
    ] as const) {
      for (let at = 0; at < count; at += 1) {
        const { task } = await start(engine, { owner: `${share}${at}`, share, id: `open ${at}` });
        states[share].push(task.status.state);
      }
    }
    const atWork = (share: ShareClass): number =>
      states[share].filter((state) => state === 'working').length;
    // Half for strangers; one place is only for the operator, and one more not for strangers.
    expect([atWork('stranger'), atWork('known'), atWork('operator')]).toEqual([4, 3, 1]);
  });
});

describe('#task-shares what is counted', () => {
  async function tallies(store: Store, owner: string): Promise<unknown> {
    const own = await store.tally(`tasks/owner/${ownerName({ owner })}`);
    return {
      all: await store.tally('tasks'),
      own,
      strangers: await store.tally('tasks/strangers'),
    };
  }

  const NONE = { count: 0, sum: 0 };

  test('a second engine and a restart count with the same numbers', async () => {
    const store = createMemoryStore();
    const options = { store, maxTasksPerOwner: 4, maxTasks: 8 };
    const first = setUp(options);
    const second = setUp(options);
    await start(first.engine, { owner: 'a', id: 'open 1' });
    await start(second.engine, { owner: 'a', id: 'open 2' });
    await start(first.engine, { owner: 'a', id: 'open 3' });
    expect(await fill(second.engine, 'known', () => 'a')).toBe(1);
    await expect(start(first.engine, { owner: 'a', id: 'open 5' })).rejects.toThrow('LIMIT_RATE');
    const restarted = setUp(options);
    await expect(start(restarted.engine, { owner: 'a', id: 'open 5' })).rejects.toThrow(
      'LIMIT_RATE',
    );
    expect(await fill(restarted.engine, 'known', (at) => `b${at}`)).toBe(3);
  });

  test('what grows sets more aside, and its removal gives back exactly that', async () => {
    const store = createMemoryStore();
    const { engine, time } = testEngine(
      async ({ id }, ctx) => {
        if (id === 'large') await ctx.artifact({ name: 'a', text: 'x'.repeat(3 * SMALL) });
      },
      { store, retentionMs: 1_000, purgeEveryMs: 1_000_000 },
    );
    for (const id of ['small', 'large']) {
      await finished(engine, await start(engine, { owner: 's', share: 'stranger', id }));
    }
    const rows = (await allTasks(store)).map(({ row }) => row);
    const held = { count: 2, sum: SMALL + 4 * SMALL };
    expect(rows.reduce((sum, { reserved }) => sum + reserved, 0)).toBe(held.sum);
    expect(rows.every(({ bytes, reserved }) => bytes <= reserved)).toBe(true);
    expect(await tallies(store, 's')).toEqual({ all: held, own: held, strangers: held });
    time.now += 1_000;
    expect(await engine.purge()).toBe(2);
    expect(await tallies(store, 's')).toEqual({ all: NONE, own: NONE, strangers: NONE });
  });

  test('two engines that purge at once give back each task once', async () => {
    const store = createMemoryStore();
    const options = { store, retentionMs: 1_000, purgeEveryMs: 1_000_000 };
    const [first, second] = [setUp(options), setUp(options)];
    for (let at = 0; at < 20; at += 1) await ended(first.engine, 'a', `t${at}`);
    first.time.now += 1_000;
    second.time.now += 1_000;
    const [one, other] = await Promise.all([first.engine.purge(), second.engine.purge()]);
    expect(one + other).toBe(20);
    expect(await tallies(store, 'a')).toEqual({ all: NONE, own: NONE, strangers: NONE });
  });

  test('a task that begins anew after a failure takes the share of the one that it was', async () => {
    const store = createMemoryStore();
    const { engine } = testEngine(
      async () => {
        throw new TaskError('later', { retryable: true });
      },
      { store, maxAttempts: 1, maxTasksPerOwner: 1 },
    );
    for (let at = 0; at < 3; at += 1) {
      const started = await start(engine, { owner: 'a', id: 'again', rerun: 'retryable' });
      expect(started.isNew).toBe(true);
      await finished(engine, started);
      const held = { count: 1, sum: SMALL };
      expect(await tallies(store, 'a')).toEqual({ all: held, own: held, strangers: NONE });
    }
  });

  test('a start that is refused, and one that joins another, count nothing', async () => {
    const store = createMemoryStore();
    const { engine } = setUp({ store, maxTasks: 8, maxTasksPerOwner: 1 });
    await start(engine, { owner: 'a', id: 'open' });
    await expect(start(engine, { owner: 'a', id: 'more' })).rejects.toThrow('LIMIT_RATE');
    await expect(start(engine, { owner: 'a', id: 'open', text: 'Other' })).rejects.toThrow(
      'TASK_CONFLICT',
    );
    expect((await start(engine, { owner: 'a', id: 'open' })).isNew).toBe(false);
    const held = { count: 1, sum: SMALL };
    expect(await tallies(store, 'a')).toEqual({ all: held, own: held, strangers: NONE });
  });

  test('room is free again when a task was canceled before it began', async () => {
    const { engine, gate } = setUp({ maxConcurrent: 1, maxTasksPerOwner: 3 });
    await start(engine, { owner: 'first', id: 'open' });
    for (let at = 0; at < 5; at += 1) {
      await start(engine, { owner: 'o', id: `t${at}` });
      await engine.cancel({ owner: 'o' }, `t${at}`);
    }
    expect((await engine.get({ owner: 'o' }, 't4'))?.status.state).toBe('canceled');
    expect(await isThere(engine, 'o', 't0')).toBe(false);
    gate.open();
  });

  test('room is free again when a task came too late', async () => {
    const { engine, time } = setUp({ maxTasksPerOwner: 3 });
    for (let at = 0; at < 5; at += 1) {
      const deadline = time.now - 1_000;
      const { task } = await finished(engine, await start(engine, { id: `t${at}`, deadline }));
      expect(task.status.failure?.code).toBe('DEADLINE');
    }
  });
});
