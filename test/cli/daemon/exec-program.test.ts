// Proves that `serve --exec` is looked up when the daemon starts: what cannot run is refused with what to do about it.

import { chmodSync, existsSync } from 'node:fs';
import { relative } from 'node:path';

import { describe, expect, test } from 'vitest';

import { assertRunnable } from '../../../cli/daemon/exec/program.ts';
import { newCliHome, newFile, newFolder, runCli } from '../../support/agents/cli.ts';

function script(name: string, text: string, mode = 0o755): string {
  const path = newFile(name, text);
  chmodSync(path, mode);
  return path;
}

function refusal(command: string, env: Record<string, string | undefined> = process.env): unknown {
  try {
    assertRunnable(command, '--exec', env);
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

describe('the program of --exec', () => {
  test('that is there is taken: on the PATH, by its path, from here, with arguments', () => {
    const path = script('agent', '#!/bin/sh\necho hello\n');
    for (const command of ['sh -c "echo hi"', path, `${relative('.', path)} x`, process.execPath]) {
      expect(refusal(command)).toBeUndefined();
    }
    expect(refusal('sh', {})).toBeUndefined();
    expect(refusal(script('env.sh', '#!/usr/bin/env sh\n'))).toBeUndefined();
    expect(refusal(script('env-s.sh', '#!/usr/bin/env -S sh -e\n'))).toBeUndefined();
  });

  test.each<[string, () => string, string, string]>([
    ['nowhere on the PATH', () => 'nosuchprog x', 'no program "nosuchprog"', 'whole path'],
    ['not at its path', () => '/nowhere/agent --now', 'no file /nowhere/agent', 'check the path'],
    ['not at its path from here', () => './nosuch', `looked for at ${process.cwd()}/nosuch`, '/'],
    ['a folder', () => newFolder(), 'is not a file', 'name a program'],
    [
      'not executable',
      () => script('agent.py', 'print(1)\n', 0o644),
      'may not be run',
      'agent.py", or name what runs it: \'python3 /',
    ],
    [
      'a script that does not say what runs it',
      () => script('agent.sh', 'echo hi\n'),
      'does not say what runs it',
      '#!/bin/sh',
    ],
    [
      'a script for something that is not there',
      () => script('agent', '#!/nowhere/python\n'),
      'wants to be run by /nowhere/python',
      'first line',
    ],
    [
      'a script for something that is not on the PATH',
      () => script('agent', '#!/usr/bin/env nosuchprog\n'),
      'wants to be run by nosuchprog',
      'install',
    ],
    ['a command without its end', () => `sh -c 'x`, "has a ' without its end", 'as in a shell'],
  ])('%s is a usage error that says what to do', (_name, command, words, next) => {
    expect(refusal(command())).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^--exec: /) as string,
    });
    const { message, next: hint } = refusal(command()) as { message: string; next: string };
    expect(message).toContain(words);
    expect(hint).toContain(next);
  });

  test('is suggested when it is a file here that is not on the PATH', () => {
    const { next } = refusal('package.json') as { next: string };
    expect(next).toContain('./package.json');
  });

  test('stops "serve" before it makes anything, from the command line and from a file', async () => {
    const home = newCliHome();
    const run = await runCli(['serve', '--home', home, '--exec', 'nosuchprog x']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('--exec: there is no program "nosuchprog"');
    expect(run.stderr).toContain('next:');
    const config = newFile('config.json', JSON.stringify({ exec: 'nosuchprog x' }));
    const fromFile = await runCli(['serve', '--home', home, '--config', config]);
    expect([fromFile.code, fromFile.stderr]).toEqual([
      2,
      expect.stringContaining(`"exec" in ${config}: there is no program "nosuchprog"`) as string,
    ]);
    expect(existsSync(home)).toBe(false);
  });
});
