// Preloaded into a program that is looked at: notes every file that is loaded as a module.
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

export async function load(url, context, nextLoad) {
  if (url.startsWith('file:')) appendFileSync(process.env.MODULES_FILE, `${url}\n`);
  return nextLoad(url, context);
}
