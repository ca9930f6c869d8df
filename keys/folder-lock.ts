// Owns the lock that lets one writer at a time change a folder; a writer that died holds nobody up.

import { randomBytes } from 'node:crypto';
import { link, readFile, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { isJsonObject, readJson } from '../src/codec/index.ts';
import { keyFileError, shellWord } from './error.ts';
import { FILE_STEPS } from './private-files.ts';

interface Holder {
  readonly token: string;
  readonly pid: number;
  /** Process ids mean something on one machine only; containers that share a folder have names of their own. */
  readonly host: string;
  /** When the process started, where the system says so: process ids are used again. */
  readonly start: string;
}

const LOCK = '.lock';
const CLAIM = /^\.lock-/;

/** Runs while no other process runs with the same folder. Does not wait: throws at once when another one does. */
export async function withFolderLock<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const token = randomBytes(16).toString('hex');
  const lock = join(folder, LOCK);
  const claim = join(folder, `${LOCK}-${token}`);
  const holder: Holder = {
    token,
    pid: process.pid,
    host: hostname(),
    start: await startOf(process.pid),
  };
  try {
    await FILE_STEPS.create(claim, new TextEncoder().encode(JSON.stringify(holder)));
  } catch (thrown) {
    throw keyFileError(`${folder} could not be locked`, thrown);
  }
  try {
    if (!(await tryLink(claim, lock))) {
      await breakDeadLock(folder, claim);
      if (!(await tryLink(claim, lock))) throw busy(lock);
    }
    try {
      await removeDeadClaims(folder);
      return await run();
    } finally {
      if ((await holderOf(lock))?.token === token) await remove(lock);
    }
  } finally {
    await remove(claim);
  }
}

/** Removes a lock whose holder is dead, or throws. */
async function breakDeadLock(folder: string, claim: string): Promise<void> {
  const lock = join(folder, LOCK);
  const holder = await holderOf(lock);
  if (holder === undefined) return; // just set free
  if (await isAlive(holder)) throw busy(lock);
  // Only one process may remove it, and only while it is still the same lock: a new one may have taken its place.
  const breaker = join(folder, `${LOCK}-${holder.token}-break`);
  if (!(await tryLink(claim, breaker))) throw busy(breaker);
  try {
    if ((await holderOf(lock))?.token === holder.token) await remove(lock);
  } finally {
    await remove(breaker);
  }
}

async function removeDeadClaims(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!CLAIM.test(name)) continue;
    const path = join(folder, name);
    const holder = await holderOf(path);
    if (holder !== undefined && !(await isAlive(holder))) await remove(path);
  }
}

/** A link appears with its whole content or not at all, and never replaces a file. False when the name is taken. */
async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST') return false;
    throw keyFileError(`${to} cannot be made`, thrown);
  }
}

/** Gone already is as good. */
function remove(path: string): Promise<void> {
  return rm(path, { force: true });
}

async function holderOf(path: string): Promise<Holder | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined;
    throw keyFileError(`${path} cannot be read`, thrown);
  }
  return parseHolder(bytes) ?? { token: '', pid: 0, host: '', start: '' };
}

function parseHolder(bytes: Uint8Array): Holder | undefined {
  try {
    const value = readJson(new Uint8Array(bytes));
    if (!isJsonObject(value)) return undefined;
    const { token, pid, host, start } = value;
    if (typeof token !== 'string' || !/^[0-9a-f]{32}$/.test(token)) return undefined;
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof start !== 'string') {
      return undefined;
    }
    return { token, pid, host, start };
  } catch {
    return undefined;
  }
}

/** In doubt it answers yes: the error then says how to remove the lock by hand. */
async function isAlive({ pid, host, start }: Holder): Promise<boolean> {
  if (host !== hostname() || !Number.isSafeInteger(pid) || pid < 1) return true;
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    return errorCode(thrown) !== 'ESRCH';
  }
  const startNow = await startOf(pid);
  return start === '' || startNow === '' || start === startNow;
}

/** Ticks between the start of the system and that of the process; empty where the system does not tell. */
async function startOf(pid: number): Promise<string> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name and may hold blanks and brackets.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function busy(lock: string): Error {
  return keyFileError(
    `another process is changing these keys: try again; if no such process runs, remove its lock: rm -- ${shellWord(lock)}`,
  );
}

function errorCode(thrown: unknown): string | undefined {
  return (thrown as NodeJS.ErrnoException).code;
}
