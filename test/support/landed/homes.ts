// Owns what suites of upgrades run: commit b3437ec, built once for a file of tests, and daemons of it on homes that it made.
// A clone without its history skips them with a line, except in CI, where they fail.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll } from 'vitest';

import { closeClients } from '../agents/daemon-peers.ts';
import type { RunningDaemon } from '../agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../agents/daemon.ts';
import { LANDED, buildLanded, hasLanded, shimLandedDriver } from './build.ts';
import { Notes } from './notes.ts';

export const isThere: boolean = hasLanded();
if (!isThere) {
  const words = `this clone does not have commit ${LANDED}`;
  if (process.env['CI'] === 'true') throw new Error(words);
  console.log(`${words}: upgrades from it are not tested`);
}

/** Of one owner on one node. */
export const PLACES = 4;
const CONFIG = {
  drain_s: 1,
  admission: {
    max_in_flight: 10_000,
    max_in_flight_per_peer: 10_000,
    rate_per_second: 1_000_000,
    burst: 1_000_000,
  },
};
const BUILD_MS = 240_000;

const temporary = mkdtempSync(join(tmpdir(), 'u-'));
export const builds: string = join(temporary, 'builds');
const main = join(builds, 'landed/dist/cli/main.js');

beforeAll(() => {
  if (!isThere) return;
  const failed = buildLanded(builds);
  if (failed !== undefined) throw new Error(failed);
  shimLandedDriver(builds);
}, BUILD_MS);
afterAll(async () => {
  await closeClients();
  await stopDaemons();
  rmSync(temporary, { recursive: true, force: true });
});

/** A home that commit b3437ec has made. */
export function landedHome(): string {
  const home = daemonFolder();
  const init = ['--import', 'tsx', main, 'init', '--home', home];
  const { status, stderr } = spawnSync(process.execPath, init, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`no home was made: ${stderr}`);
  return home;
}

export function startLanded(home: string, options: readonly string[]): Promise<RunningDaemon> {
  return startDaemon(home, options, main);
}

export function newNotes(): Notes {
  return new Notes(join(mkdtempSync(join(temporary, 'n-')), 'notes'));
}

/** Of a daemon of either version. */
export function optionsFor(notes: Notes, leaseS = 2): string[] {
  const tasks = { lease_s: leaseS, recover_every_s: 1, max_concurrent_per_owner: PLACES };
  const author = new URL('author.ts', import.meta.url).href;
  const handler = `import { authorNotingIn } from '${author}';
    export const onTask = authorNotingIn('${notes.path}');`;
  return [
    '--open',
    `--config=${daemonFile('config.json', JSON.stringify({ ...CONFIG, tasks }))}`,
    `--handler=${daemonFile('handler.mjs', handler)}`,
  ];
}
