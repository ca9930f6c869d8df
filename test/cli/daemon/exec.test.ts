// Proves programs of any language as agents: `serve --exec` does the work of what `send` asks for, and a program that
// crashes or hangs costs its task and nothing else.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import { runCli } from '../../support/agents/cli.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { quoted, shellCommand, untilGone } from '../../support/agents/exec-agents.ts';
import { until } from '../../support/agents/exchanges.ts';

afterAll(stopDaemons);

const hasPython = spawnSync('python3', ['--version']).status === 0;

interface ExecHome {
  readonly daemon: RunningDaemon;
  readonly send: (...args: readonly string[]) => Promise<CliRun>;
}

async function serveExec(command: string, ...more: readonly string[]): Promise<ExecHome> {
  const home = daemonFolder();
  const daemon = await startDaemon(home, ['--exec', command, ...more]);
  return {
    daemon,
    send: (...args) =>
      runCli(['send', 'agent', ...args, '--home', home, '--json'], { nowMs: Date.now() }),
  };
}

function taskIn(run: CliRun): JsonObject {
  return (run.json() as JsonObject)['task'] as JsonObject;
}

function outputOf(run: CliRun): string {
  const artifacts = (taskIn(run)['artifacts'] ?? []) as JsonObject[];
  return artifacts.map(({ text }) => text as string).join('');
}

interface PidFile {
  readonly path: string;
  readonly read: () => readonly number[];
}

/** Where programs leave the ids of the processes that they start. */
function newPidFile(): PidFile {
  const path = join(daemonFolder(), 'pids');
  const read = (): number[] =>
    readFileSync(path, { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1).map(Number);
  return { path, read };
}

/** Takes its task, starts something of its own, and ends long after the test. */
function hangingLine({ path }: PidFile): string {
  return `read -r task; sleep 60 & echo $! >> ${path}; echo $$ >> ${path}; wait`;
}

describe('serve --exec and send #task-answer #state-task', () => {
  test.skipIf(!hasPython)('a Python script answers', async () => {
    const script = daemonFile(
      'agent.py',
      'import json, sys\ntask = json.load(sys.stdin)\nprint(task["goal"].upper(), task["inputs"]["n"] + 1)\n',
    );
    const { send } = await serveExec(`python3 ${quoted(script)}`);
    const run = await send('say hello', '--inputs', '{"n":41}');
    expect(run.code).toBe(0);
    expect(taskIn(run)).toMatchObject({ status: 'completed' });
    expect(outputOf(run)).toBe('SAY HELLO 42\n');
  });

  test('a Node script answers, its progress streams', async () => {
    const script = daemonFile(
      'agent.mjs',
      `import { text } from 'node:stream/consumers';
       const { goal } = JSON.parse(await text(process.stdin));
       console.log(JSON.stringify({ progress: 'half way' }));
       console.log(goal.length);`,
    );
    const { send } = await serveExec(`${quoted(process.execPath)} ${quoted(script)}`);
    const run = await send('count me', '--stream');
    expect(run.code).toBe(0);
    const lines = run.stdout.trim().split('\n');
    expect(lines.slice(0, -1).join()).toContain('half way');
    expect(lines.at(-1)).toContain('"status":"completed"');
    expect(lines.at(-1)).toContain('8\\n');
  });

  test('a shell line answers, fails and crashes: the task fails, no process stays behind', async () => {
    const pids = newPidFile();
    const line = `read -r task; sleep 60 & echo $! >> ${pids.path}
      case "$task" in
        *'"goal":"crash"'*) kill -SEGV $$ ;;
        *'"goal":"fail"'*) echo oops >&2; exit 3 ;;
        *) echo "done by $0" ;;
      esac`;
    const { daemon, send } = await serveExec(shellCommand(line));
    const fine = await send('work');
    expect([fine.code, outputOf(fine)]).toEqual([0, 'done by /bin/sh\n']);

    const failed = await send('fail');
    expect(failed.code).toBe(1);
    expect(taskIn(failed)).toMatchObject({ status: 'failed', error: { code: 'COMMAND_FAILED' } });
    expect(failed.stdout).not.toContain('oops');

    const crashed = await send('crash');
    expect(crashed.code).toBe(1);
    expect(taskIn(crashed)).toMatchObject({ status: 'failed', error: { code: 'COMMAND_KILLED' } });

    expect(pids.read()).toHaveLength(3);
    for (const pid of pids.read()) await untilGone(pid);
    expect(outputOf(await send('work again'))).toBe('done by /bin/sh\n');
    expect(daemon.isRunning()).toBe(true);
  });

  test('who waits for a program that hangs is told before its patience ends that the task goes on', async () => {
    const pids = newPidFile();
    const { daemon, send } = await serveExec(shellCommand(hangingLine(pids)));
    const run = await send('hang', '--timeout', '2');
    expect(taskIn(run)).toMatchObject({ status: 'working' });
    expect(pids.read()).toHaveLength(2);
    daemon.signal('SIGTERM');
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
    for (const pid of pids.read()) await untilGone(pid);
  });

  test('an exchange that takes too long is answered with DEADLINE, and its task is followed on #errors', async () => {
    const pids = newPidFile();
    const config = daemonFile('config.json', JSON.stringify({ handler_timeout_s: 1 }));
    const { daemon, send } = await serveExec(shellCommand(hangingLine(pids)), '--config', config);
    const run = await send('hang', '--timeout', '5');
    expect(run.code).toBe(3);
    await daemon.logged(({ code }) => code === 'DEADLINE');
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'a program that hangs does not outlive a daemon that gets %s',
    async (signal) => {
      const pids = newPidFile();
      const config = daemonFile('config.json', JSON.stringify({ drain_s: 0 }));
      const { daemon, send } = await serveExec(shellCommand(hangingLine(pids)), '--config', config);
      const sent = send('hang', '--wait', '0');
      await until(() => pids.read().length === 2);
      daemon.signal(signal);
      const ended = await daemon.ended;
      expect(ended.code).toBe(signal === 'SIGTERM' ? 0 : null);
      for (const pid of pids.read()) await untilGone(pid);
      expect((await sent).code).toBe(3);
    },
  );

  test('a program that is gone by then fails the task and not the daemon', async () => {
    const program = daemonFile('agent', '#!/bin/sh\necho hello\n');
    const { daemon, send } = await serveExec(quoted(program));
    rmSync(program);
    const run = await send('work');
    expect(run.code).toBe(1);
    expect(taskIn(run)).toMatchObject({ error: { code: 'COMMAND_NOT_STARTED' } });
    expect(run.stdout).not.toContain(program);
    expect(daemon.isRunning()).toBe(true);
  });
});
