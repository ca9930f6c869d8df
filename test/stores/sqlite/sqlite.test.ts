// The SQLite store against the rules of all stores, in memory and in a file; then against the memory store.

import { join } from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Operation, Store } from '../../../src/stores/store.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { numbered } from '../../compliance/store/setup.ts';
import { rankedKeys, talliesOf, tallyOperation } from '../../support/stores/model.ts';
import { storeCompliance } from '../../compliance/store/store.ts';
import { driver, temporaryFolder } from '../../support/stores/sqlite.ts';

describe.skipIf(driver === undefined)('SQLite', () => {
  storeCompliance('the SQLite store in memory', {
    isShared: false,
    open: (_place, now) => openSqliteStore({ path: ':memory:', now }),
  });

  const folder = temporaryFolder();
  storeCompliance('the SQLite store in a file', {
    isShared: true,
    open: (place, now) => openSqliteStore({ path: join(folder, place), now, pollIntervalMs: 2 }),
    // The second record fails when the first is already written.
    sabotage: async (place) => {
      const db = new driver!.DatabaseSync(join(folder, place));
      db.exec(`
        CREATE TRIGGER sabotage BEFORE INSERT ON records
        WHEN NEW.position = 1 AND NEW.log = (SELECT id FROM logs WHERE name = CAST('broken' AS BLOB))
        BEGIN SELECT RAISE(ABORT, 'sabotage'); END`);
      db.close();
    },
  });

  describe('any sequence of transactions', () => {
    const name = { space: fc.constantFrom('s', 't'), key: fc.constantFrom('a', 'b', 'c') };
    const log = fc.constantFrom('l', 'm');
    const entry = {
      value: fc.nat(99).map(numbered),
      expiresAt: fc.option(fc.nat(40), { nil: undefined }),
      index: fc.constantFrom({}, { f: '1' }, { f: '2', g: '1' }),
      rank: fc.option(fc.nat(3), { nil: undefined }),
    };
    const ifVersion = fc.option(fc.constantFrom(0, 1_000), { nil: undefined });
    const operation: fc.Arbitrary<Operation> = fc.oneof(
      fc.record({ type: fc.constant('add' as const), ...name, ...entry }),
      fc.record({ type: fc.constant('put' as const), ...name, ...entry, ifVersion }),
      fc.record({ type: fc.constant('delete' as const), ...name, ifVersion }),
      fc.record({
        type: fc.constant('check' as const),
        ...name,
        ifVersion: fc.constantFrom(0, 1_000),
      }),
      fc.record({
        type: fc.constant('append' as const),
        log,
        values: fc.array(fc.nat(9).map(numbered), { maxLength: 3 }),
        ifLength: fc.option(fc.nat(3), { nil: undefined }),
      }),
      fc.record({ type: fc.constant('drop' as const), log }),
      tallyOperation,
    );
    const step = fc.record({
      operations: fc.array(operation, { minLength: 1, maxLength: 4 }),
      passes: fc.nat(3),
      purges: fc.boolean(),
    });

    /** What can be seen of a store; versions as ranks, because stores number differently. */
    async function viewOf(store: Store): Promise<unknown> {
      const spaces = await Promise.all(['s', 't'].map((space) => store.list(space)));
      const all = spaces.flatMap(({ entries }) => entries);
      const versions = all.map(({ version }) => version);
      const ranks = versions.toSorted((a, b) => a - b);
      return {
        order: versions.map((version) => ranks.indexOf(version)),
        entries: all.map(({ version: _own, ...found }) => found),
        ranked: await rankedKeys(store, 's'),
        tallies: await talliesOf(store, ['x', 'y']),
        counts: await Promise.all(
          [{}, { f: '1' }, { g: '1', f: '2' }].map((index) => store.count('s', { index })),
        ),
        logs: await Promise.all(['l', 'm'].map((each) => store.read(each, 0))),
      };
    }

    test('gives the same as in the memory store', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          let now = 0;
          const options = { now: () => now };
          const memory = createMemoryStore(options);
          const sqlite = await openSqliteStore({ path: ':memory:', ...options });
          for (const { operations, passes, purges } of steps) {
            now += passes;
            const [expected, actual] = await Promise.all(
              [memory, sqlite].map((store) => store.transact(operations)),
            );
            expect(actual!.ok).toBe(expected!.ok);
            if (!expected!.ok) expect(actual).toMatchObject({ failed: expected!.failed });
            if (purges) expect(await sqlite.purge()).toBe(await memory.purge());
            expect(await viewOf(sqlite)).toEqual(await viewOf(memory));
          }
          await Promise.all([memory.close(), sqlite.close()]);
        }),
        { numRuns: 150 },
      );
    });
  });
});
