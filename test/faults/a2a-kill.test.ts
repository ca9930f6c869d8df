// Nodes that speak official A2A are killed at random moments, while they stream and while they tell web hooks: no event is
// lost, repeated or out of order, whichever node a client goes on at. A2A_SDL_KILL_SEEDS and A2A_SDL_KILL_SEED choose.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, test } from 'vitest';

import { Receiver } from '../support/a2a/receiver.ts';
import { openHome } from '../support/agents/daemon-peers.ts';
import { A2aTotals, checkA2a } from '../support/kill/a2a/checks.ts';
import { A2aCourse } from '../support/kill/a2a/course.ts';
import { a2aPlanOf } from '../support/kill/a2a/plan.ts';
import { NodePool } from '../support/kill/nodes.ts';
import { REPEATS, STORE_ROWS, seedsOf } from '../support/kill/places.ts';
import { temporaryFolder } from '../support/stores/sqlite.ts';

const CLAIM =
  'lose, repeat and reorder nothing of streams, and tell web hooks everything #a2a-streams #a2a-grpc #a2a-push-delivery #task-hooks';
const pool = new NodePool();
afterAll(() => pool.close());
const rows = STORE_ROWS.map((row) => [row.label, row] as const);

describe.each(rows)('killed nodes of A2A on %s', (label, row) => {
  describe.skipIf(!row.isThere)(CLAIM, () => {
    const folder = temporaryFolder();
    const homePath = join(folder, 'home');
    let runs = 0;
    beforeAll(() => openHome(homePath));
    const totals = new A2aTotals();
    afterAll(() => console.log(`${label}: ${totals.text}`));

    const runSeed = async (seed: number): Promise<void> => {
      const name = `a${seed}-${(runs += 1)}`;
      const own = join(folder, name);
      mkdirSync(own);
      const { store: place, open, remove } = row.placeIn(own, name);
      const store = await open();
      const receiver = new Receiver();
      await receiver.open();
      try {
        const course = new A2aCourse({ homePath, folder: own, place, store, pool, receiver });
        const evidence = await course.run(a2aPlanOf(seed));
        totals.add(evidence);
        await checkA2a(evidence, store);
      } finally {
        await receiver.close();
        await store.close();
      }
      await remove();
      rmSync(own, { recursive: true });
    };

    test.each(seedsOf(2))('seed %i', { timeout: 300_000, repeats: REPEATS }, async (seed) => {
      try {
        await runSeed(seed);
      } catch (thrown) {
        const again = `A2A_SDL_KILL_SEED=${seed} npm run test:kill -- -t "A2A on ${label}"`;
        console.log(`seed ${seed} failed: ${String(thrown)}; again: ${again}`);
        throw thrown;
      }
    });
  });
});
