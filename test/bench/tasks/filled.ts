// A store full of tasks, written by its own transactions with the engine's own records, and the calls to measure on it.

import type { Operation, Store } from '../../../src/stores/store.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import type { TaskEngine } from '../../../src/tasks/engine/contract.ts';
import type { TaskPage } from '../../../src/tasks/request.ts';
import { isTerminal } from '../../../src/tasks/task.ts';
import type { Begun, TaskName } from './writes.ts';
import { COMPLETED, NO_LIMITS, REPORTS, beginOf, recordOf, startOf } from './writes.ts';

interface Work {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  /** How many calls a run makes. */
  readonly count: number;
}

export interface FilledStore {
  readonly works: readonly Work[];
  readonly close: () => Promise<void>;
}

/** Tasks of one owner, and tasks that have not ended. Equal in every size: only the rest grows. */
const OWNED = 100;
const OPEN = 50;
const TOUCHED_OWNERS = 10;
/** Tasks of one transaction of filling. */
const BATCH = 500;
const CALLS = 16;
/** Tasks that are purged at once. */
const PASSED = 16;
const RETENTION_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const PROGRESS = REPORTS[0]!;

function nameAt(at: number, size: number): TaskName {
  return { owner: `did:example:owner-${at % (size / OWNED)}`, id: `task-${at}` };
}

export async function fillStore(store: Store, size: number): Promise<FilledStore> {
  const open: Begun[] = [];
  // One ended after the other. None passes while the benchmark runs, except for those who are told that it is later.
  const start = Date.now() - RETENTION_MS + 4 * HOUR_MS;
  const pace = HOUR_MS / size;
  const isOpen = (at: number): boolean => at % (size / OPEN) === size / OPEN - 1;
  for (let from = 0; from < size; from += BATCH) {
    const operations: Operation[] = [];
    for (let at = from; at < from + BATCH; at += 1) {
      const moment = Math.floor(start + at * pace);
      const changes = isOpen(at) ? [PROGRESS] : [PROGRESS, COMPLETED];
      const task = beginOf(nameAt(at, size), moment, changes, 2 * RETENTION_MS);
      operations.push(...task.operations);
      if (isOpen(at)) open.push(task);
    }
    const done = await store.transact(operations);
    if (!done.ok) throw new Error('a task of the benchmark was refused');
  }
  return worksOn(store, size, open, (removed) => start + removed * pace + RETENTION_MS);
}

async function worksOn(
  store: Store,
  size: number,
  open: Begun[],
  /** When so many have passed. */
  momentOf: (passed: number) => number,
): Promise<FilledStore> {
  const never = (): (() => void) => () => undefined;
  const engine = createTaskEngine({
    store,
    onTask: async () => undefined,
    onState: ({ id, status }) => {
      if (isTerminal(status.state)) ends.get(id)?.();
    },
    ...NO_LIMITS,
    retentionMs: RETENTION_MS,
    setTimer: never,
  });
  const ends = new Map<string, () => void>();
  let turn = 0;
  // In every size the same number of tasks is touched, from all over the store: what is measured is not the cache.
  const some = (): TaskName => {
    turn += 1;
    const owners = size / OWNED;
    const owner = (turn % TOUCHED_OWNERS) * (owners / TOUCHED_OWNERS);
    return nameAt(owner + ((turn * 7) % OWNED) * owners, size);
  };
  const times = (count: number, call: () => Promise<unknown>) => async (): Promise<void> => {
    for (let at = 0; at < count; at += 1) await call();
  };
  const calls = (name: string, call: () => Promise<unknown>): Work => {
    return { name, count: CALLS, run: times(CALLS, call) };
  };
  const page = async (list: Promise<TaskPage>, atLeast: number): Promise<TaskPage> => {
    const found = await list;
    if (found.tasks.length < atLeast) throw new Error('a page of the benchmark is too short');
    return found;
  };
  const middles: { readonly owner: string; readonly cursor: string }[] = [];
  for (let at = 0; at < CALLS; at += 1) {
    const { owner } = some();
    const { next } = await engine.list({ owner }, { pageSize: OWNED / 2 });
    middles.push({ owner, cursor: next! });
  }
  let started = 0;
  let removed = 0;
  return {
    works: [
      calls('get', async () => {
        const { owner, id } = some();
        await engine.get({ owner }, id);
      }),
      calls('list of an owner, 20', () => page(engine.list(some(), { pageSize: 20 }), 20)),
      calls('list of an owner by state, 20', () =>
        page(engine.list(some(), { state: 'completed', pageSize: 20 }), 20),
      ),
      calls('list of an owner, 20 after a cursor', () => {
        const { owner, cursor } = middles[(turn = (turn + 1) % CALLS)]!;
        return page(engine.list({ owner }, { pageSize: 20, cursor }), 20);
      }),
      calls('list of everybody, 20', () => page(engine.list(undefined, { pageSize: 20 }), 20)),
      calls('append of an event', async () => {
        const at = turn % open.length;
        turn += 1;
        open[at] = recordOf(open[at]!, PROGRESS, Date.now());
        await store.transact(open[at].operations);
      }),
      calls('a task, from start to end', async () => {
        const id = `new-${(started += 1)}`;
        const ended = new Promise<void>((resolve) => ends.set(id, resolve));
        await engine.start(startOf({ owner: some().owner, id }));
        await ended;
        ends.delete(id);
      }),
      {
        name: `look for tasks that nobody works on, of ${OPEN} open`,
        count: 1,
        run: () => look(store),
      },
      {
        name: 'purge of a task that has passed, with its log',
        count: PASSED,
        run: async () => {
          const passed = removed + PASSED;
          const count = await purge(store, momentOf(passed));
          await store.purge();
          removed = passed;
          if (count < PASSED - 2) throw new Error(`${count} tasks were purged`);
        },
      },
    ],
    close: async () => {
      await engine.close();
      await store.close();
    },
  };
}

async function withEngine(
  store: Store,
  now: () => number,
  work: (engine: TaskEngine) => Promise<number>,
): Promise<number> {
  const engine = createTaskEngine({
    store,
    now,
    onTask: () => Promise.reject(new Error('the benchmark leaves no task to anybody')),
    retentionMs: RETENTION_MS,
  });
  const done = await work(engine);
  await engine.close();
  return done;
}

/** One look of an engine that has just started. */
function look(store: Store): Promise<number> {
  return withEngine(store, Date.now, async (engine) => {
    await engine.open();
    return 0;
  });
}

function purge(store: Store, now: number): Promise<number> {
  return withEngine(
    store,
    () => now,
    (engine) => engine.purge(),
  );
}
