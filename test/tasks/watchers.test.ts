// Proves that 10,000 watchers on 100 tasks cost little each, whether they read or not, and that each sees the log.
// In processes of their own, because the memory of this one is the test runner's too.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { schemaAt, server } from '../support/stores/postgres.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';
import { measureWatchers } from '../support/watchers/child.ts';
import type { WatcherLoad } from '../support/watchers/load.ts';

const KIB = 1_024;
const LOAD = { tasks: 100, watchersPerTask: 100, events: 16 } as const;

/**
 * A watcher is two generators, the promises that they wait for and its place in the log: 5 KB where this was measured.
 * Other versions of Node may need more for these, but with a single event of its own it would be beyond this bound.
 */
const WAITING_BOUND = 6 * KIB;
/** Half of them have an event at hand that nobody has taken yet. */
const NOT_READING_BOUND = WAITING_BOUND + KIB;
/** The events between the two measurements are 12 KB for each task. */
const GROWTH_BOUND = 0.5 * KIB;
/** A page that each held for itself would be all of the log: 16 KB. */
const STALLED_BOUND = WAITING_BOUND;
/** Of a log that grew: what its own node told, and what a notification told. */
const STATEMENTS_BOUND = 4;
const LONGEST_MS = 240_000;

describe('many watchers #task-ids #exchange', () => {
  const folder = temporaryFolder();
  const stores: readonly (readonly [string, boolean, () => WatcherLoad])[] = [
    ['memory', true, () => ({ ...LOAD, store: 'memory', place: '' })],
    [
      'SQLite',
      driver !== undefined,
      () => ({ ...LOAD, store: 'sqlite', place: join(folder, 'db') }),
    ],
    [
      'PostgreSQL',
      server !== undefined,
      () => {
        for (const name of ['watched', 'unwatched']) schemaAt(`watchers_${name}`);
        return { ...LOAD, store: 'postgres', place: server!.url, schema: schemaAt('watchers') };
      },
    ],
  ];

  describe.each(stores)('in the %s store', (name, isThere, loadOf) => {
    test.skipIf(!isThere)(
      'each is small, none makes the store work, and all see exactly the log',
      async () => {
        const figures = await measureWatchers(loadOf());
        expect(figures).toMatchObject({ watchers: 10_000, slow: 5_000, wrong: 0 });
        const { waitingBytes, earlyBytes, lateBytes, stalledBytes } = figures;
        expect(waitingBytes).toBeLessThan(WAITING_BOUND);
        expect(Math.max(earlyBytes, lateBytes)).toBeLessThan(NOT_READING_BOUND);
        expect(lateBytes - earlyBytes).toBeLessThan(GROWTH_BOUND);
        expect(stalledBytes).toBeLessThan(STALLED_BOUND);
        const { statementsPerEvent, statementsUnwatched } = figures;
        // What is not counted proves nothing.
        expect(statementsUnwatched > 0).toBe(name !== 'memory');
        expect(statementsPerEvent - statementsUnwatched).toBeLessThan(STATEMENTS_BOUND);
      },
      LONGEST_MS,
    );
  });
});
