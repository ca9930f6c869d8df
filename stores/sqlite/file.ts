// Owns the database file: created for its owner alone, never reached through a link, and the same for as long as it is
// open.

import type { BigIntStats, Stats } from 'node:fs';
import { constants, statSync } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreError } from '../../src/stores/index.ts';

/** Makes sure that the file is there and that nobody else can read it. */
export async function prepareFile(path: string): Promise<void> {
  for (const sidecar of ['-wal', '-shm', '-journal']) {
    const facts = await factsOf(path + sidecar);
    if (facts !== undefined) assertPrivate(path + sidecar, facts);
  }
  const facts = (await factsOf(path)) ?? (await create(path));
  if (facts !== undefined) assertPrivate(path, facts);
}

/** Throws when the name has come to stand for another file, or for none: whoever starts next would not see what is written. */
export type AssertInPlace = () => void;

/** @param path of the file that was just opened. */
export function placeOf(path: string): AssertInPlace {
  const opened = fileAt(path);
  return () => {
    const found = fileAt(path);
    if (found !== undefined && found.ino === opened?.ino && found.dev === opened.dev) return;
    const words = `${path} was ${found === undefined ? 'removed' : 'replaced'} while it was open`;
    const advice = 'nothing is stored. Put it back, or start again';
    throw new StoreError('failed', `${words}: ${advice}`, undefined, true);
  };
}

function fileAt(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

/** @returns undefined when it created the file, the facts of the file when another process was faster. */
async function create(path: string): Promise<Stats | undefined> {
  try {
    const { O_CREAT, O_EXCL, O_RDWR } = constants;
    // O_EXCL: a file or link that appears meanwhile is not followed.
    await (await open(path, O_CREAT | O_EXCL | O_RDWR, 0o600)).close();
    await syncFolder(dirname(path));
    return undefined;
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === 'EEXIST') return factsOf(path);
    const hint = code === 'ENOENT' ? ': create its directory first' : '';
    throw new StoreError('failed', `cannot create ${path} (${code})${hint}`, thrown);
  }
}

/** Without this a power cut could take the name of a file whose content is safe. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function factsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw new StoreError('failed', `cannot look at ${path} (${codeOf(thrown)})`, thrown);
  }
}

function assertPrivate(path: string, facts: Stats): void {
  if (facts.isSymbolicLink()) {
    throw new StoreError('unsafe', `${path} is a symbolic link: give the path of the file itself`);
  }
  if (!facts.isFile()) throw new StoreError('unsafe', `${path} is not a regular file`);
  // Windows has no such bits; access lists of the directory protect the file there.
  if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0) {
    throw new StoreError('unsafe', `${path} is open to other users: run "chmod 600" on it`);
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown error';
}
