// Folders of keys for tests, on the real file system.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import type { KeyDirectoryOptions } from '../../../keys/directory.ts';
import { KeyDirectory } from '../../../keys/directory.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';

export const NOW: number = Date.UTC(2026, 2, 1);
export const DAY_MS = 86_400_000;

/** A path of its own for each test, gone after it. The folder itself is not there yet. */
export function newHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'key-home-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'keys');
}

/** A directory whose clock stands still. */
export function openHome(path: string, options: Partial<KeyDirectoryOptions> = {}): KeyDirectory {
  return new KeyDirectory(path, { crypto: chooseProvider(), now: () => NOW, ...options });
}
