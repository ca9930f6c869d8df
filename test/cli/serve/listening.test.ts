// Proves that a place at which the daemon cannot listen is told by the name of the option that gave it.

import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { newCliHome, newFile, newFolder, runCli } from '../../support/agents/cli.ts';
import type { CliRun } from '../../support/agents/cli.ts';

function serve(...args: readonly string[]): Promise<CliRun> {
  return runCli(['serve', '--home', newCliHome(), '--http', '0', ...args], { nowMs: Date.now() });
}

describe('a place at which the daemon cannot listen', () => {
  test.each<[() => readonly string[], string, string]>([
    [
      () => ['--ipc', join(newFolder(), 'x'.repeat(120))],
      '--ipc: expected at most 107 bytes',
      'choose a shorter',
    ],
    [() => ['--ipc', newFile('f', '')], 'is not a socket, so it is not replaced', 'another path'],
    [() => ['--ipc', '/nowhere/x.sock'], '--ipc: there is no folder /nowhere', 'make it first'],
    [() => ['--ipc-tcp', '0.0.0.0:0'], '--ipc-tcp: expected a loopback address', '--help'],
    [() => ['--allow-host', 'http://x'], '--allow-host expected names such as', '--help'],
  ])('%s', async (args, words, next) => {
    const { code, stderr } = await serve(...args());
    expect([code, stderr]).toEqual([2, expect.stringContaining(words) as string]);
    expect(stderr).toContain(next);
    expect(stderr).not.toContain('fault of a2a-sdl');
  });

  test('a store that is away is told by its address, without the secrets in it', async () => {
    const { code, stderr } = await serve('--store', 'postgres://me:hush@127.0.0.1:1/db');
    expect(code).toBe(1);
    expect(stderr).toContain('PostgreSQL at 127.0.0.1:1, database db cannot be reached');
    expect(stderr).toContain('start the database');
    expect(stderr).not.toContain('hush');
  });

  test('the help tells the addresses of the socket and what the log holds', async () => {
    const { stdout } = await runCli(['serve', '--help']);
    expect(stdout).toContain('peers add ipc:PATH');
    expect(stdout).toContain('one line an event');
    expect(stdout).toContain('--verbose');
  });
});
