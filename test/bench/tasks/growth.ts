// Cost of one call of the task engine as the store fills with tasks: what is stored must not make it slower.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';

import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Store } from '../../../src/stores/store.ts';
import { openPostgresStore } from '../../../stores/postgres/index.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { startPostgres } from '../../support/stores/postgres-server.ts';
import { printTable } from '../table.ts';
import type { FilledStore } from './filled.ts';
import { fillStore } from './filled.ts';

const SIZES = [1_000, 100_000];
const MILLION = 1_000_000;
const ROUNDS = 25;
/** What a task takes of the heap in the memory store, roughly. */
const HEAP_BYTES = 6_000;

/** With `--million` a million tasks too: minutes of filling, gigabytes of disk and memory. */
export async function benchGrowth(flags: ReadonlySet<string>): Promise<void> {
  const sizes = flags.has('--million') ? [...SIZES, MILLION] : SIZES;
  const folder = mkdtempSync(join(tmpdir(), 'a2a-sdl-bench-'));
  try {
    const fitting = sizes.filter((size) => size * HEAP_BYTES < getHeapStatistics().heap_size_limit);
    if (fitting.length < sizes.length) {
      console.log(
        '\nthe heap is too small for the memory store: NODE_OPTIONS=--max-old-space-size=8192',
      );
    }
    await report('memory store', fitting, async () => createMemoryStore());
    await report('SQLite store', sizes, (size) =>
      openSqliteStore({ path: join(folder, `${size}`), checkOnOpen: false }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const server = await startPostgres();
  if (server === undefined) {
    console.log('\nthere is no PostgreSQL on this machine');
    return;
  }
  try {
    await report('PostgreSQL store', sizes, (size) =>
      openPostgresStore({ connection: server.url, schema: `tasks_${size}` }),
    );
  } finally {
    await server.stop();
  }
}

async function report(
  title: string,
  sizes: readonly number[],
  open: (size: number) => Promise<Store>,
): Promise<void> {
  const start = performance.now();
  const stores: FilledStore[] = [];
  for (const size of sizes) stores.push(await fillStore(await open(size), size));
  const filled = (performance.now() - start) / 1_000;
  const rows: string[][] = [];
  for (const work of stores[0]!.works.keys()) {
    const micros = await measure(stores.map(({ works }) => works[work]!.run));
    const { name, count } = stores[0]!.works[work]!;
    const row = [name];
    for (const [at, each] of micros.entries()) {
      row.push((each / count).toFixed(0));
      if (at > 0) row.push((each / micros[0]!).toFixed(2));
    }
    rows.push(row);
  }
  printTable(
    `${title}: µs of one call as it fills with tasks, in the fastest round (filled in ${filled.toFixed(0)} s)`,
    ['', ...sizes.flatMap((size, at) => [`${size} tasks`, ...(at === 0 ? [] : ['ratio'])])],
    rows,
  );
  for (const { close } of stores) await close();
}

/** Microseconds of each in its fastest round, rounds interleaved: what else the machine does only makes it slower. */
async function measure(runs: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const fastest = runs.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, run] of runs.entries()) {
      const start = performance.now();
      await run();
      fastest[at] = Math.min(fastest[at]!, (performance.now() - start) * 1_000);
    }
  }
  return fastest;
}
