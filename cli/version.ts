// Owns the version of the package, read from where it is installed.

import { readFile } from 'node:fs/promises';

import { isJsonObject, readJson } from '../src/index.ts';

/** The folder of the package is one above the sources and two above what is built from them. */
const PLACES = ['../package.json', '../../package.json'];

export async function readVersion(): Promise<string> {
  for (const place of PLACES) {
    const bytes = await readFile(new URL(place, import.meta.url)).catch(() => undefined);
    const value = bytes === undefined ? undefined : readJson(new Uint8Array(bytes));
    if (!isJsonObject(value)) continue;
    const { name, version } = value;
    if (name === 'a2a-sdl' && typeof version === 'string') return version;
  }
  throw new Error('the package.json of a2a-sdl is not where it should be');
}
