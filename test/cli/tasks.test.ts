// The commands for tasks against a daemon in the same process.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { parseWords } from '../../cli/kit/arguments.ts';
import type { Daemon } from '../../cli/daemon/daemon.ts';
import { startDaemon } from '../../cli/daemon/daemon.ts';
import { homeAt } from '../../cli/home/home.ts';
import { OptionValues } from '../../cli/kit/option-values.ts';
import { readDaemonConfig } from '../../cli/serve/config.ts';
import { SERVE_OPTIONS } from '../../cli/serve/options.ts';
import { tasksCommand } from '../../cli/tasks/command.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { crypto } from '../support/agents/agents.ts';
import type { CliRun, LiveCli } from '../support/agents/cli.ts';
import { liveCli, runCli } from '../support/agents/cli.ts';
import { quietLog } from '../support/agents/quiet-log.ts';

const HANDLER = `
export const onTask = async function* (task, ctx) {
  const { text: goal } = task;
  if (goal === 'ask') return 'painted ' + (await ctx.ask('which colour?'));
  if (goal === 'wait') {
    yield ctx.progress({ message: 'waiting', fraction: 0.25 });
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
  }
  yield ctx.progress({ message: 'half', fraction: 0.5 });
  yield ctx.artifact({ name: 'answer', text: goal + ' ' + (task.data?.word ?? '') });
};
`;

let folder: string;
let daemon: Daemon;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tasks-'));
  const handler = join(folder, 'handler.mjs');
  writeFileSync(handler, HANDLER);
  const home = homeAt(join(folder, 'home'));
  const words = ['--http', '127.0.0.1:0', '--open', '--handler', handler];
  const { given } = parseWords(words, SERVE_OPTIONS);
  daemon = await startDaemon({
    config: await readDaemonConfig(new OptionValues(Object.keys(SERVE_OPTIONS), given), home),
    home,
    crypto,
    now: Date.now,
    log: quietLog(),
  });
});

afterAll(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

function cli(...args: string[]): Promise<CliRun> {
  return runCli([...args, '--home', join(folder, 'home')], { nowMs: Date.now() });
}

/** The id of a task that was sent with a payload of its own. */
async function sent(goal: string, task: JsonObject = {}): Promise<string> {
  const path = join(folder, 'task.json');
  const id = `${goal}-${Math.random().toString(36).slice(2)}`;
  const payload = {
    kind: 'task.v1',
    goal,
    inputs: { word: 'twice' },
    constraints: { time_budget_s: 0, compute_budget: 'low', safety: {} },
    deliverables: [],
    acceptance: [],
    context: { task: { id, ...task } },
  };
  writeFileSync(path, JSON.stringify(payload));
  expect((await cli('send', 'agent', '--payload', path)).code).toBe(0);
  return id;
}

async function stateOf(id: string): Promise<unknown> {
  return ((await cli('tasks', 'show', id, '--json')).json() as JsonObject)['status'];
}

function watchLive(args: readonly string[], isTerminal = false): LiveCli {
  return liveCli([...args, '--home', join(folder, 'home')], { isTerminal });
}

function linesOf({ stdout }: CliRun): JsonObject[] {
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as JsonObject);
}

describe('#task-ids tasks list and show', () => {
  test('the newest first, by state and context, a page at a time', async () => {
    const ids = [await sent('one', { context_id: 'c' }), await sent('two', { context_id: 'c' })];
    for (const id of ids) await expect.poll(() => stateOf(id)).toBe('completed');
    const listed = linesOf(await cli('tasks', 'list', '--context', 'c', '--json'));
    expect(listed.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(listed[0]).toMatchObject({ status: 'completed', goal: 'two', context_id: 'c' });
    const [first, more] = linesOf(
      await cli('tasks', 'list', '--context', 'c', '--limit', '1', '--json'),
    );
    expect(first!['id']).toBe(ids[1]);
    const cursor = more!['next'] as string;
    const rest = await cli('tasks', 'list', '--context', 'c', '--after', cursor, '--json');
    expect(linesOf(rest).map(({ id }) => id)).toEqual([ids[0]]);
    const table = await cli('tasks', 'list', '--state', 'completed');
    expect(table.stdout).toMatch(/^ID +STATE +AGE +GOAL +PROGRESS\n/);
    // How far it was is told while it works.
    expect(table.stdout).not.toContain('half');
    const atWork = await sent('wait');
    const working = (): Promise<CliRun> => cli('tasks', 'list', '--state', 'working');
    await expect
      .poll(async () => (await working()).stdout)
      .toContain('[#####---------------] 25 % waiting');
    await cli('tasks', 'cancel', atWork);
    const none = await cli('tasks', 'list', '--state', 'rejected');
    expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'there are no such tasks\n']);
  });

  test('one task is shown with its output', async () => {
    const id = await sent('show me');
    await expect.poll(() => stateOf(id)).toBe('completed');
    const { stdout } = await cli('tasks', 'show', id);
    expect(stdout).toContain('show me twice\n');
    const document = (await cli('tasks', 'show', id, '--request', '--json')).json() as JsonObject;
    expect(document['request']).toMatchObject({ inputs: { word: 'twice' } });
  });

  test('the operator sees the tasks of everybody when it asks for them, and nobody else does', async () => {
    const other = join(folder, 'other');
    const at = (...args: string[]): Promise<CliRun> =>
      runCli([...args, '--home', other], { nowMs: Date.now() });
    await at('init');
    await at('peers', 'add', new URL(daemon.urls.http).origin, '--name', 'bob', '--yes');
    const task = join(folder, 'strange.json');
    writeFileSync(task, '{"goal":"strange","context":{"task":{"context_id":"theirs"}}}');
    const sending = await at('send', 'bob', '--payload', task, '--json');
    const run = sending.json() as { task: JsonObject };
    const { id } = run.task as { id: string };
    const strangers = linesOf(await at('tasks', 'list', '--peer', 'bob', '--json'));
    expect(strangers.map((one) => one['id'])).toEqual([id]);
    const refused = await at('tasks', 'list', '--peer', 'bob', '--all', '--json');
    expect([refused.code, refused.error()['code']]).toEqual([1, 'SECURITY_UNSUPPORTED']);

    const own = linesOf(await cli('tasks', 'list', '--json', '--limit', '200'));
    expect(own.some((one) => one['id'] === id)).toBe(false);
    const all = linesOf(await cli('tasks', 'list', '--all', '--json', '--limit', '200'));
    const { owner } = all.find((one) => one['id'] === id) as { owner: string };
    expect((await cli('tasks', 'show', id)).code).toBe(1);
    expect((await cli('tasks', 'show', id, '--owner', owner)).stdout).toContain('strange');
    expect((await cli('tasks', 'list', '--all')).stdout).toMatch(/OWNER/);
    const none = await cli('tasks', 'list', '--context', 'theirs');
    expect(none.stderr).toBe('none of yours; such tasks of other owners, shown with --all: 1\n');
    const empty = await at('tasks', 'list', '--peer', 'bob', '--state', 'failed');
    expect(empty.stderr).toBe('there are no such tasks\n');
    const hidden = await at('tasks', 'show', own[0]!['id'] as string, '--peer', 'bob', '--json');
    expect(hidden.error()['code']).toBe('TASK_UNKNOWN');
  });
});

describe('#exchange tasks watch', () => {
  test('follows a task to its end, from any generation', async () => {
    const id = await sent('follow');
    const run = await cli('tasks', 'watch', id, '--json');
    expect(run.code).toBe(0);
    const lines = linesOf(run);
    const events = lines.slice(0, -1).map(({ generation, ct }) => [generation, ct]);
    expect(events).toEqual([
      [1, 'state.v1'],
      [2, 'state.v1'],
      [3, 'state.v1'],
      [4, 'artifact.v1'],
      [5, 'state.v1'],
    ]);
    expect(lines.at(-1)).toMatchObject({ ok: true, task: { status: 'completed' } });
    const resumed = linesOf(await cli('tasks', 'watch', id, '--from', '3', '--json'));
    expect(resumed.map(({ generation }) => generation)).toEqual([4, 5, undefined]);
    const shown = await cli('tasks', 'watch', id, '--from', '2');
    expect(shown.stdout).toContain('3 working [##########----------] 50 % half\n');
    expect(shown.stdout).toContain('follow twice\n');
    expect(shown.stderr).toBe('completed\n');
  });

  test('goes on over a question, to the answer that another command gives', async () => {
    const id = await sent('ask');
    await expect.poll(() => stateOf(id)).toBe('input-required');
    const watching = watchLive(['tasks', 'watch', id]);
    await watching.shown('3 input-required: which colour?');
    const home = join(folder, 'home');
    await watching.shown(`answer it with:  a2a-sdl tasks reply ${id} REPLY --home ${home}\n`);
    const replied = await cli('tasks', 'reply', id, 'blue');
    expect([replied.code, replied.stdout]).toMatchObject([0, expect.stringContaining(id)]);
    expect(await watching.code).toBe(0);
    expect(watching.text()).toContain('painted blue');
    const late = await cli('tasks', 'reply', id, 'red', '--json');
    expect([late.code, late.error()['code']]).toEqual([1, 'TASK_ENDED']);
    expect(late.error()['message']).toBe('the task has ended: it is completed');
    const afterwards = await cli('tasks', 'watch', id);
    expect(afterwards.stdout).toContain('3 input-required: which colour?');
    expect(afterwards.stderr).toBe('completed\n');
  });

  test('redraws its line only on a terminal, and an interrupt leaves the task alone', async () => {
    const id = await sent('wait');
    const watching = watchLive(['tasks', 'watch', id], true);
    await watching.shown('25 % waiting');
    expect(watching.text()).toContain('\u001B[1A\u001B[2K');
    watching.interrupt();
    expect(await watching.code).toBe(130);
    const home = join(folder, 'home');
    expect(watching.text()).toContain(`a2a-sdl tasks watch ${id} --from 3 --home ${home}\n`);
    expect(await stateOf(id)).toBe('working');
    await cli('tasks', 'cancel', id);
  });

  test('a list that stays is not wider than the terminal', async () => {
    const goal = 'say something that takes many more words than one line of a terminal can hold';
    await sent(goal, { context_id: 'narrow' });
    const drawn = watchLive(['tasks', 'list', '--live', '--context', 'narrow'], true);
    await drawn.shown('…');
    const lines = drawn.stdout().replaceAll('\u001B[H\u001B[J', '').split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBe(80);
    drawn.interrupt();
    expect(await drawn.code).toBe(130);
  });

  test('a list that stays is drawn again, or on paper told by its changes', async () => {
    const id = await sent('wait', { context_id: 'live' });
    const args = ['tasks', 'list', '--live', '--context', 'live'];
    const drawn = watchLive(args, true);
    const told = watchLive([...args, '--json']);
    await drawn.shown('25 %');
    await told.shown('"working"');
    await cli('tasks', 'cancel', id);
    await drawn.shown('canceled');
    await told.shown('"canceled"');
    drawn.interrupt();
    told.interrupt();
    expect(await Promise.all([drawn.code, told.code])).toEqual([130, 130]);
    expect(drawn.text()).toContain('\u001B[H\u001B[J');
    expect(told.text()).not.toContain('\u001B');
  });
});

describe('#exchange a task that was sent, and goes on', () => {
  test('is told of when the user stops waiting for it', async () => {
    const sending = watchLive(['send', 'agent', 'wait', '--stream']);
    await sending.shown('25 % waiting');
    sending.interrupt();
    expect(await sending.code).toBe(130);
    const told = sending.text();
    const [, id] = /interrupted; the task (\S+) goes on\n/.exec(told)!;
    expect(told).toContain(`a2a-sdl tasks watch ${id} --home ${join(folder, 'home')}\n`);
    expect(await stateOf(id!)).toBe('working');
    await cli('tasks', 'cancel', id!);
  });

  test('and asks is shown with its question, and the lines to answer and to follow it', async () => {
    const { stderr } = await cli('send', daemon.urls.ipc, 'ask');
    const [, id] = /tasks reply (\S+) REPLY/.exec(stderr)!;
    const where = `--peer '${daemon.urls.ipc}' --home ${join(folder, 'home')}`;
    expect(stderr.split('\n')).toEqual([
      'the task is input-required: which colour?',
      `answer it with:  a2a-sdl tasks reply ${id} REPLY ${where}`,
      `follow it with:  a2a-sdl tasks watch ${id} ${where}`,
      '',
    ]);
    await cli('tasks', 'reply', id!, 'blue');
    await expect.poll(() => stateOf(id!)).toBe('completed');
  });
});

describe('#task-ids tasks cancel and retry', () => {
  test('a task is canceled once; watching it then fails', async () => {
    const id = await sent('wait');
    await expect.poll(() => stateOf(id)).toBe('working');
    const first = await cli('tasks', 'cancel', id);
    expect([first.code, first.stdout]).toEqual([0, `${id} is canceled\n`]);
    expect((await cli('tasks', 'watch', id)).code).toBe(1);
    const done = await sent('x');
    await expect.poll(() => stateOf(done)).toBe('completed');
    const late = await cli('tasks', 'cancel', done);
    expect([late.code, late.stderr]).toEqual([1, `${done} had ended before: it is completed\n`]);
  });

  test('a task is sent again with all that was asked, under a new id', async () => {
    const id = await sent('again', { deadline: '2099-01-01T00:00:00Z', context_id: 'kept' });
    const run = await cli('tasks', 'retry', id, '--watch');
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('again twice')]);
    const told = await cli('tasks', 'retry', id, '--peer', daemon.urls.ipc);
    const where = `--peer '${daemon.urls.ipc}' --home ${join(folder, 'home')}`;
    expect(told.stderr).toBe(
      `follow it with:  a2a-sdl tasks watch ${told.stdout.trimEnd()} ${where}\n`,
    );
    const retried = await cli('tasks', 'retry', id, '--json');
    const { task } = retried.json() as { task: { id: string } };
    expect(task.id).not.toBe(id);
    const shown = (await cli('tasks', 'show', task.id, '--request', '--json')).json() as JsonObject;
    expect((shown['request'] as JsonObject)['context']).toEqual({
      task: { context_id: 'kept', id: task.id },
    });
  });

  test('the beginning of an id is enough where it is that of one task', async () => {
    const [first, second] = [await sent('wait'), await sent('wait')];
    const short = first.slice(0, -3);
    expect((await cli('tasks', 'show', short)).stdout).toContain(first);
    const many = await cli('tasks', 'cancel', 'wait-');
    expect([many.code, many.stderr]).toEqual([1, expect.stringContaining(second)]);
    expect(many.stderr).toContain('give more of the id');
    for (const id of [first, second]) {
      expect((await cli('tasks', 'cancel', id.slice(0, -3))).stdout).toBe(`${id} is canceled\n`);
    }
    expect((await cli('tasks', 'watch', short)).stderr).toContain('canceled');
    expect((await cli('tasks', 'retry', short, '--json')).code).toBe(0);
  });

  test('what begins no id is none, and the examples have whole ones', async () => {
    const short = await cli('tasks', 'show', '0198f2c4');
    expect(short.stderr).toMatch(/^error: there is no such task\n.*enough of the beginning/);
    for (const load of Object.values(tasksCommand.commands)) {
      const { examples } = await load();
      for (const example of examples) {
        expect(example).toMatch(/ list|( [\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})( |$)/);
      }
    }
  });

  test.each<[string[], number, string]>([
    [['show', 'nothing'], 1, 'TASK_UNKNOWN'],
    [['watch', 'nothing'], 1, 'TASK_UNKNOWN'],
    [['cancel', 'nothing'], 1, 'TASK_UNKNOWN'],
    [['retry', 'nothing'], 1, 'TASK_UNKNOWN'],
    [['reply', 'nothing', 'x'], 1, 'TASK_UNKNOWN'],
    [['list', '--peer', 'nobody'], 1, 'PEER_UNKNOWN'],
    [['list', '--state', 'tired'], 2, 'USAGE'],
    [['list', '--limit', '0'], 2, 'USAGE'],
    [['reply', 'x'], 2, 'USAGE'],
    [['reply', 'x', 'y', '--value', '1'], 2, 'USAGE'],
    [['reply', 'x', '--value', '{'], 2, 'USAGE'],
  ])('tasks %j fails and says why', async (args, exitCode, code) => {
    const run = await cli('tasks', ...args, '--json');
    expect([run.code, run.error()['code']]).toEqual([exitCode, code]);
  });
});
