// What the program loads: commands that need little must start fast.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';

import { newCliHome, newFolder } from '../support/agents/cli.ts';
import { loadedBy } from '../support/repository/module-graph.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const hook = pathToFileURL(join(root, 'test/support/agents/loaded-files.mjs')).href;
const MOST = 25;

/** Files of ours that a real run loads. */
async function filesOf(...args: string[]): Promise<string[]> {
  const list = join(newFolder(), 'loaded');
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--import', hook, join(root, 'cli/main.ts'), ...args],
    { cwd: root, env: { ...process.env, LOADED_FILES: list, A2A_SDL_HOME: newCliHome() } },
  );
  expect(stderr).toBe('');
  expect(existsSync(list)).toBe(true);
  const start = pathToFileURL(root).href;
  const paths = readFileSync(list, 'utf8').trimEnd().split('\n');
  return [...new Set(paths)]
    .map((path) => path.slice(start.length))
    .filter((path) => /^(cli|src|keys|stores|transports|schemas)\//.test(path));
}

describe('the program loads what it uses', () => {
  test('before it knows the command: at most 25 files, no crypto, no store, no transport', () => {
    const files = [...loadedBy('cli/main.ts')];
    expect(files.length).toBeLessThanOrEqual(MOST);
    expect(files.filter((file) => /^(keys|stores|transports|schemas)\//.test(file))).toEqual([]);
    expect(files.filter((file) => /^src\/(?!codec\/|version)/.test(file))).toEqual([]);
  });

  test.each([[['--version']], [['version']], [['--help']], [[]]])(
    'a real run of %j loads at most 25',
    async (args) => {
      const files = await filesOf(...args);
      expect(files).toContain('cli/program.ts');
      expect(files.length).toBeLessThanOrEqual(MOST);
    },
  );

  test('the daemon loads no evidence before somebody wants some', () => {
    const files = [...loadedBy('cli/serve/command.ts')];
    expect(files).toContain('cli/daemon/evidence.ts');
    expect(files.filter((file) => file.startsWith('profiles/assay/'))).toEqual([]);
  });

  test('a command of a group does not load its neighbours', async () => {
    const files = await filesOf('keys', 'list', '--help');
    expect(files).toContain('cli/keys/list.ts');
    expect(files).not.toContain('cli/keys/rotate.ts');
  });
});
