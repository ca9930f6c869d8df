// The import graph of the source tree, read from the files.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const IMPORT =
  /^(?:import|export)\b[^;']*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

export function sourceFiles(...folders: string[]): string[] {
  return folders
    .filter((folder) => existsSync(root + folder))
    .flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => posix.join(folder, name)),
    );
}

export function sourceText(file: string): string {
  return readFileSync(root + file, 'utf8');
}

/** What a file imports: paths from the root for our own files, bare specifiers as they stand. */
export function importsOf(file: string): string[] {
  return [...sourceText(file).matchAll(IMPORT)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3]!;
    return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier;
  });
}

/** Without types, which are gone when it runs, and without what is imported only when it is needed. */
const LOADED = /^(?:import|export)\b(?! type\b)[^;']*?\bfrom '([^']+)'|^import '([^']+)'/gm;

/** Our files that are loaded before the first line of `entry` runs. */
export function loadedBy(entry: string): Set<string> {
  const files = new Set<string>();
  const queue = [entry];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    if (!file.endsWith('.ts')) continue;
    for (const match of sourceText(file).matchAll(LOADED)) {
      const specifier = match[1] ?? match[2]!;
      if (specifier.startsWith('.')) queue.push(posix.join(posix.dirname(file), specifier));
    }
  }
  return files;
}

/** `@scope/name/path` and `name/path` without the path; `node:` for every built-in. */
export function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:';
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Everything that loading `entry` can load, directly or not, at once or later, types included. */
export function closureOf(entry: string): { files: Set<string>; specifiers: Set<string> } {
  const files = new Set<string>();
  const specifiers = new Set<string>();
  const queue = [entry];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    if (!file.endsWith('.ts')) continue;
    for (const target of importsOf(file)) {
      if (/^(src|schemas|transports|stores|profiles|keys|cli)\//.test(target)) queue.push(target);
      else specifiers.add(target);
    }
  }
  return { files, specifiers };
}
