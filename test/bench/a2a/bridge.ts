// What a bridge costs: CPU time of its process for each event of a stream that it passes on, beside that of our own server
// which says the same events to the same client. Both take turns, so that what else the machine does is shared.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { buildOurs } from '../../support/landed/build.ts';
import { median } from '../pipeline/pipeline.ts';
import { printTable } from '../table.ts';
import type { Server } from './child.ts';
import { startServer } from './child.ts';
import { eventMicros } from './loads.ts';

const PASSES = 3;
const WARM_UP = 4;
const ROUNDS = 7;
const MOST = 2;

/** False when the bound is broken. With `--builds=FOLDER` what is built is kept there. */
export async function benchBridge(flags: ReadonlySet<string>): Promise<boolean> {
  const temporary = mkdtempSync(join(tmpdir(), 'a2a-sdl-bench-'));
  const kept = [...flags].find((flag) => flag.startsWith('--builds='))?.slice('--builds='.length);
  const builds = kept === undefined ? temporary : resolve(kept);
  mkdirSync(builds, { recursive: true });
  const [own, bridged]: [number[], number[]] = [[], []];
  try {
    const fault = buildOurs(builds);
    if (fault !== undefined) throw new Error(fault);
    for (let pass = 0; pass < PASSES; pass += 1) await runPass(builds, own, bridged);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  const ratio = median(bridged) / median(own);
  printTable(
    'a bridge: CPU time of one event of a stream',
    ['server', 'µs'],
    [
      ['our own', median(own).toFixed(1)],
      ['the bridge before it', median(bridged).toFixed(1)],
      [`ratio (at most ${MOST})`, ratio.toFixed(2)],
    ],
  );
  return ratio <= MOST;
}

async function runPass(builds: string, own: number[], bridged: number[]): Promise<void> {
  const servers: Server[] = [];
  try {
    const server = await startServer('./ours.ts', { builds });
    servers.push(server);
    // One of its own, so that what it says is no part of what is measured of the other.
    const behind = await startServer('./ours.ts', { builds });
    servers.push(behind);
    const bridge = await startServer('./bridged.ts', { builds, upstream: behind.url.origin });
    servers.push(bridge);
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const [alone, through] = [await eventMicros(server), await eventMicros(bridge)];
      if (round < WARM_UP) continue;
      own.push(alone);
      bridged.push(through);
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
