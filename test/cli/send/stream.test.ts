// What `send` shows while a task runs: text as it comes, a bar, several artifacts kept apart; and goals from elsewhere.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { chooseProvider } from '../../../src/crypto/provider.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import { liveCli, newFile, runCli } from '../../support/agents/cli.ts';
import type { CliRun, CliSetting, LiveCli } from '../../support/agents/cli.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { Gate } from '../../support/agents/tasks.ts';

const HANDLER = `
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
// A file is the sign to go on: it reaches into this process.
const sign = async (path, signal) => {
  while (!existsSync(path)) await setTimeout(10, undefined, { signal });
};
export const onTask = async function* (task, ctx) {
  const { text: goal, data: inputs = {} } = task;
  if (goal === 'story') {
    yield ctx.progress({ message: 'thinking', fraction: 0.25 });
    yield ctx.artifact({ name: 'story', text: 'Once ', append: true });
    yield ctx.artifact({ name: 'story', text: 'upon', append: true });
    await sign(inputs.sign, ctx.signal);
    yield ctx.artifact({ name: 'story', text: ' a time\\n', append: true });
  }
  if (goal === 'two') {
    yield ctx.artifact({ name: 'first', text: 'one' });
    yield ctx.artifact({ name: 'second', text: '{"a":1}', mediaType: 'application/json' });
    yield ctx.artifact({ name: 'bytes', bytes: new Uint8Array([1, 2]) });
  }
  if (goal === 'survive') {
    yield ctx.artifact({ name: 'log', text: 'before ' + ctx.attempt + '\\n', append: true });
    await sign(inputs.sign, ctx.signal);
    yield ctx.artifact({ name: 'log', text: 'after\\n', append: true });
  }
  if (goal.startsWith('say ')) return goal.slice(4);
};
`;

let home: string;
let handler: string;
let daemon: RunningDaemon;
beforeAll(async () => {
  home = join(daemonFolder(), 'h');
  handler = daemonFile('handler.mjs', HANDLER);
  daemon = await startDaemon(home, ['--handler', handler]);
}, 60_000);
afterAll(stopDaemons);

function cli(args: readonly string[], setting: CliSetting = {}): Promise<CliRun> {
  return runCli([...args, '--home', home], { nowMs: Date.now(), ...setting });
}

/** Where the handler looks for the sign to go on, and how to give it. */
function newSign(): { readonly inputs: string; readonly give: () => void } {
  const path = join(daemonFolder(), 'sign');
  return { inputs: JSON.stringify({ sign: path }), give: () => writeFileSync(path, '') };
}

function sending(goal: string, inputs: string, isTerminal = false): LiveCli {
  return liveCli(['send', 'agent', goal, '--stream', '--inputs', inputs, '--home', home], {
    isTerminal,
  });
}

describe('#exchange send --stream', () => {
  test('writes text as it comes, and progress beside it', async () => {
    const sign = newSign();
    const run = sending('story', sign.inputs);
    await run.shown('Once upon');
    expect(run.stdout()).toBe('Once upon');
    expect(run.text()).toContain('[#####---------------] 25 % thinking\n');
    expect(run.text()).not.toContain('\u001B');
    sign.give();
    expect(await run.code).toBe(0);
    expect(run.stdout()).toBe('Once upon a time\n');
  }, 30_000);

  test('on a terminal the bar gives way to the text', async () => {
    const sign = newSign();
    const run = sending('story', sign.inputs, true);
    await run.shown('Once upon');
    expect(run.text()).toContain('25 % thinking');
    expect(run.text()).toContain('\u001B[1A\u001B[2K');
    sign.give();
    expect(await run.code).toBe(0);
    expect(run.stdout()).toBe('Once upon a time\n');
  }, 30_000);

  test('several artifacts are kept apart', async () => {
    const live = await cli(['send', 'agent', 'two', '--stream']);
    expect(live.stdout).toBe(
      'one\nsecond (application/json)\n{"a":1}\nbytes (application/octet-stream)\nbase64url: AQI\n',
    );
    const whole = await cli(['send', 'agent', 'two']);
    expect(whole.stdout).toBe(`first (text/plain)\n${live.stdout}`);
  });

  test('with --json there is one line an event, and the result', async () => {
    const { stdout } = await cli(['send', 'agent', 'two', '--stream', '--json']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ ct }) => ct === 'artifact.v1')).toHaveLength(3);
    expect(lines.at(-1)).toMatchObject({ ok: true, task: { status: 'completed' } });
  });
});

describe('#task-recovery send, when the daemon is killed', () => {
  async function kill(): Promise<void> {
    daemon.signal('SIGKILL');
    await daemon.ended;
  }

  test('waits for it, and goes on with the task', async () => {
    const sign = newSign();
    const isBack = new Gate();
    const args = ['send', 'agent', 'survive', '--stream', '--timeout', '120'];
    const run = liveCli([...args, '--inputs', sign.inputs, '--home', home], {
      wait: () => isBack.opened,
    });
    await run.shown('before');
    await kill();
    await run.shown('waiting for it, 60 s at most');
    daemon = await startDaemon(home, ['--handler', handler]);
    isBack.open();
    await run.shown('agent is back');
    sign.give();
    expect(await run.code).toBe(0);
    expect(run.stdout()).toContain('after\n');
  }, 120_000);

  test('and does not come back: the id of the task, and the line to follow it', async () => {
    const sign = newSign();
    const args = ['send', 'agent', 'survive', '--wait', '5', '--inputs', sign.inputs];
    const run = liveCli([...args, '--stream', '--home', home], { wait: async () => undefined });
    await run.shown('before');
    await kill();
    expect(await run.code).toBe(3);
    expect(run.text()).toContain('it was not back within 5 s');
    expect(run.text()).toMatch(
      /next: {2}when it runs again: a2a-sdl tasks watch [\da-f-]{36} --home \S+\n/,
    );
    daemon = await startDaemon(home, ['--handler', handler]);
  }, 120_000);
});

describe('#exchange send, when the connection is lost before any answer', () => {
  test('names the task, which may have arrived, and the line to follow it', async () => {
    const path = join(daemonFolder(), 'agent.sock');
    // It takes the request, says nothing, and is gone.
    const server = createServer((socket) => {
      socket.once('data', () => {
        server.close();
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const { agentId } = await createIdentity({ crypto: chooseProvider(), nowMs: Date.now() });
    await cli(['peers', 'add', agentId, '--name', 'ghost', '--url', `ipc:${path}`]);
    const { code, stderr } = await cli(['send', 'ghost', 'say boo', '--sign-only']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('the connection was lost')]);
    const [, id] = /if the task (\S+) arrived, it goes on\n/.exec(stderr)!;
    expect(stderr).toContain(`next:  a2a-sdl tasks watch ${id} --peer ghost --sign-only --home `);
    // Who was never reached got nothing: there is nothing to follow.
    const never = await cli(['send', 'ghost', 'say boo', '--sign-only']);
    expect([never.code, never.stderr]).toEqual([1, expect.stringContaining('cannot be reached')]);
    expect(never.stderr).not.toContain('tasks watch');
  });
});

describe('where a goal comes from', () => {
  test('a payload from standard input is shown like a goal', async () => {
    const run = await cli(['send', 'agent', '--payload', '-'], { input: '{"goal":"say hello"}' });
    expect([run.code, run.stdout, run.stderr]).toEqual([0, 'hello\n', '']);
  });

  test('"-" is the standard input', async () => {
    const run = await cli(['send', 'agent', '-'], { input: 'say hello\n' });
    expect([run.code, run.stdout]).toEqual([0, 'hello\n']);
    const empty = await cli(['send', 'agent', '-'], { input: '\n' });
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('is empty')]);
  });

  test('a payload that asks for an answer at once gets it, and that is no failure', async () => {
    const sign = newSign();
    const task = newFile(
      'task.json',
      JSON.stringify({
        goal: 'story',
        inputs: JSON.parse(sign.inputs) as unknown,
        constraints: { time_budget_s: 0 },
      }),
    );
    const run = await cli(['send', 'agent', '--payload', task]);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('follow it with:')]);
    sign.give();
  });

  test('inputs beside a payload are refused, since they would be lost', async () => {
    const run = await cli(['send', 'agent', '--payload', '-', '--inputs', '{}']);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('--inputs goes with')]);
  });
});
