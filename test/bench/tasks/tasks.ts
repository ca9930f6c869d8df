// What whole tasks cost: in memory and on SQLite beside other engines, and on each database as a ratio to the bare driver
// doing the same writes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Store } from '../../../src/stores/store.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import { isTerminal } from '../../../src/tasks/task.ts';
import { openPostgresStore } from '../../../stores/postgres/index.ts';
import { loadDriver } from '../../../stores/sqlite/driver.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { startPostgres } from '../../support/stores/postgres-server.ts';
import { printTable } from '../table.ts';
import type { BareStep, BareTasks } from './bare.ts';
import { barePostgres, bareSqlite, bareStepOf } from './bare.ts';
import { benchCompared } from './compared/compared.ts';
import { benchReads } from './reads.ts';
import type { TaskName } from './writes.ts';
import { EVENTS_OF_TASK, NO_LIMITS, reportAll, startOf, writesOf } from './writes.ts';

const CONCURRENCY = [1, 16, 64];
const TASKS = 128;
const OWNERS = 256;
const ROUNDS = 15;

interface Subject {
  readonly name: string;
  /** Gets ready for `TASKS` tasks, so many at once; what it returns does them. */
  readonly prepare: (atOnce: number) => () => Promise<unknown>;
}

export async function benchTasks(flags: ReadonlySet<string>): Promise<boolean> {
  const isWithinBounds = await benchCompared(flags);
  const isReadInTime = await benchReads();
  await reportDatabases();
  return isWithinBounds && isReadInTime;
}

async function reportDatabases(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-sdl-bench-'));
  try {
    const bare = bareSqlite(await loadDriver(), join(folder, 'bare'));
    const store = await openSqliteStore({ path: join(folder, 'ours') });
    await reportTasks('SQLite store: WAL, synchronous=FULL', store, bare);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const server = await startPostgres();
  if (server === undefined) {
    console.log('\nthere is no PostgreSQL on this machine');
    return;
  }
  try {
    // One connection of the store writes and the others read; the bare driver writes on all of them.
    const store = await openPostgresStore({ connection: server.url, readConnections: 4 });
    await reportTasks(
      'PostgreSQL store: fsync on, 5 connections',
      store,
      await barePostgres(server.url, 5),
    );
  } finally {
    await server.stop();
  }
}

async function reportTasks(title: string, store: Store, bare: BareTasks): Promise<void> {
  const engine = createTaskEngine({
    store,
    onTask: reportAll,
    onState: ({ id, status }) => {
      if (isTerminal(status.state)) ends.get(id)?.();
    },
    ...NO_LIMITS,
  });
  const ends = new Map<string, () => void>();
  const subjects: Subject[] = [
    { name: '(a) bare driver, a transaction each', prepare: steps(bare.each) },
    { name: '(b) bare driver, those at once in one transaction', prepare: steps(bare.grouped) },
    {
      name: 'the store alone, the same transactions',
      prepare: lanes(
        () => writesOf(nextName()),
        async (writes) => {
          for (const operations of writes) await store.transact(operations);
        },
      ),
    },
    {
      name: 'the engine',
      prepare: lanes(nextName, async (name) => {
        const ended = new Promise<void>((resolve) => ends.set(name.id, resolve));
        await engine.start(startOf(name));
        await ended;
        ends.delete(name.id);
      }),
    },
    {
      name: 'the engine, each task followed',
      prepare: lanes(nextName, async (name) => {
        await engine.start(startOf(name));
        let last = 0;
        for await (const { task } of engine.follow(name, name.id, 0)) last = task.generation;
        if (last !== EVENTS_OF_TASK) throw new Error(`a task of ${last} events`);
      }),
    },
  ];
  const rows: string[][] = [];
  for (const atOnce of CONCURRENCY) {
    const seconds = await measureAll(subjects, atOnce);
    for (const [at, { name }] of subjects.entries()) {
      const perSecond = TASKS / seconds[at]!;
      rows.push([
        `${String(atOnce).padStart(2)} at once: ${name}`,
        (seconds[at]! / seconds[0]!).toFixed(2),
        (seconds[at]! / seconds[1]!).toFixed(2),
        perSecond.toFixed(0),
        (perSecond * EVENTS_OF_TASK).toFixed(0),
      ]);
    }
  }
  printTable(
    `${title}, in the fastest round; a task: begun, 3 times progress, 1 KB of output, completed = ${writesOf(nextName()).length} transactions, ${EVENTS_OF_TASK} events`,
    ['', 'time to (a)', 'to (b)', 'tasks/s', 'events/s'],
    rows,
  );
  await engine.close();
  await bare.close();
  await store.close();
}

/** Every task makes its next step when all have made the one before: so they can be in one transaction. */
function steps(write: BareTasks['each']): Subject['prepare'] {
  return (atOnce) => {
    const groups: BareStep[][] = [];
    for (let from = 0; from < TASKS; from += atOnce) {
      const tasks = Array.from({ length: atOnce }, () => writesOf(nextName()).map(bareStepOf));
      for (const at of tasks[0]!.keys()) groups.push(tasks.map((task) => task[at]!));
    }
    return async () => {
      for (const group of groups) await write(group);
    };
  };
}

/** Every lane makes one task after the other. */
function lanes<T>(ready: () => T, work: (made: T) => Promise<void>): Subject['prepare'] {
  return (atOnce) => {
    const made = Array.from({ length: TASKS }, ready);
    const lane = async (): Promise<void> => {
      for (let next = made.pop(); next !== undefined; next = made.pop()) await work(next);
    };
    return () => Promise.all(Array.from({ length: atOnce }, lane));
  };
}

let names = 0;
function nextName(): TaskName {
  names += 1;
  return { owner: `did:example:owner-${names % OWNERS}`, id: `task-${names}` };
}

/** Seconds of each in its fastest round, rounds interleaved: what else the machine does only makes it slower. */
async function measureAll(subjects: readonly Subject[], atOnce: number): Promise<number[]> {
  const fastest = subjects.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, { prepare }] of subjects.entries()) {
      const run = prepare(atOnce);
      const start = performance.now();
      await run();
      fastest[at] = Math.min(fastest[at]!, (performance.now() - start) / 1_000);
    }
  }
  return fastest;
}
