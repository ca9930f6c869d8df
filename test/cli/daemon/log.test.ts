// Proves the daemon's log with real processes: one line an event, with time, task, peer and how it ended.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/codec/value.ts';
import { runCli } from '../../support/agents/cli.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';

afterAll(stopDaemons);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const HANDLER = `
export async function onTask({ text: goal }, ctx) {
  if (goal === 'fail') throw Object.assign(new Error('secret words'), {});
  if (goal === 'ask') return 'you said ' + (await ctx.ask('which?'));
  return 'done';
}`;

interface Setting {
  readonly home: string;
  readonly daemon: RunningDaemon;
  readonly cli: (...args: readonly string[]) => Promise<CliRun>;
}

async function serve(...args: readonly string[]): Promise<Setting> {
  const home = daemonFolder();
  const daemon = await startDaemon(home, args);
  const cli = (...words: readonly string[]): Promise<CliRun> =>
    runCli([...words, '--home', home, '--json'], { nowMs: Date.now() });
  return { home, daemon, cli };
}

function idIn(run: CliRun): string {
  const { task } = run.json() as { readonly task: JsonObject };
  return task['id'] as string;
}

const taskLines = ({ daemon }: Setting, id: string): readonly JsonObject[] =>
  daemon.log().filter(({ event, task }) => event === 'task' && task === id);

describe('the log of the daemon, as JSON', () => {
  test('has a line for each start and end of a task, and for its message', async () => {
    const setting = await serve('--exec', `sh -c 'exit 3'`);
    const { daemon, cli, home } = setting;
    const [ready] = daemon.log();
    expect(Object.keys(ready!)).toEqual([
      'event',
      'time',
      'agent_id',
      'http',
      'ws',
      'ipc',
      'ipc_tcp',
      'a2a',
    ]);
    const run = await cli('send', 'agent', 'very private words');
    expect(run.code).toBe(1);
    const id = idIn(run);
    const message = await daemon.logged(({ event, ct }) => event === 'message' && ct === 'task.v1');
    const operator = (await runCli(['keys', 'list', '--home', home, '--json'])).stdout;
    expect(operator).toContain(message['from'] as string);
    expect(message).toMatchObject({
      time: expect.stringMatching(TIME) as string,
      transport: 'ipc',
      verdict: 'failed',
      peer: 'operator',
      proven: true,
      task: id,
      state: 'failed',
      code: 'COMMAND_FAILED',
      reason: 'the command ended with exit code 3',
      retry: false,
      ms: expect.any(Number) as number,
    });
    expect(taskLines(setting, id)).toEqual([
      expect.objectContaining({ state: 'working', attempt: 1, peer: 'operator' }),
      expect.objectContaining({
        state: 'failed',
        code: 'COMMAND_FAILED',
        reason: 'the command ended with exit code 3',
        ms: expect.any(Number) as number,
      }),
    ]);
    for (const { time } of daemon.log()) expect(time).toMatch(TIME);
    expect(JSON.stringify(daemon.log())).not.toContain('very private words');
    daemon.signal('SIGTERM');
    await daemon.ended;
    expect(daemon.log().slice(-2)).toMatchObject([{ event: 'stopping' }, { event: 'stopped' }]);
  });

  test('tells of questions, of a task that is canceled, and of what failed unexpectedly with its stack', async () => {
    const setting = await serve('--handler', daemonFile('agent.mjs', HANDLER));
    const { daemon, cli } = setting;
    const failed = idIn(await cli('send', 'agent', 'fail'));
    const error = await daemon.logged(({ event }) => event === 'error');
    expect(error).toMatchObject({
      what: 'the agent failed',
      task: failed,
      peer: 'operator',
      reason: 'secret words',
      stack: expect.stringContaining('agent.mjs:') as string,
    });
    const asked = idIn(await cli('send', 'agent', 'ask'));
    expect(taskLines(setting, asked).map(({ state }) => state)).toEqual([
      'working',
      'input-required',
    ]);
    await cli('tasks', 'cancel', asked);
    await daemon.logged(({ task, state }) => task === asked && state === 'canceled');
    expect(taskLines(setting, asked).map(({ state }) => state)).toEqual([
      'working',
      'input-required',
      'canceled',
    ]);
    const done = idIn(await cli('send', 'agent', 'work'));
    await daemon.logged(({ event, task }) => event === 'message' && task === done);
    expect(daemon.log().at(-1)).toMatchObject({ verdict: 'ok', state: 'completed' });
  });

  test('names a stranger by a short id, and says that it is not proven', async () => {
    const { daemon } = await serve();
    const stranger = daemonFolder();
    const own = ['--home', stranger, '--json'];
    await runCli(['init', ...own], { nowMs: Date.now() });
    await runCli(['peers', 'add', daemon.urls.http, '--name', 'bob', '--yes', ...own], {
      nowMs: Date.now(),
    });
    const sent = await runCli(['send', 'bob', 'hello', ...own], { nowMs: Date.now() });
    expect(sent.code).toBe(1);
    const line = await daemon.logged(({ event }) => event === 'message');
    expect(line['peer']).toMatch(/^did:key:z\w{9}…\w{6}$/);
    expect(line).toMatchObject({ proven: false, code: line['verdict'] });
  });
});

describe('the log of the daemon, for people', () => {
  test('is one line an event, with the stack only when it is asked for', async () => {
    const handler = daemonFile('agent.mjs', HANDLER);
    const plain = await logOf(['--handler', handler], 'fail');
    const failed = plain.find((line) => line.includes(' failed ipc task.v1 '))!;
    expect(failed).toMatch(/^\S+Z failed ipc task\.v1 from operator, task \S+, \d+ ms: INTERNAL: /);
    expect(plain.filter((line) => / task \S+ of operator working$/.test(line))).toHaveLength(1);
    expect(
      plain.filter((line) => / task \S+ of operator failed, \d+ ms: INTERNAL: /.test(line)),
    ).toHaveLength(1);
    expect(plain.every((line) => /^\d{4}-\S+Z /.test(line))).toBe(true);
    expect(plain.join('\n')).not.toContain('agent.mjs:');
    const verbose = await logOf(['--handler', handler, '--verbose'], 'fail');
    expect(verbose.join('\n')).toContain('agent.mjs:');
  });
});

/** What a daemon without `--json` says on stderr while it does one task. */
async function logOf(args: readonly string[], goal: string): Promise<readonly string[]> {
  const home = daemonFolder();
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'cli/main.ts', 'serve', '--home', home, '--http', '127.0.0.1:0', ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const shown = createInterface({ input: child.stdout });
  await new Promise<void>((resolve) => {
    shown.on('line', (line) => {
      if (line.includes('lets you in with')) resolve();
    });
  });
  await runCli(['send', 'agent', goal, '--home', home], { nowMs: Date.now() });
  child.kill('SIGTERM');
  await once(child, 'close');
  return lines;
}
