// How commands end, told apart by their exit codes: real processes against a real daemon.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../support/agents/daemon.ts';
import { runCli } from '../support/agents/cli.ts';

const ROOT = join(import.meta.dirname, '../..');
const HANDLER = `
export const onTask = async function* (task, ctx) {
  const { text: goal } = task;
  if (goal === 'ask') return 'painted ' + (await ctx.ask('which colour?'));
  if (goal === 'fail') throw new Error('no paint');
  if (goal === 'wait') {
    yield ctx.progress('waiting');
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
  }
  return 'done';
};
`;

let home: string;
beforeAll(async () => {
  home = join(daemonFolder(), 'h');
  await startDaemon(home, ['--handler', daemonFile('handler.mjs', HANDLER)]);
}, 60_000);
afterAll(stopDaemons);

async function codeOf(...args: string[]): Promise<number> {
  return (await runCli([...args, '--home', home], { nowMs: Date.now() })).code;
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly text: string;
}

/** A real process, interrupted once it has shown `words`. */
async function interruptWhen(words: string, ...args: string[]): Promise<Ended> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'cli/main.ts', ...args, '--home', home],
    { cwd: ROOT, stdio: 'pipe' },
  );
  let text = '';
  const heard = (chunk: Buffer): void => {
    const wasSilent = !text.includes(words);
    text += chunk.toString('utf8');
    if (wasSilent && text.includes(words)) child.kill('SIGINT');
  };
  child.stdout.on('data', heard);
  child.stderr.on('data', heard);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, text };
}

describe('exit codes', () => {
  test('0: the task completed; 1: it failed; 2: not called rightly', async () => {
    expect(await codeOf('send', 'agent', 'work')).toBe(0);
    expect(await codeOf('send', 'agent', 'fail')).toBe(1);
    expect(await codeOf('send', 'agent')).toBe(2);
  });

  test('3: a task that asks, and one whose time here is over, have not ended', async () => {
    expect(await codeOf('send', 'agent', 'ask')).toBe(3);
    expect(await codeOf('send', 'agent', 'wait', '--timeout', '2')).toBe(3);
    expect(await codeOf('send', 'agent', 'wait', '--timeout', '2', '--json')).toBe(3);
  });

  test('130: Ctrl-C while a task is sent, and the task goes on', async () => {
    const { code, text } = await interruptWhen('waiting', 'send', 'agent', 'wait', '--stream');
    expect([code, text]).toEqual([130, expect.stringMatching(/the task \S+ goes on/)]);
  }, 30_000);

  test('130: Ctrl-C in what goes on until it is interrupted', async () => {
    const { code } = await interruptWhen('ID', 'tasks', 'list', '--all', '--live');
    expect(code).toBe(130);
  }, 30_000);

  test('130: Ctrl-C in a command that has nothing to end first', async () => {
    const waiting = spawn(process.execPath, ['--import', 'tsx', 'cli/main.ts', 'sign', '-'], {
      cwd: ROOT,
      env: { ...process.env, A2A_SDL_HOME: home },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // It has read all that there is, and waits for more.
    waiting.stdin.write(' '.repeat(4_194_304), () => waiting.kill('SIGINT'));
    expect(await once(waiting, 'exit')).toEqual([130, null]);
  }, 30_000);
});
