// Writes api/*.d.ts: for every entry of the package, what the emitted declarations say of its names. `--check` compares.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(root + path, 'utf8');
const EXPORTS = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)';$/gm;
const DECLARES =
  /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|function|let) ([\w$]+)/;

/** A file of declarations: its names, and where those that it takes from elsewhere come from. */
function readDeclarations(path) {
  const text = read(path);
  const elsewhere = new Map();
  for (const [, names, specifier] of text.matchAll(EXPORTS)) {
    if (!specifier.startsWith('.')) continue;
    const file = posix.join(posix.dirname(path), specifier).replace(/\.ts$/, '.d.ts');
    for (const name of names.split(',')) {
      const [original, local = original] = name.trim().split(/ as /);
      if (original) elsewhere.set(local, { file, name: original });
    }
  }
  return { own: declarationsOf(text), elsewhere };
}

/** Name to the lines that declare it, overloads together, without comments. */
function declarationsOf(text) {
  const own = new Map();
  let name;
  for (const line of text.replace(/\/\*[\s\S]*?\*\//g, '').split('\n')) {
    if (line.trim() === '') continue;
    const begins = /^\S/.test(line) && !/^[})\]]/.test(line);
    if (begins) name = DECLARES.exec(line)?.[1];
    if (name === undefined) continue;
    own.set(name, [...(own.get(name) ?? []), line.trimEnd()]);
  }
  return own;
}

/** The same order on every machine. */
function byText(a, b) {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const cache = new Map();
function declarations(path) {
  if (!cache.has(path)) cache.set(path, readDeclarations(path));
  return cache.get(path);
}

function find(file, name) {
  const { own, elsewhere } = declarations(file);
  if (own.has(name)) return { file, name, lines: own.get(name) };
  const there = elsewhere.get(name);
  return there === undefined ? undefined : find(there.file, there.name);
}

/** The names of an entry, then every type of ours that they mention, and so on. */
function report(specifier, entry) {
  const names = new Set(
    [...read(entry).matchAll(/^export (?:type )?\{([^}]*)\} from/gm)].flatMap(([, list]) =>
      list.split(',').flatMap((name) => name.trim().split(/ as /).at(-1) || []),
    ),
  );
  for (const [name, lines] of declarations(entry).own) {
    if (lines[0].startsWith('export ')) names.add(name);
  }
  const seen = new Set();
  const show = (found, isOwn) => {
    seen.add(`${found.file} ${found.name}`);
    return (isOwn ? found.lines : found.lines.map((line) => line.replace(/^export /, ''))).join(
      '\n',
    );
  };
  const own = [...names].sort(byText).map((name) => find(entry, name));
  const text = own.map((found) => show(found, true));
  const reached = [];
  for (const queue = [...own]; queue.length > 0;) {
    const { file, lines } = queue.shift();
    for (const word of new Set(lines.join('\n').match(/[A-Za-z_$][\w$]*/g))) {
      const found = find(file, word);
      if (found === undefined || seen.has(`${found.file} ${found.name}`)) continue;
      reached.push([found.name, show(found, false)]);
      queue.push(found);
    }
  }
  reached.sort(([a], [b]) => byText(a, b));
  const head = `// ${specifier}: ${names.size} names. Made by "npm run api" from the emitted declarations; not to be edited.`;
  const rest =
    reached.length === 0 ? [] : ['// Reached from these.', ...reached.map(([, lines]) => lines)];
  return `${[head, ...text, ...rest].join('\n\n')}\n`;
}

const wanted = new Map();
for (const [path, target] of Object.entries(JSON.parse(read('package.json')).exports)) {
  if (typeof target === 'string') continue;
  const name = path === '.' ? 'index' : path.slice(2).replaceAll('/', '-');
  const specifier = path === '.' ? 'a2a-sdl' : `a2a-sdl${path.slice(1)}`;
  wanted.set(`${name}.d.ts`, report(specifier, target.types.slice(2)));
}

if (process.argv.includes('--check')) {
  const known = existsSync(`${root}api`) ? readdirSync(`${root}api`) : [];
  const stale = [...new Set([...wanted.keys(), ...known])].filter(
    (name) => !known.includes(name) || read(`api/${name}`) !== wanted.get(name),
  );
  for (const name of stale) console.error(`api/${name} is not what the package declares`);
  if (stale.length > 0) console.error('next: npm run api, and look at what it changes');
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  rmSync(`${root}api`, { recursive: true, force: true });
  mkdirSync(`${root}api`);
  for (const [name, text] of wanted) writeFileSync(`${root}api/${name}`, text);
}
