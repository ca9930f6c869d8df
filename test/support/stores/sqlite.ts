// Tells whether a SQLite driver is there. On older Nodes it is optional: suites then skip with a line, except in CI, where they fail.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll } from 'vitest';

import type { Driver } from '../../../stores/sqlite/driver.ts';
import { loadDriver } from '../../../stores/sqlite/driver.ts';

export const driver: Driver | undefined = await loadDriver().catch((thrown: unknown) => {
  if (process.env['CI'] === 'true') throw thrown;
  console.log('no SQLite driver can be loaded: suites on SQLite are skipped');
  return undefined;
});

/** A private folder that is removed after the suite. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-sdl-store-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
