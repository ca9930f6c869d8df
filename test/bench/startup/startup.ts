// How long the program takes until it does something, as a ratio to a Node that does nothing, and what it loads for it.
// `--against=FOLDER` measures another build of the package beside this one.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { printTable } from '../table.ts';
import { Build } from './build.ts';

const ROUNDS = 15;
const HERE = fileURLToPath(new URL('../../..', import.meta.url));

interface Case {
  readonly name: string;
  readonly args: (build: Build) => readonly string[] | 'serve';
  readonly needsDaemon?: boolean;
}

const CASES: readonly Case[] = [
  { name: 'a2a-sdl --version', args: (build) => build.command('--version').slice(0, 2) },
  { name: 'a2a-sdl --help', args: (build) => build.command('--help').slice(0, 2) },
  { name: "import 'a2a-sdl'", args: (build) => build.importing('.') },
  {
    name: "import 'a2a-sdl/transports/http'",
    args: (build) => build.importing('./transports/http'),
  },
  { name: 'a2a-sdl serve, until it is ready', args: () => 'serve' },
  {
    name: 'a2a-sdl send, to a daemon on this machine',
    args: (build) => build.command('send', 'agent', 'sum 1 2 3'),
    needsDaemon: true,
  },
];

export async function benchStartup(flags: ReadonlySet<string>): Promise<void> {
  const other = [...flags]
    .find((flag) => flag.startsWith('--against='))
    ?.slice('--against='.length);
  const builds = [new Build(HERE), ...(other === undefined ? [] : [new Build(other)])];
  try {
    const rows: string[][] = [];
    for (const one of CASES) rows.push(await measureCase(one, builds));
    const heads = builds.flatMap((_, at) => {
      const whose = at === 0 ? '' : ' (other build)';
      return [`time${whose}`, `our modules${whose}`, `others'${whose}`];
    });
    printTable(
      `Start, as a ratio to "node -e 0"; the middle of ${ROUNDS} interleaved runs`,
      ['', ...heads],
      rows,
    );
  } finally {
    for (const build of builds) build.close();
  }
}

async function measureCase(one: Case, builds: readonly Build[]): Promise<string[]> {
  const daemons = one.needsDaemon ? await Promise.all(builds.map((build) => build.serve())) : [];
  try {
    const bare: number[] = [];
    const times: number[][] = builds.map(() => []);
    for (let round = 0; round <= ROUNDS; round += 1) {
      const nothing = timeOf(['-e', '0']);
      const taken: number[] = [];
      for (const build of builds) taken.push(await timeOfCase(one, build));
      // The first round fills the caches of the disk.
      if (round === 0) continue;
      bare.push(nothing);
      taken.forEach((ms, at) => times[at]!.push(ms));
    }
    const cells: string[] = [];
    for (const [at, build] of builds.entries()) {
      const { ours, others } = await build.modules(one.args(build));
      cells.push((middle(times[at]!) / middle(bare)).toFixed(2), String(ours), String(others));
    }
    return [one.name, ...cells];
  } finally {
    await Promise.all(daemons.map((daemon) => daemon.stop()));
  }
}

async function timeOfCase(one: Case, build: Build): Promise<number> {
  const args = one.args(build);
  if (args !== 'serve') return timeOf(args);
  const { ms, stop } = await build.serve();
  await stop();
  return ms;
}

function timeOf(args: readonly string[]): number {
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${stderr}`);
  return performance.now() - begin;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
