// Proves that a command can do a task: it reads the task, its output is the result, and how it ends is told.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createExecAgent } from '../../../cli/daemon/exec/agent.ts';
import type { JsonValue } from '../../../src/codec/value.ts';
import { NO_DELEGATION } from '../../../src/tasks/delegation.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import { authorTask } from '../../../src/tasks/context.ts';
import type { TaskContext } from '../../../src/tasks/context.ts';
import type { TaskEvent } from '../../../src/tasks/event.ts';
import type { Message } from '../../../src/tasks/message.ts';
import { createMessage } from '../../../src/tasks/message.ts';
import { unstartedTask } from '../../../src/tasks/task.ts';
import { newFolder } from '../../support/agents/cli.ts';
import { execRuns, nodeCommand, quoted, shellCommand } from '../../support/agents/exec-agents.ts';
import { finished, namesOf, said } from '../../support/agents/tasks.ts';
import { taskPayload } from '../../support/wire/envelopes.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('python3 is missing: commands written in Python are not tested');

const PYTHON_AGENT = `
import json, sys
task = json.load(sys.stdin)
print(json.dumps({"progress": "adding", "fraction": 0.5}), flush=True)
print(json.dumps({"artifact": {"name": "sum", "json": {"sum": sum(task["inputs"]["values"])}}}))
print("goal was " + task["goal"])
`;

function askedFor(text: string, data: JsonValue): Message {
  return createMessage({ id: 'asked', role: 'user', parts: [{ text }, { data }] });
}

async function run(command: string, ...rest: [] | [Parameters<typeof execRuns>[1]]) {
  const runs = execRuns(command, ...rest);
  const outcome = await finished(runs.engine, await runs.start('t'));
  await runs.engine.close();
  return { ...outcome, ends: runs.ends };
}

describe('#exchange a command that does a task', () => {
  test.skipIf(!hasPython)('a Python script reads the task and reports', async () => {
    const { engine, start, ends } = execRuns(`python3 -c ${quoted(PYTHON_AGENT)}`);
    const started = await start('t', { message: askedFor('Add ü', { values: [1, 2, 3] }) });
    const { task, events } = await finished(engine, started);
    await engine.close();
    expect(namesOf(events)).toEqual([
      'submitted',
      'working',
      'adding',
      'sum',
      'stdout',
      'completed',
    ]);
    expect(events[2]).toMatchObject({ status: { message: { text: 'adding' }, fraction: 0.5 } });
    expect(task.artifacts).toMatchObject([
      { name: 'sum', parts: [{ data: { sum: 6 } }] },
      { name: 'stdout', parts: [{ text: 'goal was Add ü\n' }] },
    ]);
    expect(ends).toMatchObject([{ taskId: 't', exitCode: 0, signal: null, errorText: '' }]);
  });

  test('a shell line is run by the shell that it names', async () => {
    const { task } = await run(shellCommand('head -c 9 | tr a-z A-Z; echo; echo done'));
    expect(task.artifacts).toMatchObject([{ name: 'stdout', text: '{"KIND":"\ndone\n' }]);
  });

  test('a Node script gets the payload with the id and the owner', async () => {
    const script = `
      const chunks = [];
      process.stdin.on('data', (c) => chunks.push(c)).on('end', () => {
        const { id, owner, goal, kind } = JSON.parse(Buffer.concat(chunks));
        console.log([id, owner, goal, kind].join('|'));
      });`;
    const { engine, start } = execRuns(nodeCommand(script));
    const source = { face: 'sdl', value: { payload: taskPayload } };
    const { task } = await finished(engine, await start('t', { source }));
    await engine.close();
    expect(task.artifacts[0]?.text).toBe('t|did:key:alice|Return short status|task.v1\n');
  });

  test('the environment holds only the usual, what was named and the task', async () => {
    const env = { PATH: process.env['PATH'], SECRET: 'hunter2', EXTRA: 'yes', LANG: 'C' };
    const script = 'console.log(JSON.stringify(process.env))';
    const { task } = await run(nodeCommand(script), { env, passEnv: ['EXTRA', 'MISSING'] });
    const seen = JSON.parse(task.artifacts[0]!.text) as Record<string, string>;
    // Some shells count themselves.
    delete seen['SHLVL'];
    expect(Object.keys(seen).sort()).toEqual([
      'A2A_SDL_TASK_DEADLINE_MS',
      'A2A_SDL_TASK_ID',
      'A2A_SDL_TASK_OWNER',
      'EXTRA',
      'LANG',
      'PATH',
    ]);
    expect(seen).toMatchObject({ A2A_SDL_TASK_ID: 't', A2A_SDL_TASK_OWNER: 'did:key:alice' });
  });

  test('a variable goes along whatever its name is', async () => {
    const env = { PATH: process.env['PATH'], 'with.point': 'a', PWD: '/elsewhere' };
    const script = 'console.log(process.env["with.point"], process.env["PWD"])';
    const { task } = await run(nodeCommand(script), { env, passEnv: ['with.point', 'PWD'] });
    expect(task.artifacts[0]?.text).toBe('a /elsewhere\n');
  });

  test('a program without a path is looked for where PATH says', async () => {
    const folder = newFolder();
    const path = `/nonexistent:${folder}:${process.env['PATH']}`;
    writeFileSync(join(folder, 'own-agent'), '#!/bin/sh\nprintf %s "$0 $1"\n', { mode: 0o700 });
    const { task } = await run('own-agent hello', { env: { PATH: path } });
    expect(task.artifacts[0]?.text).toBe(`${folder}/own-agent hello`);
    const missing = await run('own-agent', { env: { PATH: '/nonexistent' } });
    expect(missing.ends).toMatchObject([{ startError: { code: 'ENOENT' } }]);
  });

  test('an id that no variable can hold does not keep the command from running', async () => {
    const { engine, start } = execRuns(shellCommand('printf %s "$A2A_SDL_TASK_ID"'));
    const { task } = await finished(engine, await start('a\0b'));
    await engine.close();
    expect(task.artifacts[0]?.text).toBe('a\uFFFDb');
  });

  test('text arrives while the command still runs', async () => {
    const { engine, start } = execRuns(
      shellCommand('echo first; read line < /dev/zero; echo never'),
    );
    const { task } = await start('t');
    for await (const { event } of engine.follow(task, 't', 0)) {
      if (event?.type === 'artifact') break;
    }
    expect((await engine.cancel(task, 't'))?.task.artifacts).toMatchObject([{ text: 'first\n' }]);
    await engine.close();
  });

  test('a command that closes its input at once, or never reads it, can still complete', async () => {
    const message = askedFor('go', { text: 'x'.repeat(500_000) });
    for (const script of ['exec <&-; sleep 0; echo ok', 'echo ok']) {
      const { engine, start } = execRuns(shellCommand(script));
      const { task } = await finished(engine, await start('t', { message }));
      await engine.close();
      expect(task).toMatchObject({
        status: { state: 'completed' },
        artifacts: [{ text: 'ok\n' }],
      });
    }
  });
});

describe('#task-answer how a command ends', () => {
  test.each([
    ['exit 3', { code: 'COMMAND_FAILED', message: 'the command ended with exit code 3' }],
    ['kill -9 $$', { code: 'COMMAND_KILLED', message: 'the command was ended by SIGKILL' }],
    [`echo '{"error":"no such city"}'`, { code: 'TASK_FAILED', message: 'no such city' }],
    [`echo '{"error":"first"}'; exit 2`, { code: 'TASK_FAILED', message: 'first' }],
    [
      `echo '{"artifact":{"name":"","text":"x"}}'`,
      { code: 'TASK_FAILED', message: 'the command reported an artifact that cannot be sent' },
    ],
  ])('%s fails the task', async (script, failure) => {
    const { task } = await run(shellCommand(script));
    expect(task.status).toMatchObject({ state: 'failed', failure });
  });

  test('what it writes as errors stays here: the last of it, for the log', async () => {
    const script =
      'echo early >&2; head -c 100000 /dev/zero | tr "\\0" x >&2; echo secret >&2; exit 1';
    const { task, ends } = await run(shellCommand(script), { maxErrorBytes: 1_000 });
    expect(JSON.stringify(task)).not.toContain('secret');
    const { errorText, exitCode } = ends[0]!;
    expect(exitCode).toBe(1);
    expect(errorText.endsWith('xsecret\n')).toBe(true);
    expect(errorText).not.toContain('early');
    expect(errorText.length).toBeLessThan(100_000);
  });

  test('a program that is not there, or no program, is told without its name', async () => {
    for (const [command, code] of [
      ['/nonexistent/agent --key secret', 'ENOENT'],
      ['/etc/passwd', 'EACCES'],
    ] as const) {
      const { task, ends } = await run(command);
      expect(task.status.failure).toEqual({
        code: 'COMMAND_NOT_STARTED',
        message: `the command of this agent could not be started (${code})`,
        retryable: false,
      });
      expect(ends).toMatchObject([{ exitCode: null, startError: { code } }]);
    }
  });

  test('arguments that are too long are told the same way', async () => {
    const { task } = await run(`/bin/echo ${'x'.repeat(200_000)}`);
    expect(task.status.failure).toMatchObject({
      code: 'COMMAND_NOT_STARTED',
      message: 'the command of this agent could not be started (E2BIG)',
    });
  });

  test('a command that cannot be read is refused when the agent is made', () => {
    expect(() => createExecAgent({ command: `echo 'x` })).toThrow('"command" has');
    expect(() => createExecAgent({ command: 'echo', graceMs: -1 })).toThrow('"graceMs" expected');
  });
});

describe('#exchange a command that writes too much', () => {
  test('more bytes than allowed fail the task and end the command', async () => {
    const { task, ends } = await run(
      shellCommand('while :; do echo "{\\"progress\\":\\"x\\"}"; done'),
      {
        maxOutputBytes: 100_000,
      },
    );
    expect(task.status.failure).toEqual({
      code: 'OUTPUT_TOO_LARGE',
      message: 'the command wrote more than 100000 bytes',
      retryable: false,
    });
    expect(ends[0]?.signal).not.toBeNull();
  });

  test('more output than a task may have fails the task and ends the command', async () => {
    const { task } = await run('yes');
    expect(task.status.failure).toEqual({
      code: 'OUTPUT_TOO_LARGE',
      message: 'the output is larger than 524288 bytes',
      retryable: false,
    });
  });

  test('a command that is faster than its reader waits for it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'a2a-sdl-exec-'));
    const stalled = join(folder, 'stalled');
    // Writes all the time, and tells how much it wrote once a write has taken long.
    const agent = createExecAgent({
      command: nodeCommand(`
        const fs = require('node:fs');
        const piece = Buffer.alloc(65536, 'x');
        let written = 0;
        let timer;
        (function more() {
          clearTimeout(timer);
          timer = setTimeout(() => {
            fs.writeFileSync(${JSON.stringify(`${stalled}.new`)}, String(written));
            fs.renameSync(${JSON.stringify(`${stalled}.new`)}, ${JSON.stringify(stalled)});
          }, 100);
          fs.write(1, piece, (error, count) => { if (!error) { written += count; more(); } });
        })();`),
      maxOutputBytes: 100_000_000,
    });
    let taken = 0;
    const stop = new AbortController();
    const context: TaskContext = {
      ...NO_DELEGATION,
      signal: stop.signal,
      deadline: 0,
      attempt: 1,
      restored: undefined,
      ask: () => Promise.reject(new TaskError('')),
      next: () => Promise.reject(new TaskError('')),
      answer: () => Promise.resolve(undefined),
      checkpoint: () => Promise.resolve(),
      handedTo: () => Promise.resolve(undefined),
      tools: { has: () => false, list: () => [], call: () => Promise.reject(new TaskError('')) },
      progress: () => Promise.resolve(undefined),
      artifact: (input) => {
        taken += 'text' in input ? (input.text?.length ?? 0) : 0;
        return Promise.resolve(undefined);
      },
    };
    const task = unstartedTask({
      tenant: '',
      owner: 'o',
      id: 't',
      message: said('go'),
      metadata: {},
      source: { face: 'test', value: null },
      authority: { scheme: 'sdl' },
      createdAt: 0,
    });
    const reports = agent(authorTask(task), context) as AsyncGenerator<TaskEvent | undefined>;
    for (let step = 0; step < 3; step += 1) await reports.next();
    while (!existsSync(stalled)) await new Promise((resolve) => setTimeout(resolve, 5));
    const written = Number(readFileSync(stalled, 'utf8'));
    stop.abort();
    await reports.return(undefined);
    rmSync(folder, { recursive: true });
    expect(taken).toBeGreaterThan(0);
    expect(written).toBeGreaterThan(taken);
    expect(written).toBeLessThan(taken + 2_000_000);
  });
});
