// What watchers of tasks cost: memory of each, also of those that do not read, and what the database is asked for.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startPostgres } from '../support/stores/postgres-server.ts';
import { measureWatchers } from '../support/watchers/child.ts';
import type { WatcherFigures, WatcherLoad } from '../support/watchers/load.ts';
import { printTable } from './table.ts';

const LOAD = { tasks: 100, watchersPerTask: 100, events: 40 } as const;

export async function benchWatchers(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-sdl-bench-'));
  const server = await startPostgres();
  try {
    const columns = [
      await column('memory', { ...LOAD, store: 'memory', place: '' }),
      await column('SQLite', { ...LOAD, store: 'sqlite', place: join(folder, 'db') }),
      ...(server === undefined
        ? []
        : [await column('PostgreSQL', { ...LOAD, store: 'postgres', place: server.url })]),
    ];
    const watchers = LOAD.tasks * LOAD.watchersPerTask;
    printTable(
      `${watchers} watchers on ${LOAD.tasks} tasks, each of which emits ${LOAD.events} events of 1 KB; half of the watchers do not read until the end`,
      ['', ...columns.map(([name]) => name)],
      columns[0]![1].map(([name], at) => [name].concat(columns.map(([, rows]) => rows[at]![1]))),
    );
    if (server === undefined) console.log('\nthere is no PostgreSQL on this machine');
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Column = readonly [name: string, rows: readonly (readonly [string, string])[]];

async function column(name: string, load: WatcherLoad): Promise<Column> {
  const figures: WatcherFigures = await measureWatchers(load);
  const rows = [
    ['bytes of a watcher that waits', figures.waitingBytes],
    ['bytes of a watcher, half not reading, after a quarter of the events', figures.earlyBytes],
    ['bytes of a watcher, half not reading, after all events', figures.lateBytes],
    ['bytes of a watcher that read one event of a whole log and stopped', figures.stalledBytes],
    ['MiB of the whole process at its peak', figures.maxResidentBytes / 1_048_576],
    ['events delivered a second to those who read at once', figures.livePerSecond],
    ['events delivered a second to those who read at last', figures.catchUpPerSecond],
    ['µs of CPU for each event delivered at once', figures.cpuMicros],
    ['watchers that saw anything but the log', figures.wrong],
  ] as const;
  const statements = [
    ['statements for each event', figures.statementsPerEvent],
    ['statements for each event without watchers', figures.statementsUnwatched],
  ] as const;
  return [
    name,
    [
      ...rows.map(([what, value]) => [what, value.toFixed(0)] as const),
      ...statements.map(([what, value]) => [what, value.toFixed(2)] as const),
    ],
  ];
}
