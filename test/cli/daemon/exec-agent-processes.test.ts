// Proves that no process is left behind: whatever a command does, and however the agent itself ends.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { TaskEngine } from '../../../src/tasks/engine/contract.ts';
import { textIn } from '../../../src/tasks/part.ts';
import type { StartedTask } from '../../../src/tasks/request.ts';
import {
  execRuns,
  nodeCommand,
  shellCommand,
  untilGone,
} from '../../support/agents/exec-agents.ts';
import { TestTime, finished } from '../../support/agents/tasks.ts';

const OWNER = { owner: 'did:key:alice' };
const host = fileURLToPath(new URL('../../support/agents/exec-host.ts', import.meta.url));

/** Says its own id and that of a grandchild, and waits for both. */
const FAMILY = 'sleep 1000 & echo "$$ $!"; wait';

/** The ids that the command has printed on its first line. */
async function idsIn(engine: TaskEngine, { task }: StartedTask): Promise<number[]> {
  let text = '';
  for await (const { event } of engine.follow(task, task.id, 0)) {
    if (event?.type === 'artifact') text += textIn(event.artifact.parts, '');
    if (text.includes('\n')) return text.trim().split(' ').map(Number);
  }
  throw new Error('the command printed no line');
}

async function allGone(ids: readonly number[]): Promise<void> {
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.every((id) => id > 1)).toBe(true);
  await Promise.all(ids.map(untilGone));
}

describe.skipIf(process.platform === 'win32')('#task-answer processes of a task', () => {
  test('canceling ends the command and what it started', async () => {
    const { engine, start, ends } = execRuns(shellCommand(FAMILY));
    const started = await start('t');
    const ids = await idsIn(engine, started);
    await engine.cancel(OWNER, 't');
    await allGone(ids);
    await engine.close();
    expect(ends).toMatchObject([{ signal: 'SIGTERM' }]);
  });

  test('a command that ignores the request to end is ended after the grace', async () => {
    const script = `trap '' TERM; (trap '' TERM; sleep 1000) & echo "$$ $!"; while :; do wait; done`;
    const { engine, start, ends } = execRuns(shellCommand(script), { graceMs: 50 });
    const started = await start('t');
    const ids = await idsIn(engine, started);
    await engine.cancel(OWNER, 't');
    await engine.close();
    await allGone(ids);
    expect(ends).toMatchObject([{ signal: 'SIGKILL' }]);
  });

  test('a command may use the grace to end in its own way', async () => {
    const script = `process.on('SIGTERM', () => process.exit(7)); console.log(process.pid); setInterval(() => 0, 1e6)`;
    const { engine, start, ends } = execRuns(nodeCommand(script), { graceMs: 60_000 });
    const ids = await idsIn(engine, await start('t'));
    await engine.cancel(OWNER, 't');
    await allGone(ids);
    await engine.close();
    expect(ends).toMatchObject([{ exitCode: 7 }]);
  });

  test('the deadline ends the command and what it started', async () => {
    const time = new TestTime();
    const { engine, start } = execRuns(
      shellCommand(FAMILY),
      {},
      {
        setTimer: time.setTimer,
        now: () => time.now,
      },
    );
    const started = await start('t');
    const ids = await idsIn(engine, started);
    time.pass(3_600_000);
    const { task } = await finished(engine, started);
    expect(task.status.failure?.code).toBe('DEADLINE');
    await allGone(ids);
    await engine.close();
  });

  test('what a command leaves behind when it ends is ended with it', async () => {
    const { engine, start } = execRuns(shellCommand('sleep 1000 & echo "$!"'));
    const started = await start('t');
    const ids = await idsIn(engine, started);
    const { task } = await finished(engine, started);
    expect(task.status.state).toBe('completed');
    await allGone(ids);
    await engine.close();
  });

  test('someone who left the group and holds the output does not hold up the task', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      const left = spawn('sleep', ['1000'], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
      left.unref();
      console.log(left.pid);`;
    const { engine, start } = execRuns(nodeCommand(script), { graceMs: 100 });
    const started = await start('t');
    const [pid] = await idsIn(engine, started);
    try {
      const { task } = await finished(engine, started);
      expect(task).toMatchObject({
        status: { state: 'completed' },
        artifacts: [{ text: `${pid}\n` }],
      });
    } finally {
      process.kill(pid!, 'SIGKILL');
    }
    await engine.close();
  });

  test('closing the engine ends every command before it is done', async () => {
    const { engine, start, ends } = execRuns(shellCommand(FAMILY));
    const started = await Promise.all(['a', 'b', 'c'].map((id) => start(id)));
    const ids = (await Promise.all(started.map((one) => idsIn(engine, one)))).flat();
    await engine.close();
    expect(ends).toHaveLength(3);
    await allGone(ids);
  });

  test('nothing listens for the end of the program when no command runs', async () => {
    const before = process.listenerCount('exit');
    const { engine, start } = execRuns(shellCommand(FAMILY));
    await idsIn(engine, await start('t'));
    expect(process.listenerCount('exit')).toBe(before + 1);
    await engine.close();
    expect(process.listenerCount('exit')).toBe(before);
  });

  test.each([
    ['exits by itself', 'exit'],
    ['fails', 'throw'],
    ['is killed', 'SIGKILL'],
    ['is killed before the guard of its command is started', '1'],
    ['is killed before its command begins', '2'],
  ])('an agent that %s leaves no command behind', async (_how, end) => {
    const agent = spawn(process.execPath, ['--import', 'tsx', host, end, shellCommand(FAMILY)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(agent, 'exit');
    const lines = createInterface({ input: agent.stdout });
    const [line] = (await once(lines, 'line')) as [string];
    if (end === 'SIGKILL') agent.kill('SIGKILL');
    await exited;
    await allGone(line.split(' ').map(Number));
  });
});
