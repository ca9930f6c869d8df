// What a look at a task costs as its log grows: in the feed of the node, and from the store when it is not there.

import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Store } from '../../../src/stores/store.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import type { TaskEngine } from '../../../src/tasks/engine/contract.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { measure } from '../measure.ts';
import { printTable } from '../table.ts';
import { NO_LIMITS, startOf } from './writes.ts';

const FEW = 10;
const MANY = 4_000;
/** What a look at many may cost of a look at few, in the feed. */
const MAX_RATIO = 2;
/** What a look may take without the feed, in milliseconds. */
const MAX_READ_MS = 10;
const OWNER = 'did:example:owner';
const CHUNK = 'a few words of the answer, ';
/** Engines that are asked for the first time: what is cold is measured once each. */
const COLD_READS = 15;

/** False when a bound is broken. */
export async function benchReads(): Promise<boolean> {
  const rows: string[][] = [];
  let isWithinBounds = true;
  const stores = {
    memory: createMemoryStore(),
    SQLite: await openSqliteStore({ path: ':memory:' }),
  };
  for (const [name, store] of Object.entries(stores)) {
    const { few, many } = await readInFeed(store);
    const [coldFew, coldMany] = await readCold(store);
    rows.push([
      name,
      few.toFixed(1),
      many.toFixed(1),
      (many / few).toFixed(2),
      coldFew!.toFixed(2),
      coldMany!.toFixed(2),
    ]);
    if (many / few > MAX_RATIO || coldMany! > MAX_READ_MS) isWithinBounds = false;
    await store.close();
  }
  printTable(
    `get of a task of ${MANY} chunks beside one of ${FEW}; the ratio may be ${MAX_RATIO}, and ${MANY} chunks from the store ${MAX_READ_MS} ms`,
    ['', `µs in the feed, ${FEW}`, `${MANY}`, 'ratio', `ms from the store, ${FEW}`, `${MANY}`],
    rows,
  );
  return isWithinBounds;
}

async function readInFeed(store: Store): Promise<{ few: number; many: number }> {
  const engine = engineOn(store);
  for (const chunks of [FEW, MANY]) {
    const { task } = await engine.start(startOf({ owner: OWNER, id: String(chunks) }));
    for await (const step of engine.follow({ owner: OWNER }, task.id, undefined)) void step;
  }
  const look = (chunks: number) => () => getWhole(engine, chunks);
  const [few, many] = await measure([
    { name: 'few', run: look(FEW) },
    { name: 'many', run: look(MANY) },
  ]);
  await engine.close();
  return { few: few!.micros, many: many!.micros };
}

/** Milliseconds of the middle read, each by an engine that has never seen the task. */
async function readCold(store: Store): Promise<number[]> {
  const samples: number[][] = [[], []];
  for (let round = 0; round < COLD_READS; round += 1) {
    for (const [at, chunks] of [FEW, MANY].entries()) {
      const engine = engineOn(store);
      const start = performance.now();
      await getWhole(engine, chunks);
      samples[at]!.push(performance.now() - start);
      await engine.close();
    }
  }
  return samples.map((taken) => taken.toSorted((a, b) => a - b)[COLD_READS >> 1]!);
}

async function getWhole(engine: TaskEngine, chunks: number): Promise<void> {
  const task = await engine.get({ owner: OWNER }, String(chunks));
  if (task?.artifacts[0]?.text.length !== chunks * CHUNK.length) {
    throw new Error('a task of the benchmark is not whole');
  }
}

function engineOn(store: Store): TaskEngine {
  return createTaskEngine({
    store,
    ...NO_LIMITS,
    // A chunk counts as more than its text.
    maxOutputBytes: 4_194_304,
    onTask: async (task, ctx) => {
      for (let chunk = 0; chunk < Number(task.id); chunk += 1) {
        await ctx.artifact({ id: 'a', text: CHUNK, append: chunk > 0 });
      }
    },
  });
}
