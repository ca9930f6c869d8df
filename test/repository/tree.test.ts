// The tree of files: small rooms, and names that do not repeat their room.

import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

import { describe, expect, test } from 'vitest';

import { sourceFiles } from '../support/repository/module-graph.ts';

const MOST_FILES = 25;

const files = sourceFiles(
  'src',
  'transports',
  'stores',
  'profiles',
  'keys',
  'cli',
  'examples',
  'scripts',
  'test',
);

/** `peers/peer-keys.ts` says `peer` twice; `peers/peer.ts` is the room's own concept. */
function repeatsItsFolder(file: string): boolean {
  const folder = posix.basename(posix.dirname(file));
  const name = posix.basename(file);
  return [folder, folder.replace(/s$/, '')].some((word) => name.startsWith(`${word}-`));
}

describe('the tree', () => {
  test(`has at most ${MOST_FILES} files in a folder`, () => {
    const counts = new Map<string, number>();
    for (const file of files) {
      const folder = posix.dirname(file);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
  });

  test('has no file that repeats the name of its folder', () => {
    expect(files.filter(repeatsItsFolder)).toEqual([]);
  });

  test.each(['src/schema/bounded', 'src/tasks/engine', 'src/audit'])(
    'tells in %s in which order to read its files, and names all of them',
    (room) => {
      const readme = readFileSync(new URL(`../../${room}/README.md`, import.meta.url), 'utf8');
      const named = [...readme.matchAll(/`([a-z-]+\.ts)`/g)].map((match) => match[1]!);
      const inRoom = files
        .filter((file) => posix.dirname(file) === room)
        .map((file) => posix.basename(file));
      const [told, there] = [named, inRoom].map((names) =>
        [...new Set(names)].filter((name) => name !== 'index.ts').sort(),
      );
      expect(told).toEqual(there);
    },
  );
});
