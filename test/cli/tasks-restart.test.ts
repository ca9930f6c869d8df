// The commands that follow tasks, when the daemon that they ask is killed and comes back, or does not.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import type { LiveCli } from '../support/agents/cli.ts';
import { liveCli, runCli } from '../support/agents/cli.ts';
import type { RunningDaemon } from '../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../support/agents/daemon.ts';
import { Gate } from '../support/agents/tasks.ts';

const HANDLER = `
export const onTask = async function* (task, ctx) {
  for (let step = 1; step <= 3; step += 1) yield ctx.progress('step ' + step);
  await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
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

async function cli(...args: string[]): Promise<void> {
  const { code, stderr } = await runCli([...args, '--home', home], { nowMs: Date.now() });
  expect([code, stderr]).toEqual([0, '']);
}

/** Resolves when the agent is at work on it. */
async function startTask(id: string): Promise<void> {
  const path = daemonFile('task.json', '');
  const payload = {
    kind: 'task.v1',
    goal: 'wait',
    inputs: {},
    constraints: { time_budget_s: 0, compute_budget: 'low', safety: {} },
    deliverables: [],
    acceptance: [],
    context: { task: { id, context_id: id } },
  };
  writeFileSync(path, JSON.stringify(payload));
  await cli('send', 'agent', '--payload', path, '--json');
}

async function kill(): Promise<void> {
  daemon.signal('SIGKILL');
  await daemon.ended;
}

async function restart(): Promise<void> {
  daemon = await startDaemon(home, ['--handler', handler]);
}

/** With pauses that are over when the test says so. */
function follow(args: readonly string[], mayTry: Gate): LiveCli {
  // The pause from one list to the next is none of those.
  const wait = (delayMs: number): Promise<void> =>
    delayMs === 1_000 ? Promise.resolve() : mayTry.opened;
  return liveCli([...args, '--home', home], { wait });
}

describe('#exchange #task-recovery a daemon that is killed', () => {
  test('is waited for, and a watch goes on where it was', async () => {
    await startTask('watched');
    const isBack = new Gate();
    const watching = follow(['tasks', 'watch', 'watched', '--json'], isBack);
    await watching.shown('step 3');
    await kill();
    await watching.shown('agent cannot be reached');
    await watching.shown('waiting for it, 60 s at most');
    await restart();
    isBack.open();
    await watching.shown('agent is back');
    await cli('tasks', 'cancel', 'watched');
    expect(await watching.code).toBe(1);
    const lines = watching.stdout().trimEnd().split('\n');
    const shown = lines.map((line) => JSON.parse(line) as JsonObject);
    const generations = shown.slice(0, -1).map(({ generation }) => generation);
    expect(generations).toEqual(generations.map((_, at) => at + 1));
    expect(shown.at(-1)).toMatchObject({ ok: false, task: { status: 'canceled' } });
  }, 60_000);

  test('is waited for by a list that stays', async () => {
    await startTask('listed');
    const isBack = new Gate();
    const args = ['tasks', 'list', '--live', '--context', 'listed', '--json'];
    const listing = follow(args, isBack);
    await listing.shown('"listed"');
    await kill();
    await listing.shown('waiting for it, 60 s at most');
    await restart();
    isBack.open();
    await listing.shown('agent is back');
    await cli('tasks', 'cancel', 'listed');
    await listing.shown('"canceled"');
    listing.interrupt();
    expect(await listing.code).toBe(130);
  }, 60_000);

  test('is asked later each time, and not for ever: then the user hears how to go on', async () => {
    await startTask('lost');
    const pauses: number[] = [];
    const wait = async (delayMs: number): Promise<void> => void pauses.push(delayMs);
    const args = ['tasks', 'watch', 'lost', '--wait', '20', '--home', home];
    const watching = liveCli(args, { wait });
    await watching.shown('step 3');
    await kill();
    expect(await watching.code).toBe(3);
    const [first, ...others] = pauses;
    expect(first).toBe(250);
    expect(others.slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000]);
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBe(20_000);
    expect(watching.text()).toContain('it was not back within 20 s');
    expect(watching.text()).toContain(`a2a-sdl tasks watch lost --from 5 --home ${home}\n`);
    const never = liveCli(args, { wait: () => Promise.reject(new Error('it must not wait')) });
    expect(await never.code).toBe(1);
    expect(never.text()).toContain('start it with "a2a-sdl serve"');
    await restart();
  }, 60_000);
});

describe('#exchange a daemon that does not answer', () => {
  test('may have got the task: the user hears how to see to it', async () => {
    daemon.signal('SIGSTOP');
    const args = ['send', 'agent', 'wait', '--timeout', '1', '--home', home];
    const { code, stderr } = await runCli(args, { nowMs: Date.now() });
    const called = await runCli(['call', 'agent', 'sys.ping', ...args.slice(3)], {
      nowMs: Date.now(),
    });
    daemon.signal('SIGCONT');
    const [, id] = /^error: there was no answer within 1 s; if the task (\S+) arrived, /.exec(
      stderr,
    )!;
    expect(stderr).toContain(`next:  a2a-sdl tasks watch ${id} --home ${home}\n`);
    expect(code).toBe(3);
    expect(called.stderr).toContain('agent did not answer in time');
  }, 60_000);
});
