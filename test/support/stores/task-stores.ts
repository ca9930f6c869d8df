// Stores for tests of tasks: one that fails, stalls or is cut off when a test says so, and a look at what it holds.

import { expect } from 'vitest';
import type { Operation, Store, TransactResult } from '../../../src/stores/store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import type { TaskEvent, TaskStep } from '../../../src/tasks/event.ts';
import { foldStep, unfolded } from '../../../src/tasks/log/fold.ts';
import { decodeEvent, decodeOrigin } from '../../../src/tasks/log/record.ts';
import { decodeRow } from '../../../src/tasks/log/row.ts';
import type { TaskRow } from '../../../src/tasks/log/row.ts';
import type { Task } from '../../../src/tasks/task.ts';

/** A connection to a store that others use too. */
export interface FragileStore extends Store {
  /** Calls that the store itself is at. */
  readonly busy: number;
  /** From now on every call fails, as after the end of its process. */
  cut(): void;
  /** Called before each transaction; it may throw, or wait. */
  beforeTransact: (operations: readonly Operation[]) => Promise<void> | void;
  /** Called after each transaction; it may throw: then it was done, and its answer is lost. */
  afterTransact: (operations: readonly Operation[]) => Promise<void> | void;
}

export function fragile(store: Store): FragileStore {
  let isCut = false;
  const open = (): Store => {
    if (isCut) throw new StoreError('closed', 'the store is closed');
    return store;
  };
  const stop = new AbortController();
  let busy = 0;
  const counted = async <T>(call: (store: Store) => Promise<T>): Promise<T> => {
    busy += 1;
    try {
      return await call(open());
    } finally {
      busy -= 1;
    }
  };
  const own: FragileStore = {
    get busy() {
      return busy;
    },
    cut: () => {
      isCut = true;
      stop.abort();
    },
    beforeTransact: () => undefined,
    afterTransact: () => undefined,
    add: (...args) => counted((real) => real.add(...args)),
    get: (...args) => counted((real) => real.get(...args)),
    put: (...args) => counted((real) => real.put(...args)),
    delete: (...args) => counted((real) => real.delete(...args)),
    count: (...args) => counted((real) => real.count(...args)),
    purge: (...args) => counted((real) => real.purge(...args)),
    list: (...args) => counted((real) => real.list(...args)),
    append: (...args) => counted((real) => real.append(...args)),
    read: (...args) => counted((real) => real.read(...args)),
    length: (...args) => counted((real) => real.length(...args)),
    tally: (...args) => counted((real) => real.tally(...args)),
    async *watch(log, from, { signal } = {}) {
      yield* open().watch(log, from, {
        signal: AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]),
      });
    },
    close: async () => own.cut(),
    async transact(operations): Promise<TransactResult> {
      await own.beforeTransact(operations);
      const done = await counted((real) => real.transact(operations));
      await own.afterTransact(operations);
      return done;
    },
  };
  return own;
}

export interface HeldTask {
  readonly row: TaskRow;
  readonly task: Task;
  readonly events: readonly TaskEvent[];
  /** Before the first event. */
  readonly unstarted: Task;
  /** What who follows it from the start is told, one for each event. */
  readonly steps: readonly TaskStep[];
}

/** Every task in the store; fails if a row and its log do not say the same. */
export async function allTasks(store: Store): Promise<HeldTask[]> {
  const held: HeldTask[] = [];
  for (let after: string | undefined; ;) {
    const { entries, next } = await store.list('task', { limit: 1_000, after });
    for (const { key, value } of entries) held.push(await heldTask(store, key, decodeRow(value)));
    if (next === undefined) return held;
    after = next;
  }
}

async function heldTask(store: Store, key: string, row: TaskRow): Promise<HeldTask> {
  const records = await store.read(`task:${key}`, 0, 1_000);
  expect(records.map(({ position }) => position)).toEqual(records.map((_, at) => at));
  const events: TaskEvent[] = [];
  const steps: TaskStep[] = [];
  let folded = unfolded(decodeOrigin(records[0]!.value));
  const { task: unstarted } = folded;
  for (const record of records) {
    const event = decodeEvent(record, folded.task);
    const next = foldStep(folded, event, record.value.length);
    events.push(event);
    steps.push(next.step);
    folded = next.folded;
  }
  const { task } = folded;
  const { id, state, generation } = row;
  expect(task).toMatchObject({ id, status: { state }, generation });
  return { row, task, events, unstarted, steps };
}

/** How many entries and logs of tasks there are. */
export async function remains(store: Store, keys: readonly string[] = []): Promise<number> {
  let total = 0;
  for (const space of ['task', 'task-checkpoint']) {
    total += await store.count(space);
  }
  for (const key of keys) total += await store.length(`task:${key}`);
  return total;
}

/** The tasks that somebody holds now. */
export async function heldCount(store: Store, now: number): Promise<number> {
  return (await allTasks(store)).filter(({ row }) => (row.holder?.until ?? 0) > now).length;
}
