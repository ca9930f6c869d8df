// Owns the name of a home among the daemons that share a store: the same at every start, another in every copy.

import { randomUUID } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { hostname } from 'node:os';

import { isJsonObject, readJson, writeJson } from '../../src/codec/index.ts';
import type { Home } from './home.ts';

/**
 * Only for who holds the home. Homes are copied to make further nodes of one agent, and a copy must not pass for the
 * first: the file tells on which machine and as which inode it was made, and counts only there.
 */
export async function nodeIdOf({ node: path }: Pick<Home, 'node'>): Promise<string> {
  return (await readNodeId(path)) ?? makeNodeId(path);
}

async function readNodeId(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { ino } = await file.stat({ bigint: true });
    const told = readJson(new Uint8Array(await file.readFile()));
    if (!isJsonObject(told)) return undefined;
    const { id, host, inode } = told;
    const isHere = host === hostname() && inode === String(ino);
    return isHere && typeof id === 'string' && id !== '' ? id : undefined;
  } catch {
    // Half written, or not ours: a new one only costs that leases run out.
    return undefined;
  } finally {
    await file.close();
  }
}

async function makeNodeId(path: string): Promise<string> {
  const id = randomUUID();
  const draft = `${path}.new`;
  const file = await open(draft, 'w', 0o600);
  try {
    const { ino } = await file.stat({ bigint: true });
    await file.writeFile(writeJson({ id, host: hostname(), inode: String(ino) }));
  } finally {
    await file.close();
  }
  await rename(draft, path);
  return id;
}
