// Two processes write to one file and are killed in the middle: nothing acknowledged is lost, nothing is half written.
// STORE_CRASH_ROUNDS sets how often.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Store } from '../../../src/stores/store.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { textOf } from '../../support/wire/bytes.ts';
import { driver, temporaryFolder } from '../../support/stores/sqlite.ts';

const ROUNDS = Number(process.env['STORE_CRASH_ROUNDS'] ?? 4);
const program = fileURLToPath(new URL('../../support/stores/writer.ts', import.meta.url));

/** Runs a writer, kills it when it has acknowledged so much, and returns every line that it managed to print. */
async function writeUntilKilled(path: string, writer: string, after: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', program, path, writer], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
  const errors = text(child.stderr);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === after) child.kill('SIGKILL');
  }
  const [, signal] = await exit;
  expect(await errors).toBe('');
  expect(signal).toBe('SIGKILL');
  // The kill may have cut the last line.
  return lines.filter((line) => /^(task|nonce) \S+ \S+$/.test(line));
}

async function wholeLog(store: Store): Promise<string[]> {
  const log: string[] = [];
  for (;;) {
    const records = await store.read('events', log.length, 1_000);
    if (records.length === 0) return log;
    for (const { position, value } of records) {
      expect(position).toBe(log.length);
      log.push(textOf(value));
    }
  }
}

async function allKeys(store: Store, space: string): Promise<string[]> {
  const keys: string[] = [];
  for (let after: string | undefined; ;) {
    const { entries, next } = await store.list(space, { limit: 1_000, after });
    keys.push(...entries.map(({ key }) => key));
    if (next === undefined) return keys;
    after = next;
  }
}

describe.skipIf(driver === undefined)('a SQLite store whose processes are killed', () => {
  const folder = temporaryFolder();
  const kills = fc.sample(
    fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 })),
    {
      numRuns: ROUNDS,
      seed: 20_260_101,
    },
  );

  test(
    'has everything that was acknowledged, no gap, no half of a transaction, no nonce twice',
    async () => {
      const path = join(folder, 'killed');
      const acknowledged: string[] = [];
      for (const [round, counts] of kills.entries()) {
        const writers = counts.map((count, at) => writeUntilKilled(path, `r${round}w${at}`, count));
        acknowledged.push(...(await Promise.all(writers)).flat());

        const store = await openSqliteStore({ path });
        const log = await wholeLog(store);
        const tasks = await allKeys(store, 'task');
        const nonces = new Map(
          await Promise.all(
            (await allKeys(store, 'nonce')).map(
              async (key) => [key, textOf((await store.get('nonce', key))!.value)] as const,
            ),
          ),
        );
        expect(new Set(log)).toEqual(new Set(tasks));
        expect(log).toHaveLength(tasks.length);
        for (const line of acknowledged) {
          const [kind, key, value] = line.split(' ') as [string, string, string];
          if (kind === 'task') expect(log[Number(value)]).toBe(key);
          else expect(nonces.get(key)).toBe(value);
        }
        await store.close();
      }
      expect(acknowledged.length).toBeGreaterThan(ROUNDS * 2);
    },
    60_000 + ROUNDS * 15_000,
  );
});
