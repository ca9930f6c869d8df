// Holes that were found in how stores are believed: each test is what went wrong, by its number.

import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { newAgent } from '../support/agents/agents.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

const folder = temporaryFolder();
const bytes = new Uint8Array([1]);

describe.skipIf(driver === undefined)('A19 the file of a store #transport-ready', () => {
  test.each([
    ['removed', (path: string): void => rmSync(path)],
    [
      'replaced by a copy',
      (path: string): void => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
  ])('that is %s stores nothing more, and the agent is not ready', async (what, change) => {
    let nowMs = Date.now();
    const path = join(folder, `${what.replaceAll(' ', '-')}.db`);
    const store = await openSqliteStore({ path });
    const { runtime } = await newAgent({ store, now: () => nowMs });
    onTestFinished(async () => {
      await runtime.close().catch(() => undefined);
      await store.close();
    });
    const { isReady } = await runtime.listenContext();
    expect(await isReady()).toBe(true);
    await store.put('space', 'before', bytes);
    change(path);
    await expect(store.put('space', 'after', bytes)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      fault: 'failed',
      message: expect.stringMatching(/(removed|replaced) while it was open/),
    });
    expect(await store.get('space', 'after')).toBeUndefined();
    nowMs += 1_000;
    expect(await isReady()).toBe(false);
  });

  test('that is put back goes on', async () => {
    const path = join(folder, 'away.db');
    const store = await openSqliteStore({ path });
    onTestFinished(() => store.close());
    renameSync(path, `${path}.away`);
    await expect(store.put('space', 'key', bytes)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    renameSync(`${path}.away`, path);
    expect(await store.put('space', 'key', bytes)).toMatchObject({ ok: true });
  });
});
