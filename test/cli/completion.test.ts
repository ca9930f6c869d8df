// The scripts of `completion`: that of bash is run, those of other shells where they are installed.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { COMMANDS } from '../../cli/commands.ts';
import { placesOf } from '../../cli/completion/spec.ts';
import { initHome, newFile, newFolder, runCli } from '../support/agents/cli.ts';

const ROOT = join(import.meta.dirname, '../..');

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runCli(['completion', shell]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

/** What bash would offer for the last of these words. */
async function offered(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const folder = newFolder();
  mkdirSync(join(folder, 'keys'));
  writeFileSync(join(folder, 'payload.json'), '{}');
  const program = join(folder, 'a2a-sdl');
  const node = `exec ${process.execPath} --import ${ROOT}/node_modules/tsx/dist/esm/index.mjs`;
  writeFileSync(program, `#!/bin/sh\n${node} ${ROOT}/cli/main.ts "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, 'script'), await scriptFor('bash'));
  const all = ['a2a-sdl', ...words].map((word) => `'${word}'`).join(' ');
  const run = `source script; COMP_WORDS=(${all}); COMP_CWORD=${words.length}; _a2a_sdl; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-u', '-c', run], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}:${process.env['PATH']}`, ...env },
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion bash', () => {
  test('commands, and those of a command', async () => {
    expect(await offered(['pe'])).toEqual(['peers']);
    expect(await offered([''])).toEqual([...Object.keys(COMMANDS), 'help', 'version']);
    expect(await offered(['peers', 're'])).toEqual(['relax', 'revoke', 'remove']);
    expect(await offered(['help', 'peers', 'a'])).toEqual(['add']);
    // A folder of that name does not make it a folder.
    expect(await offered(['key'])).toEqual(['keys']);
  });

  test('options, their values, and files', async () => {
    expect(await offered(['send', '--st'])).toEqual(['--stream']);
    expect(await offered(['--home', '/x', 'send', 'bob', '--enc'])).toEqual(['--encoding']);
    expect(await offered(['send', '--encoding', ''])).toEqual(['json', 'cbor']);
    expect(await offered(['send', 'bob', '--payload', 'pay'])).toEqual(['payload.json']);
    expect(await offered(['send', '--timeout', ''])).toEqual([]);
    expect(await offered(['completion', ''])).toEqual(['bash', 'zsh', 'fish']);
  });

  test('the names of peers', async () => {
    const home = await initHome();
    await runCli(['peers', 'add', 'did:key:bob', '--name', 'bob', '--home', home]);
    const env = { A2A_SDL_HOME: home };
    expect(await offered(['send', ''], env)).toEqual(['agent', 'operator', 'bob']);
    expect(await offered(['--home', home, 'peers', 'show', 'b'])).toEqual(['bob']);
    expect(await offered(['tasks', 'list', '--peer', 'b'], env)).toEqual(['bob']);
    // The goal is nobody's name.
    expect(await offered(['send', 'bob', ''], env)).toEqual([]);
  }, 60_000);
});

describe.each(['bash', 'zsh', 'fish'])('completion %s', (shell) => {
  test('names every command and every option', async () => {
    const script = await scriptFor(shell);
    for (const { place, commands, options } of await placesOf(COMMANDS)) {
      for (const { name } of commands)
        expect([place, script]).toEqual([place, expect.stringContaining(name)]);
      for (const { name } of options) expect(script).toMatch(new RegExp(`(--|-l )${name}\\b`));
    }
    expect(script.endsWith('\n')).toBe(true);
  });

  test.skipIf(!isInstalled(shell))('is a script that the shell takes', async () => {
    const file = newFile(`a2a-sdl.${shell}`, await scriptFor(shell));
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe('completion', () => {
  test.each([
    [[], 'which shell?'],
    [['powershell'], 'expects one of bash, zsh, fish'],
  ])('%j is not called rightly', async (args, words) => {
    const { code, stderr } = await runCli(['completion', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});
