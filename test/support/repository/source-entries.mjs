// Lets a child process find the entries of the package in its sources, as vitest.config.ts does for tests: given to Node
// with --import, after tsx.

import { readFileSync } from 'node:fs';
import { register } from 'node:module';

const ROOT = new URL('../../../', import.meta.url);
const isMain = !import.meta.url.endsWith('?hooks');

if (isMain) register(`${import.meta.url}?hooks`);

const { name, exports } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));

/** `a2a-sdl/door` to the source of it; `undefined` for what is no entry. */
function sourceOf(specifier) {
  if (specifier !== name && !specifier.startsWith(`${name}/`)) return undefined;
  const target = exports[`.${specifier.slice(name.length)}`]?.default;
  return target && new URL(target.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts'), ROOT).href;
}

export function resolve(specifier, context, nextResolve) {
  return nextResolve(sourceOf(specifier) ?? specifier, context);
}
