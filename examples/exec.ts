// An agent in another language: a daemon runs exec-agent/agent.py for every task, and the command line sends it two.
// Both are real processes with a home of their own, which is removed at the end. It asserts what it shows.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

if (spawnSync('python3', ['--version']).status !== 0) {
  console.log('skipped: there is no python3 here');
  process.exit();
}

// Where the package is installed this is the command `a2a-sdl`.
const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const agent = fileURLToPath(new URL('exec-agent/agent.py', import.meta.url));
const home = await mkdtemp(join(tmpdir(), 'a2a-sdl-exec-'));
const atHome = ['--home', home, '--json'];

/** What `a2a-sdl send --json` prints, as far as it is read here. */
interface Answer {
  readonly ok: boolean;
  readonly proven: boolean;
  readonly from: string;
  readonly task: {
    readonly status: string;
    readonly artifacts: readonly { readonly name: string; readonly text: string }[];
    readonly error?: { readonly message: string };
  };
}

/** Sends a goal to the daemon of this home, and answers with the exit code. */
async function send(goal: string): Promise<[exitCode: number | null, answer: Answer]> {
  const args = [cli, 'send', 'agent', goal, ...atHome];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed, [exitCode]] = await Promise.all([text(child.stdout), endOf(child)]);
  return [exitCode, JSON.parse(printed) as Answer];
}

function endOf(child: ChildProcess): Promise<[code: number | null, signal: string | null]> {
  return once(child, 'close') as Promise<[number | null, string | null]>;
}

const exec = `python3 ${JSON.stringify(agent)}`; // quotes as in a shell, but no shell runs it
const daemon = spawn(
  process.execPath,
  [cli, 'serve', '--http', '127.0.0.1:0', '--exec', exec, ...atHome],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const ended = endOf(daemon);

try {
  // With --json the first line says that it accepts traffic, and where; one line a message follows.
  const lines = createInterface({ input: daemon.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [unknown];
  assert(typeof line === 'string', 'the daemon ended before it was ready');
  const ready = JSON.parse(line) as { event: string; agent_id: string; http: string };
  assert.equal(ready.event, 'ready');
  console.log(`the daemon is ready at ${ready.http}`);

  const [sentCode, { ok, proven, from, task }] = await send('reverse stressed');
  assert.deepEqual([sentCode, ok, proven, from], [0, true, true, ready.agent_id]);
  assert.equal(task.status, 'completed');
  const [reversed, facts] = task.artifacts;
  assert.equal(reversed?.text, 'desserts');
  assert.match(facts?.text ?? '', /"characters":8/);
  console.log(`the agent in Python answers, and its daemon signs: ${reversed.text}`);

  const [refusedCode, refusal] = await send('dance');
  assert.deepEqual([refusedCode, refusal.ok, refusal.task.status], [1, false, 'failed']);
  assert.equal(refusal.task.error?.message, 'this agent only knows: reverse TEXT');
  console.log(`it refuses in its own words: ${refusal.task.error.message}`);

  daemon.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  console.log('SIGTERM ends the daemon with exit code 0');
} finally {
  daemon.kill('SIGKILL'); // does nothing once it has ended
  await ended;
  await rm(home, { recursive: true });
}
