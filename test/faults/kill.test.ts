// Nodes and the database are killed at random moments: nothing that was acknowledged is lost, and nothing happens twice.
// A2A_SDL_KILL_SEEDS sets how many seeds, A2A_SDL_KILL_SEED runs one of them, several times.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, test } from 'vitest';

import { resetHorizon } from '../../src/security/replay/horizon.ts';
import type { ReadyHome } from '../../cli/home/init.ts';
import { openHome } from '../support/agents/daemon-peers.ts';
import { Totals, checkAudit, checkNonces, checkReplies } from '../support/kill/checks.ts';
import { NodePool } from '../support/kill/nodes.ts';
import { REPEATS, STORE_ROWS, seedsOf } from '../support/kill/places.ts';
import { planOf } from '../support/kill/plan.ts';
import { KillRun } from '../support/kill/run.ts';
import { checkTaskLogs } from '../support/kill/task-checks.ts';
import { temporaryFolder } from '../support/stores/sqlite.ts';

const CLAIM =
  'lose nothing, do nothing twice, and repeat every reply #replay #replay-retry #task-lifecycle #task-recovery';

const rows = STORE_ROWS.map((row) => [row.label, row] as const);

describe.each(rows)('killed nodes on %s', (label, row) => {
  describe.skipIf(!row.isThere)(CLAIM, () => {
    const folder = temporaryFolder();
    const pool = new NodePool();
    const homePath = join(folder, 'home');
    let home: ReadyHome;
    let runs = 0;
    beforeAll(async () => {
      home = await openHome(homePath);
    });
    const totals = new Totals();
    afterAll(async () => {
      await pool.close();
      console.log(`${label}: ${totals.text}`);
    });

    const runSeed = async (seed: number): Promise<void> => {
      const name = `s${seed}-${(runs += 1)}`;
      const own = join(folder, name);
      mkdirSync(own);
      const { store, open, remove } = row.placeIn(own, name);
      // The store is older than the requests, which are sealed before the first node starts.
      const begun = await open();
      await resetHorizon(begun, Date.now() - 1_000);
      await begun.close();
      const { killServer } = row;
      const run = new KillRun({ home, homePath, folder: own, store, pool, killServer });
      const evidence = await run.run(planOf(seed));
      totals.add(evidence);
      const opened = await open();
      try {
        checkReplies(evidence);
        checkNonces(evidence, await checkTaskLogs(evidence, opened));
        await checkAudit(evidence, opened);
      } finally {
        await opened.close();
      }
      await remove();
      rmSync(own, { recursive: true });
    };

    test.each(seedsOf(6))('seed %i', { timeout: 120_000, repeats: REPEATS }, async (seed) => {
      try {
        await runSeed(seed);
      } catch (thrown) {
        const again = `A2A_SDL_KILL_SEED=${seed} npm run test:kill -- -t "killed nodes on ${label}"`;
        console.log(`seed ${seed} failed; again: ${again}`);
        throw thrown;
      }
    });
  });
});
