// Loaded with `--import`: writes the path of every file of this package that the program loads to $LOADED_FILES.

import { appendFileSync } from 'node:fs';
import { register } from 'node:module';

if (process.env.LOADED_FILES !== undefined && process.env.LOADED_FILES_HOOK === undefined) {
  process.env.LOADED_FILES_HOOK = 'registered';
  register(import.meta.url);
}

export async function load(url, context, next) {
  const path = url.split('?')[0];
  if (path.startsWith('file:') && !path.includes('/node_modules/')) {
    appendFileSync(process.env.LOADED_FILES, `${path}\n`);
  }
  return next(url, context);
}
