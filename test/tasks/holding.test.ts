// Holding by itself: a task is written to only by who holds it, it is renewed before its time is over, and who is known to
// be dead holds nothing.

import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import { createTaskEngine } from '../../src/tasks/engine/engine.ts';
import { Holding, createHolderName } from '../../src/tasks/engine/holding.ts';
import type { HeldTask } from '../../src/tasks/engine/holding.ts';
import { newRow, taskKey } from '../../src/tasks/log/row.ts';
import type { TaskRow } from '../../src/tasks/log/row.ts';
import { TaskTable } from '../../src/tasks/log/table.ts';
import type { StoredTask } from '../../src/tasks/log/table.ts';
import { alice } from '../support/wire/envelopes.ts';
import { Gate, TestTime, said, start, testEngine } from '../support/agents/tasks.ts';
import { fragile } from '../support/stores/task-stores.ts';
import type { FragileStore } from '../support/stores/task-stores.ts';

const LEASE_MS = 30_000;
const THIRD = LEASE_MS / 3;
const FACTS = { made: 'm', digest: undefined, priority: 0, share: 'known', reserved: 0 } as const;

function nameOf(startId: string, node?: string, isExclusive = false) {
  return createHolderName({ node, isExclusive, startId });
}

describe('#task-ids who holds a task, by name', () => {
  test('alone under the name of its node, knows all earlier starts of it as dead, and nobody else', () => {
    const own = nameOf('now', 'a', true);
    const earlier = nameOf('before', 'a').name;
    expect(own.hasEnded(earlier)).toBe(true);
    expect(own.hasEnded(own.name)).toBe(false);
    for (const other of ['b', 'a/b', 'b/a', 'aa', '']) {
      expect(own.hasEnded(nameOf('before', other).name)).toBe(false);
    }
    expect(nameOf('now', 'a/b', true).hasEnded(nameOf('before', 'a/b').name)).toBe(true);
    expect(nameOf('now', 'a', false).hasEnded(earlier)).toBe(false);
    for (const node of [undefined, '']) {
      expect(() => nameOf('now', node, true)).toThrow('"isNodeExclusive" needs "node"');
    }
  });

  test('tells two engines apart that were given the same name', async () => {
    const store = createMemoryStore();
    const names = new Set<string | undefined>();
    for (const id of ['one', 'two']) {
      const onTask: OnTask = async (_task, ctx) => (await ctx.ask('?')).text;
      await start(createTaskEngine({ store, node: 'same', onTask }), { id });
      names.add((await rowOf(store, id)).row.holder?.name);
    }
    expect(names.size).toBe(2);
    expect([...names].every((name) => name?.startsWith('same/'))).toBe(true);
  });
});

async function rowOf(store: Store, id: string): Promise<StoredTask> {
  const table = new TaskTable(store, () => 0, LEASE_MS);
  return (await table.at(taskKey({ owner: alice.agent_id }, id)))!;
}

/** Somebody writes the row, as it may happen between any two writes of a run. */
async function rewrite(store: Store, id: string, patch: Partial<TaskRow>): Promise<void> {
  const table = new TaskTable(store, () => 0, LEASE_MS);
  const stored = await rowOf(store, id);
  const done = await store.transact(table.recording(stored, { ...stored.row, ...patch }, []));
  expect(done.ok).toBe(true);
}

interface Renewed {
  readonly task: HeldTask;
  readonly stored: () => StoredTask;
  readonly told: string[];
}

function setUp() {
  const time = new TestTime();
  const store = fragile(createMemoryStore({ now: () => time.now }));
  const table = new TaskTable(store, () => time.now, LEASE_MS);
  const errors: unknown[] = [];
  const holding = (startId: string, node?: string, isExclusive = false): Holding =>
    new Holding({
      table,
      holder: nameOf(startId, node, isExclusive),
      leaseMs: LEASE_MS,
      now: () => time.now,
      setTimer: time.setTimer,
      onError: (cause) => void errors.push(cause),
    });
  const hold = async (own: Holding, id: string): Promise<Renewed> => {
    const key = taskKey({ owner: alice.agent_id }, id);
    const origin = {
      tenant: '',
      owner: alice.agent_id,
      id,
      message: said('Do it'),
      metadata: {},
      source: { face: 'test', value: null },
      authority: { scheme: 'sdl' },
      createdAt: time.now,
    };
    const row: TaskRow = { ...newRow(origin, FACTS), holder: own.own };
    const done = await store.transact(table.creation(key, row, []));
    let stored: StoredTask = { key, row, version: done.ok ? done.results[0]! : 0 };
    const told: string[] = [];
    const task: HeldTask = {
      get idle() {
        return stored;
      },
      pauseFor: () => void told.push('paused'),
      renewed: (next) => {
        told.push('renewed');
        stored = next;
      },
      lookAgain: () => void told.push('look again'),
    };
    own.add(task);
    return { task, stored: () => stored, told };
  };
  return { time, store, table, holding, hold, errors };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('#task-ids what is held', () => {
  test('is free when its time is over, or when its holder is known to be dead, and not before', async () => {
    const { time, holding, hold } = setUp();
    const first = holding('1', 'a');
    const { row } = (await hold(first, 't')).stored();
    const [other, next] = [holding('2', 'b'), holding('2', 'a', true)];
    expect([first.isOwn(row), other.isOwn(row), next.isOwn(row)]).toEqual([true, false, false]);
    expect([first.isFree(row), other.isFree(row), next.isFree(row)]).toEqual([false, false, true]);
    time.now += LEASE_MS - 1;
    expect(other.isFree(row)).toBe(false);
    time.now += 1;
    expect(other.isFree(row)).toBe(true);
    expect(other.isFree({ ...row, holder: undefined })).toBe(true);
  });

  test('is renewed in the row before its time is over, again and again', async () => {
    const { time, store, holding, hold, errors } = setUp();
    const { stored, told } = await hold(holding('1'), 't');
    const versions = new Set<number>();
    for (let at = 0; at < 6; at += 1) {
      time.pass(THIRD);
      await settle();
      const found = await rowOf(store, 't');
      expect(found.row.holder).toEqual({ name: '/1', until: time.now + LEASE_MS });
      expect(found.version).toBe(stored().version);
      versions.add(found.version);
    }
    expect(versions.size).toBe(6);
    expect(told).toEqual(Array.from({ length: 6 }, () => ['paused', 'renewed']).flat());
    expect(errors).toEqual([]);
  });

  test('is not renewed by who let it go, nor where it was written lately', async () => {
    const { time, store, holding, hold } = setUp();
    const own = holding('1');
    const gone = await hold(own, 'gone');
    own.delete(gone.task);
    time.pass(THIRD - 1_000);
    const fresh = await hold(own, 'fresh');
    let transactions = 0;
    store.beforeTransact = () => void (transactions += 1);
    time.pass(1_000);
    await settle();
    expect([...gone.told, ...fresh.told]).toEqual([]);
    expect(transactions).toBe(0);
    time.pass(THIRD);
    await settle();
    expect(fresh.told).toEqual(['paused', 'renewed']);
  });

  test('by somebody else by now is left alone, whoever else is renewed with it', async () => {
    const { time, store, holding, hold } = setUp();
    const own = holding('1');
    const tasks: Renewed[] = [];
    for (const id of ['a', 'lost', 'b']) tasks.push(await hold(own, id));
    const holder = { name: '/2', until: time.now + 5 * LEASE_MS };
    await rewrite(store, 'lost', { holder });
    time.pass(THIRD);
    await settle();
    expect(tasks.map(({ told }) => told[1])).toEqual(['renewed', 'look again', 'renewed']);
    expect((await rowOf(store, 'lost')).row.holder).toEqual(holder);
    expect((await rowOf(store, 'b')).row.holder?.until).toBe(time.now + LEASE_MS);
  });

  test('is renewed many at once', async () => {
    const { time, store, holding, hold } = setUp();
    const own = holding('1');
    const tasks: Renewed[] = [];
    for (let at = 0; at < 450; at += 1) tasks.push(await hold(own, `t${at}`));
    const sizes: number[] = [];
    store.beforeTransact = (operations) => void sizes.push(operations.length);
    time.pass(THIRD);
    await settle();
    expect(sizes).toEqual([200, 200, 50]);
    expect(tasks.every(({ told }) => told.includes('renewed'))).toBe(true);
  });

  test('survives a renewal that fails, because there is another before its time is over', async () => {
    const { time, store, holding, hold } = setUp();
    const { stored } = await hold(holding('1'), 't');
    const { until } = stored().row.holder!;
    store.beforeTransact = () => {
      throw new Error('not now');
    };
    time.pass(THIRD);
    await settle();
    expect((await rowOf(store, 't')).row.holder?.until).toBe(until);
    store.beforeTransact = () => undefined;
    while ((await rowOf(store, 't')).row.holder?.until === until) {
      time.pass(1_000);
      await settle();
      expect(time.now).toBeLessThan(until);
    }
  });
});

/** One run that goes on when the test says so. */
async function runOf(work: OnTask): Promise<{
  readonly time: TestTime;
  readonly store: FragileStore;
  readonly goOn: Gate;
  readonly stopped: Gate;
  readonly errors: unknown[];
}> {
  const time = new TestTime();
  const store = fragile(createMemoryStore({ now: () => time.now }));
  const [goOn, stopped] = [new Gate(), new Gate()];
  const { engine, errors } = testEngine(
    async (task, ctx) => {
      ctx.signal.addEventListener('abort', () => stopped.open());
      await goOn.opened;
      return work(task, ctx) as Promise<undefined>;
    },
    { store, leaseMs: LEASE_MS, now: () => time.now, setTimer: time.setTimer },
  );
  await start(engine, { id: 't' });
  await settle();
  return { time, store, goOn, stopped, errors };
}

const WRITES: readonly (readonly [string, OnTask])[] = [
  [
    'goes on',
    (_task, ctx) => ctx.artifact({ name: 'a', text: 'x' }).then(() => new Promise(() => {})),
  ],
  ['ends', async () => 'x'],
];

describe('#task-ids a run', () => {
  test.each(WRITES)(
    'whose task somebody else has taken writes nothing that %s',
    async (_, work) => {
      const { time, store, goOn, stopped, errors } = await runOf(work);
      // As when the machine was suspended: it was not renewed.
      time.now += LEASE_MS;
      const holder = { name: '/second', until: time.now + LEASE_MS };
      await rewrite(store, 't', { holder });
      const before = await rowOf(store, 't');
      goOn.open();
      await stopped.opened;
      expect(await rowOf(store, 't')).toEqual(before);
      expect(await store.length(`task:${before.key}`)).toBe(2);
      expect(errors).toMatchObject([{ message: 'somebody else works on the task' }]);
    },
  );

  test.each(WRITES)(
    'whose time is over, and whose task nobody has taken, writes what %s',
    async (what, work) => {
      const { time, store, goOn, errors } = await runOf(work);
      time.now += LEASE_MS;
      goOn.open();
      await settle();
      const { row } = await rowOf(store, 't');
      const own = { until: time.now + LEASE_MS };
      if (what === 'ends') expect(row).toMatchObject({ state: 'completed' });
      else expect(row).toMatchObject({ state: 'working', generation: 3, holder: own });
      if (what === 'ends') expect(row.holder).toBeUndefined();
      expect(errors).toEqual([]);
    },
  );

  test('whose task somebody else has taken is told at the next renewal', async () => {
    const { time, store, stopped } = await runOf(async () => undefined);
    await rewrite(store, 't', { holder: { name: '/second', until: time.now + 5 * LEASE_MS } });
    time.pass(THIRD);
    await stopped.opened;
  });

  test.each(WRITES)(
    'whose row has another version because an answer was lost still holds it, and writes what %s',
    async (what, work) => {
      const { time, store, goOn, errors } = await runOf(work);
      const { row } = await rowOf(store, 't');
      await rewrite(store, 't', { holder: { ...row.holder!, until: time.now + 1_000 } });
      goOn.open();
      await settle();
      expect(await rowOf(store, 't')).toMatchObject({
        row: what === 'ends' ? { state: 'completed' } : { generation: 3 },
      });
      expect(errors).toEqual([]);
    },
  );

  test('is renewed also when it did not know the version of its row', async () => {
    const { time, store, errors } = await runOf(async () => undefined);
    const { row } = await rowOf(store, 't');
    await rewrite(store, 't', { holder: { ...row.holder!, until: time.now + LEASE_MS } });
    for (let at = 0; at < 2; at += 1) {
      time.pass(THIRD);
      await settle();
    }
    expect((await rowOf(store, 't')).row.holder?.until).toBe(time.now + LEASE_MS);
    expect(errors).toEqual([]);
  });

  test('moves the time on with everything that it writes', async () => {
    const wrote = new Gate();
    const { time, store, goOn } = await runOf(async (_task, ctx) => {
      await ctx.progress('half');
      wrote.open();
      await new Promise(() => undefined);
    });
    time.now += 5_000;
    goOn.open();
    await wrote.opened;
    expect((await rowOf(store, 't')).row.holder?.until).toBe(time.now + LEASE_MS);
  });
});
