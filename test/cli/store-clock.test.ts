// The way out after the store has seen a wrong time.

import { describe, expect, test } from 'vitest';

import { homeAt } from '../../cli/home/home.ts';
import { resetHorizon } from '../../src/security/replay/horizon.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { initHome, runCli } from '../support/agents/cli.ts';
import { driver } from '../support/stores/sqlite.ts';

/** The time that the store has seen; it is another one afterwards. */
async function seenBy(path: string, next: number): Promise<number | undefined> {
  const store = await openSqliteStore({ path });
  const seen = await resetHorizon(store, next);
  await store.close();
  return seen;
}

describe.skipIf(driver === undefined)('store reset-clock #replay-horizon', () => {
  test('the store begins anew now, and the time that it had seen is told', async () => {
    const home = await initHome();
    const path = homeAt(home).store;
    const seen = Date.now() + 86_400_000;
    await seenBy(path, seen);
    const command = ['store', 'reset-clock', '--home', home, '--json'];
    const { code, json } = await runCli(command, { nowMs: Date.now() });
    const told = json() as Record<string, string>;
    expect([code, told['from']]).toEqual([0, new Date(seen).toISOString()]);
    expect(await seenBy(path, 0)).toBe(Date.parse(told['to']!));
  });
});
