// Owns builds, made alike and in one folder: commit b3437ec, which others compare with and upgrade from, with a SQLite
// driver, and the working tree.

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('../../../', import.meta.url));

export const LANDED = 'b3437ec';
const DRIVER = 'better-sqlite3';
/** Where no binary can be had, the driver is compiled: that takes minutes. */
const DRIVER_TIMEOUT_MS = 900_000;

/** A clone without its history does not have it. */
export function hasLanded(): boolean {
  return run('git', ['-C', HERE, 'cat-file', '-e', `${LANDED}^{commit}`]) === undefined;
}

/** The commit, unless it is there. Answers what went wrong: without its history a clone cannot build it. */
export function buildLanded(builds: string): string | undefined {
  const folder = join(builds, 'landed');
  if (existsSync(join(folder, 'dist'))) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = join(builds, 'landed.tar');
  return (
    run('git', ['-C', HERE, 'archive', `--output=${archive}`, LANDED]) ??
    run('tar', ['-xf', archive, '-C', folder]) ??
    compile(folder, folder, join(folder, 'dist'))
  );
}

/** Its SQLite driver, in the version of its lock, unless it is there. Answers what went wrong. */
export function installLandedDriver(builds: string): string | undefined {
  if (existsSync(join(builds, 'node_modules', DRIVER))) return undefined;
  const lock = readFileSync(join(builds, 'landed', 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as {
    readonly packages: Readonly<Record<string, { readonly version: string }>>;
  };
  const { version } = packages[`node_modules/${DRIVER}`]!;
  // Beside the build and not in it: its node_modules are a link to ours.
  const place = ['--prefix', builds, '--no-save', '--no-audit', '--no-fund'];
  const failed = run('npm', ['install', ...place, `${DRIVER}@${version}`], DRIVER_TIMEOUT_MS);
  return failed && `${DRIVER} cannot be had here`;
}

/** The project's own driver under the name of that one. Whoever runs the commit then needs a loader of TypeScript. */
export function shimLandedDriver(builds: string): void {
  const folder = join(builds, 'node_modules', DRIVER);
  mkdirSync(folder, { recursive: true });
  const shim = new URL('better-sqlite3.ts', import.meta.url).href;
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(join(folder, 'index.js'), `export { Database as default } from '${shim}';\n`);
}

/** The working tree as it is now. Answers what went wrong. */
export function buildOurs(builds: string): string | undefined {
  const folder = join(builds, 'ours');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  copyFileSync(join(HERE, 'package.json'), join(folder, 'package.json'));
  return compile(HERE, folder, folder);
}

/** Types are not checked: those of packages that only the commit had are not there. */
function compile(source: string, folder: string, output: string): string | undefined {
  symlinkSync(join(HERE, 'node_modules'), join(folder, 'node_modules'));
  const tsc = join(HERE, 'node_modules/typescript/bin/tsc');
  const project = join(source, 'tsconfig.build.json');
  const scriptsOnly = ['--noCheck', '--declaration', 'false', '--isolatedDeclarations', 'false'];
  return run(process.execPath, [tsc, '-p', project, ...scriptsOnly, '--outDir', output]);
}

function run(program: string, args: readonly string[], timeout = 120_000): string | undefined {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout });
  if (status === 0) return undefined;
  const [words] = (error?.message ?? `${stderr}${stdout}`).trim().split('\n');
  return `${program} failed: ${words}`;
}
