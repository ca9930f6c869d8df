// Runs a load of watchers in a process of its own, whose memory nobody else disturbs.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { WatcherFigures, WatcherLoad } from './load.ts';

const PROGRAM = fileURLToPath(new URL('process.ts', import.meta.url));
const LONGEST_MS = 300_000;

export async function measureWatchers(load: WatcherLoad): Promise<WatcherFigures> {
  const args = ['--expose-gc', '--import', 'tsx', PROGRAM, JSON.stringify(load)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: LONGEST_MS });
  return JSON.parse(stdout) as WatcherFigures;
}
