// Owns the build: compiles to dist/ and leaves a note there of what it was made from. With --if-stale it compiles only
// when that note does not fit the sources any more.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = 'tsconfig.build.json';
const note = `${root}dist/.made-from.json`;

const sources = listSources();
if (process.argv.includes('--if-stale')) {
  if (isFresh()) process.exit(0);
  process.stderr.write('compiling to dist/ (needed only after a change of the sources)\n');
}
// First of all, so that neither a file deleted from the sources nor a build that fails half-way lives on in the package.
rmSync(`${root}dist`, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler(), '-p', project], {
  cwd: root,
  stdio: 'inherit',
});
// What was changed meanwhile differs from the list, which was made before.
if (status === 0) writeFileSync(note, JSON.stringify(sources));
process.exit(status ?? 1);

/** Path → time and size of all that the build depends on. */
function listSources() {
  const { include } = JSON.parse(readFileSync(root + project, 'utf8'));
  const settings = ['package.json', 'package-lock.json', 'tsconfig.json', project];
  const files = [
    ...include.flatMap((folder) => filesIn(folder, '.ts')),
    ...filesIn('schemas', '.json'),
  ];
  return Object.fromEntries(
    [...settings, ...files.toSorted((one, other) => (one < other ? -1 : 1))].flatMap((path) =>
      factsOf(path),
    ),
  );
}

function filesIn(folder, ending) {
  if (!existsSync(root + folder)) return [];
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
}

function factsOf(path) {
  const found = statSync(root + path, { throwIfNoEntry: false });
  return found === undefined ? [] : [[path, `${found.mtimeMs} ${found.size}`]];
}

function isFresh() {
  if (!existsSync(note) || readFileSync(note, 'utf8') !== JSON.stringify(sources)) return false;
  return Object.keys(sources)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .every((path) => existsSync(`${root}dist/${path.replace(/\.ts$/, '.js')}`));
}

function compiler() {
  const require = createRequire(import.meta.url);
  const { bin } = require('typescript/package.json');
  return require.resolve('typescript/package.json').replace('package.json', bin.tsc);
}
