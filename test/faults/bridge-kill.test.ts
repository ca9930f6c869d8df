// A client, a bridge and its upstream are killed at random moments: no event is lost, repeated or out of order, and nothing
// is done twice. A2A_SDL_KILL_SEEDS and A2A_SDL_KILL_SEED choose.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, test } from 'vitest';

import { openHome } from '../support/agents/daemon-peers.ts';
import { checkBridge } from '../support/kill/bridge/checks.ts';
import type { ClientSettings } from '../support/kill/bridge/client.ts';
import { BridgeCourse } from '../support/kill/bridge/course.ts';
import { bridgePlanOf } from '../support/kill/bridge/plan.ts';
import { NodePool } from '../support/kill/nodes.ts';
import { REPEATS, seedsOf } from '../support/kill/places.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

const CLIENT = fileURLToPath(new URL('../support/kill/bridge/client.ts', import.meta.url));

describe.skipIf(driver === undefined)(
  'a killed bridge loses, repeats and reorders nothing, and does nothing twice #bridge-kept #bridge-resume #bridge-doubt',
  () => {
    const folder = temporaryFolder();
    const homePath = join(folder, 'home');
    const nodes = new NodePool();
    const clients = new NodePool<ClientSettings>(CLIENT);
    const totals = { tasks: 0, events: 0, doubts: 0, bridge: 0, upstream: 0, client: 0 };
    let runs = 0;
    beforeAll(() => openHome(homePath));
    afterAll(async () => {
      await Promise.all([nodes.close(), clients.close()]);
      console.log(`a bridge: ${JSON.stringify(totals)}`);
    });

    const runSeed = async (seed: number): Promise<void> => {
      const own = join(folder, `b${seed}-${(runs += 1)}`);
      mkdirSync(own);
      const course = new BridgeCourse({ homePath, folder: own, nodes, clients });
      const evidence = await course.run(bridgePlanOf(seed));
      try {
        const { tasks, events, doubts } = await checkBridge(evidence);
        const { bridge, upstream, client } = evidence.killed;
        for (const [name, count] of Object.entries({
          tasks,
          events,
          doubts,
          bridge,
          upstream,
          client,
        })) {
          totals[name as keyof typeof totals] += count;
        }
      } finally {
        await evidence.close();
      }
      rmSync(own, { recursive: true });
    };

    test.each(seedsOf(1))('seed %i', { timeout: 300_000, repeats: REPEATS }, async (seed) => {
      try {
        await runSeed(seed);
      } catch (thrown) {
        const again = `A2A_SDL_KILL_SEED=${seed} npx vitest run test/faults/bridge-kill.test.ts`;
        console.log(`seed ${seed} failed: ${String(thrown)}; again: ${again}`);
        throw thrown;
      }
    });
  },
);
