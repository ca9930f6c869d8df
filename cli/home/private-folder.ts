// Owns the folders of a home: made for their owner alone, refused when others can look in. SPEC.md section 10 (#key-files).

import { lstat, mkdir } from 'node:fs/promises';

import { failure } from '../kit/exit.ts';

const GROUP_AND_OTHERS = 0o077;

/** Makes the folder with mode 0700 where there is none; throws when the one that is there is not private. */
export async function preparePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await assertPrivateFolder(path);
}

/** Throws, with what mends it, unless the folder belongs to this user and nobody else can look in. */
export async function assertPrivateFolder(path: string): Promise<void> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) {
    throw failure(`${path} is not a folder`, { next: 'choose another home with --home' });
  }
  const uid = process.getuid?.();
  if (uid === undefined) return; // no modes there
  if (stats.uid !== uid) {
    throw failure(`${path} belongs to another user`, { next: `chown ${uid} ${shellWord(path)}` });
  }
  if ((stats.mode & GROUP_AND_OTHERS) !== 0) {
    throw failure(`${path} is open to other users`, { next: `chmod 700 ${shellWord(path)}` });
  }
}

/** A path as one word of a shell command. */
export function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
