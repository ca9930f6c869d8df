// Owns files that only their owner may touch: checked before they are read, written so that a crash leaves the old one.

import { constants } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import { keyFileError, shellWord } from './error.ts';

/** What the system says of a file or folder. */
export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly mode: number;
  readonly uid: number;
}

/** The steps of a safe write, so that a test can put a crash between any two. */
export interface FileSteps {
  /** Makes a file with mode 0600 that was not there, and answers when its bytes are on the disk. */
  create(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Answers when the names in the folder are on the disk. */
  syncFolder(path: string): Promise<void>;
}

export const FILE_STEPS: FileSteps = { create: createFile, rename, syncFolder };

export interface PrivateFile {
  readonly bytes: Uint8Array;
  /** Differs when the file was replaced or written. */
  readonly stamp: string;
}

const MAX_FILE_BYTES = 262_144;
const GROUP_AND_OTHERS = 0o077;

// Windows knows neither: there the folder's access list is the owner's own affair.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;

/** Throws, with the command that mends it, unless this is a plain file or folder of ours that nobody else can touch. */
export function assertPrivate(
  path: string,
  facts: FileFacts,
  wanted: 'file' | 'folder',
  ownUid: number | undefined,
): void {
  const word = shellWord(path);
  if (facts.kind === 'link') {
    const mend =
      wanted === 'file'
        ? `replace it by what it points to: mv -- "$(readlink -f ${word})" ${word}`
        : `name the folder that it points to instead, or remove it: rm -- ${word}`;
    throw keyFileError(`${path} is a symbolic link, which may lead anywhere; ${mend}`);
  }
  if (facts.kind !== wanted) throw keyFileError(`${path} is not a ${wanted}; move it away`);
  if (ownUid === undefined) return;
  if (facts.uid !== ownUid) {
    throw keyFileError(`${path} belongs to another user; take it over: chown ${ownUid} ${word}`);
  }
  if ((facts.mode & GROUP_AND_OTHERS) !== 0) {
    const mode = wanted === 'file' ? '600' : '700';
    throw keyFileError(`${path} is open to other users; close it: chmod ${mode} ${word}`);
  }
}

/** The facts of the name itself, not of what it links to; `undefined` when there is nothing. */
export async function factsOf(path: string): Promise<FileFacts | undefined> {
  const stats = await statsOf(path);
  return stats === undefined ? undefined : toFacts(stats);
}

/** The stamp of a file, without opening it; `undefined` when there is nothing. */
export async function stampOf(path: string): Promise<string | undefined> {
  const stats = await statsOf(path);
  return stats === undefined ? undefined : toStamp(stats);
}

/** Makes the folder with mode 0700 where there is none, and checks it in any case. */
export async function preparePrivateFolder(path: string): Promise<void> {
  try {
    const made = await mkdir(path, { recursive: true, mode: 0o700 });
    if (made !== undefined) await syncFolder(dirname(made));
  } catch (thrown) {
    throw keyFileError(`the folder ${path} could not be made`, thrown);
  }
  await checkPrivateFolder(path);
}

/** False when there is none. */
export async function checkPrivateFolder(path: string): Promise<boolean> {
  const facts = await factsOf(path);
  if (facts !== undefined) assertPrivate(path, facts, 'folder', process.getuid?.());
  return facts !== undefined;
}

/** Reads a private file; `undefined` when there is none. */
export async function readPrivateFile(path: string): Promise<PrivateFile | undefined> {
  // The name is looked at first for a better error; the open file is what counts.
  const named = await factsOf(path);
  if (named === undefined) return undefined;
  assertPrivate(path, named, 'file', process.getuid?.());
  const file = await open(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await file.stat({ bigint: true });
    assertPrivate(path, toFacts(stats), 'file', process.getuid?.());
    if (stats.size > MAX_FILE_BYTES) throw keyFileError(`${path} is too large for a key file`);
    return { bytes: new Uint8Array(await file.readFile()), stamp: toStamp(stats) };
  } finally {
    await file.close();
  }
}

/** Replaces the file as a whole, or not at all. `temporary` is a name in the same folder. */
export async function writePrivateFile(
  path: string,
  temporary: string,
  bytes: Uint8Array,
  steps: FileSteps,
): Promise<void> {
  try {
    await steps.create(temporary, bytes);
    await steps.rename(temporary, path);
    await steps.syncFolder(dirname(path));
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw keyFileError(`${path} could not be written`, thrown);
  }
}

async function createFile(path: string, bytes: Uint8Array): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function statsOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw keyFileError(`${path} cannot be looked at`, thrown);
  }
}

function toFacts(stats: BigIntStats): FileFacts {
  const kind = stats.isSymbolicLink()
    ? 'link'
    : stats.isFile()
      ? 'file'
      : stats.isDirectory()
        ? 'folder'
        : 'other';
  return { kind, mode: Number(stats.mode & 0o777n), uid: Number(stats.uid) };
}

function toStamp({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}`;
}
