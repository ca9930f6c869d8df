// What evidence costs: tasks through the whole of a runtime on SQLite, with and without a witness that writes all of them
// down, in turns. The rate with it must be at least 0.9 of the rate without.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { evidence } from '../../profiles/assay/index.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { Clock, crypto, entryFor, inboundOf, newAgent } from '../support/agents/agents.ts';
import { median } from './pipeline/pipeline.ts';
import type { Sender } from './pipeline/sender.ts';
import { NO_BRAKES, TYPICAL_TASK, newSender } from './pipeline/sender.ts';
import { printTable } from './table.ts';

const ROUNDS = 9;
const TASKS = 256;
const IN_FLIGHT = 64;
const LEAST_RATIO = 0.9;

interface Receiver {
  readonly sender: Sender;
  readonly runtime: Runtime;
  readonly close: () => Promise<void>;
}

export async function benchEvidence(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-sdl-bench-'));
  const off = await receiver(join(folder, 'off.db'));
  const on = await receiver(join(folder, 'on.db'), join(folder, 'evidence'));
  const rates = { off: [] as number[], on: [] as number[] };
  try {
    // The first round warms both up.
    for (let round = -1; round < ROUNDS; round += 1) {
      const [without, with_] = [await rateOf(off), await rateOf(on)];
      if (round < 0) continue;
      rates.off.push(without);
      rates.on.push(with_);
    }
  } finally {
    for (const { close } of [off, on]) await close();
    rmSync(folder, { recursive: true, force: true });
  }
  const ratio = median(rates.on.map((rate, at) => rate / rates.off[at]!));
  printTable(
    `tasks a second through a runtime on SQLite, signed, with their events, ${IN_FLIGHT} in flight`,
    ['', 'tasks/s', 'ratio', 'at least'],
    [
      ['without evidence', median(rates.off).toFixed(0), '', ''],
      ['with evidence', median(rates.on).toFixed(0), ratio.toFixed(3), String(LEAST_RATIO)],
    ],
  );
  return ratio >= LEAST_RATIO;
}

async function receiver(database: string, directory?: string): Promise<Receiver> {
  const clock = new Clock();
  const store = await openSqliteStore({ path: database });
  const { identity, book, runtime } = await newAgent({
    store,
    admission: NO_BRAKES,
    tasks: { maxTasksPerOwner: 1e6, maxTasks: 1e6 },
    ...(directory !== undefined && { evidence: evidence({ directory }) }),
  });
  const sender = await newSender({ mode: 'sig', crypto, clock, content: TYPICAL_TASK });
  book.add(sender.entry);
  await sender.meet(entryFor(identity), (bytes) => lastOf(runtime, bytes));
  return {
    sender,
    runtime,
    async close() {
      await sender.close();
      await runtime.close({ graceMs: 0 });
      await store.close();
    },
  };
}

async function rateOf({ sender, runtime }: Receiver): Promise<number> {
  const requests = (await sender.seal(TASKS)).values();
  const start = performance.now();
  const worker = async (): Promise<void> => {
    for (const request of requests) await lastOf(runtime, request);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return (TASKS * 1_000) / (performance.now() - start);
}

/** The `res`, after all events. */
async function lastOf(runtime: Runtime, bytes: Uint8Array): Promise<Uint8Array> {
  let last: Uint8Array | undefined;
  for await (const reply of runtime.receive(inboundOf(bytes, 'json', { wantsStream: true }))) {
    last = reply.bytes;
  }
  return last!;
}
