// Holes that were found with a disk that is full: each test is what went wrong, by its number.

import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, describe, expect, onTestFinished, test } from 'vitest';

import { decodeMessage } from '../../src/envelope/decode.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { defineContent } from '../../src/handlers/custom/define-content.ts';
import { createStoreProbe } from '../../src/runtime/ready.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { Clock, entryFor, inboundOf, newIdentity, repliesOf } from '../support/agents/agents.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';
import { forge, judge, newReceiver } from '../support/wire/forge.ts';

const canLimit = spawnSync('prlimit', ['--version'], { stdio: 'ignore' }).status === 0;
if (!canLimit) console.log('prlimit is missing: the tests of a full disk are skipped');

/** No file of this process grows beyond so many bytes: as on a disk that has no room for more. */
function limitFiles(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
}

afterEach(() => {
  if (canLimit) limitFiles('unlimited');
});

const walOf = (path: string): number => statSync(`${path}-wal`).size;

describe.skipIf(driver === undefined || !canLimit)(
  'L3 a disk that is full #transport-ready',
  () => {
    const folder = temporaryFolder();
    let files = 0;
    const newPath = (): string => join(folder, `full-${(files += 1)}`);

    test('L3 is seen while there is room for little, but not for a message', async () => {
      const path = newPath();
      let nowMs = Date.now();
      const store = await openSqliteStore({ path, now: () => nowMs });
      onTestFinished(() => store.close());
      const isReady = createStoreProbe([store], () => nowMs);
      await store.put('s', 'k', new Uint8Array(10_000));
      expect(await isReady()).toBe(true);
      limitFiles(walOf(path) + 40_000);
      // What is small is still stored, and a message is not.
      await store.put('s', 'little', new Uint8Array(8));
      await expect(store.put('s', 'k', new Uint8Array(60_000))).rejects.toThrow(/SQLite|full/);
      nowMs += 1_000;
      expect(await isReady()).toBe(false);
      limitFiles('unlimited');
      nowMs += 1_000;
      expect(await isReady()).toBe(true);
    });

    test('L3 while a request is handled leaves its outcome unknown, and that is what is told', async () => {
      const path = newPath();
      const clock = new Clock();
      const store = await openSqliteStore({ path, now: clock.now });
      onTestFinished(() => store.close());
      let runs = 0;
      const filling = defineContent({
        ct: 'x.v1',
        schema: {},
        handle: () => {
          runs += 1;
          limitFiles(walOf(path));
          return {};
        },
      });
      const bob = await newReceiver({ store, now: clock.now, contents: [filling] });
      const alice = await newIdentity();
      bob.book.add(entryFor(alice));
      const { isReady } = await bob.runtime.listenContext();
      expect(await isReady()).toBe(true);
      const sent = await forge(alice, bob, { ct: 'x.v1' });
      const [reply] = await repliesOf(bob.runtime, inboundOf(sent.bytes));
      const unknown = { reason: 'INTERNAL', outcome: 'unknown' };
      expect(decodeMessage(reply!.bytes, 'json')).toMatchObject({ payload: { details: unknown } });
      clock.nowMs += 1_000;
      expect(await isReady()).toBe(false);
      limitFiles('unlimited');
      clock.nowMs += 1_000;
      expect(await isReady()).toBe(true);
      // Whoever asks again hears the same, and nothing runs twice.
      const again = await judge(bob, sent);
      expect((again.reply!['payload'] as JsonObject)['details']).toMatchObject({
        outcome: 'unknown',
      });
      expect(runs).toBe(1);
    });
  },
);

describe('L3 an answer that cannot be made', () => {
  test('L3 is told with the outcome unknown: the handler has done what it does', async () => {
    const odd = defineContent({
      ct: 'x.v1',
      schema: {},
      handle: () => ({ n: Number.NaN }),
    });
    const bob = await newReceiver({ contents: [odd] });
    const alice = await newIdentity();
    bob.book.add(entryFor(alice));
    const { reply } = await judge(bob, await forge(alice, bob, { ct: 'x.v1' }));
    expect(reply!['payload']).toMatchObject({ code: 'INTERNAL', details: { outcome: 'unknown' } });
  });

  test('L3 a store that refuses what is as large as a message is not ready', async () => {
    const well = createMemoryStore();
    const small: typeof well.put = (space, key, value, options) =>
      value.length > 4_096
        ? Promise.reject(new Error('full'))
        : well.put(space, key, value, options);
    expect(await createStoreProbe([{ ...well, put: small }], Date.now)()).toBe(false);
  });

  test('L3 what is tried is never the same twice: that would not be written', async () => {
    let nowMs = 0;
    const tried: string[] = [];
    const well = createMemoryStore();
    const put: typeof well.put = (space, key, value, options) => {
      tried.push(Buffer.from(value).toString('latin1'));
      return well.put(space, key, value, options);
    };
    const isReady = createStoreProbe([{ ...well, put }], () => nowMs);
    for (; nowMs < 3_000; nowMs += 1_000) expect(await isReady()).toBe(true);
    expect(new Set(tried).size).toBe(3);
  });
});
