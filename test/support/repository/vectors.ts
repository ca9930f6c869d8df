// Finds the shared test data beside the checkout. A user's clone has none: suites then skip, except in CI, where they fail.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../shared/vectors/', import.meta.url));

export const hasVectors: boolean = existsSync(root);
if (!hasVectors) {
  if (process.env['CI'] === 'true')
    throw new Error('CI needs ../shared/vectors beside the checkout');
  console.log('no ../shared/vectors beside the checkout: suites on shared vectors are skipped');
}

export function vectorBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(root + path));
}

export function vectorJson<T>(path: string): T {
  return JSON.parse(readFileSync(root + path, 'utf8')) as T;
}

/** File names of a folder, sorted; empty when there are no vectors. */
export function vectorFiles(folder: string): string[] {
  return hasVectors ? readdirSync(root + folder).sort() : [];
}
