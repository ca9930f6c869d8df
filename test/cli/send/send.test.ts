// A daemon and the commands that speak to it, in one process, over every way in.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parseWords } from '../../../cli/kit/arguments.ts';
import type { Daemon } from '../../../cli/daemon/daemon.ts';
import { startDaemon } from '../../../cli/daemon/daemon.ts';
import { homeAt } from '../../../cli/home/home.ts';
import { OptionValues } from '../../../cli/kit/option-values.ts';
import { readDaemonConfig } from '../../../cli/serve/config.ts';
import { SERVE_OPTIONS } from '../../../cli/serve/options.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { Outcome } from '../../../src/pipeline/receive.ts';
import { crypto } from '../../support/agents/agents.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import { runCli } from '../../support/agents/cli.ts';
import { quietLog } from '../../support/agents/quiet-log.ts';

let folder: string;
let daemon: Daemon;
const outcomes: Outcome[] = [];
const errors: string[] = [];

async function start(path: string, ...args: string[]): Promise<Daemon> {
  const home = homeAt(path);
  const { given } = parseWords(['--http', '127.0.0.1:0', ...args], SERVE_OPTIONS);
  const options = new OptionValues(Object.keys(SERVE_OPTIONS), given);
  return startDaemon({
    config: await readDaemonConfig(options, home),
    home,
    crypto,
    now: Date.now,
    log: quietLog({
      message: (outcome) => outcomes.push(outcome),
      error: (what) => errors.push(what),
    }),
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'send-'));
  daemon = await start(join(folder, 'home'));
});

afterAll(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

function cli(...args: string[]): Promise<CliRun> {
  return runCli([...args, '--home', join(folder, 'home')], { nowMs: Date.now() });
}

describe('#transport-same send and call', () => {
  test.each(['agent', 'http', 'ws', 'ipc'] as const)(
    'a task goes over %s and back',
    async (way) => {
      const target = way === 'agent' ? 'agent' : daemon.urls[way];
      const { code, stdout, stderr } = await cli('send', target, 'sum 1 2 3');
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toBe('{"sum":6.0}\n');
      expect(outcomes.at(-1)).toMatchObject({ ct: 'task.v1', isProven: true });
    },
  );

  test('a failed task is exit code 1, with the reason', async () => {
    const { code, stderr } = await cli('send', 'agent', 'make tea');
    expect(code).toBe(1);
    expect(stderr).toContain('does not understand the goal');
  });

  test('--stream shows progress, --json one document', async () => {
    const streamed = await cli('send', 'agent', 'ping hello', '--stream');
    expect(streamed.stderr).toContain('calling sys.ping');
    const { stdout } = await cli('send', 'agent', 'sum 1 2', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      proven: true,
      from: daemon.home.identities.agent.agentId,
      task: { status: 'completed', artifacts: [{ name: 'result', text: '{"sum":3.0}' }] },
    });
  });

  test('any payload of any type can be sent', async () => {
    const path = join(folder, 'offer.json');
    writeFileSync(path, JSON.stringify({ need: {}, have: {}, ask: [], supported_ct: [] }));
    const run = await cli('send', 'agent', '--ct', 'negotiation.v1', '--payload', path, '--json');
    const { payload } = run.json() as { payload: JsonObject };
    expect(payload['supported_ct']).toContain('task.v1');
    const unknown = await cli('send', 'agent', '--ct', 'tea.v1', '--payload', path);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('tea.v1');
  });

  test('a tool is called, and its failure is told', async () => {
    const run = await cli('call', 'agent', 'math.add', '{"values":[1.5,2]}', '--json');
    expect(JSON.parse(run.stdout)).toEqual({ ok: true, result: { sum: 3.5 } });
    const missing = await cli('call', 'agent', 'no.such');
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no such tool')]);
    expect(missing.stderr).toContain('a2a-sdl call agent');
    expect(errors).toEqual(['the agent failed']);
  });

  test.each<[string, string]>([
    ['{"values":[1,"2"]}', 'argument /values/1 fails "type"'],
    ['{}', 'argument /values fails "required"'],
    ['{"values":[]}', 'argument /values fails "minItems"'],
  ])('#toolresult-error %s is refused, and the argument is named', async (args, words) => {
    const { code, stderr } = await cli('call', 'agent', 'math.add', args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
  });

  test('a payload from a file may be as short as a goal', async () => {
    const path = join(folder, 'task.json');
    writeFileSync(path, '{"goal":"sum 1 2"}');
    const run = await cli('send', 'agent', '--payload', path, '--json');
    expect(run.json()).toMatchObject({ ok: true, ct: 'state.v1' });
    const other = await cli('send', 'agent', '--ct', 'toolcall.v1', '--payload', path);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('lacks tool')]);
  });

  test('W19 the downgrade to a signature alone is refused, and the user is told what it may be', async () => {
    await cli('send', 'agent', 'ping x');
    const { code, stderr } = await cli('send', 'agent', 'ping x', '--sign-only');
    expect(code).toBe(1);
    expect(stderr).toContain('you spoke more securely before');
    expect(outcomes.at(-1)?.error?.code).toBe('MODE_REFUSED');
    await cli('peers', 'relax', 'operator');
    expect((await cli('send', 'agent', 'ping x', '--sign-only')).code).toBe(0);
  });

  test.each<[string[], number, string]>([
    [['send', 'nobody', 'x'], 1, 'no peer "nobody" is known'],
    [['send', 'ws://127.0.0.1:1/a2a', 'x'], 1, 'no peer is known at'],
    // Whoever is at an address of HTTP where no peer is known may be an agent of A2A.
    [['send', 'http://127.0.0.1:1/a2a', 'x'], 1, 'cannot be reached'],
    [['send', 'agent'], 2, 'what is to be sent?'],
    [['send', 'agent', 'x', '--payload', '-'], 2, 'what is to be sent?'],
    [['send', 'agent', 'x', '--ct', 'state.v1'], 2, 'makes a task.v1'],
    [['send', 'agent', 'x', '--inputs', '[]'], 2, '--inputs expects'],
    [['call', 'agent', 'sys.ping', '{'], 2, 'ARGS is not JSON'],
    [['call', 'nobody', 'sys.ping'], 1, 'peers list'],
    [['call', 'agent', '--args', '-'], 2, 'TOOL is missing'],
    [['send', 'agent', 'x', '--tls-cert', 'c.pem'], 2, 'go together'],
  ])('%j fails and says why', async (args, exitCode, words) => {
    const { code, stderr } = await cli(...args);
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(words)]);
  });
});

describe('the daemon of a home', () => {
  test('publishes a document by which another home gets to know it, and --open lets that one in', async () => {
    const open = await start(join(folder, 'open'), '--open');
    const other = join(folder, 'other');
    const at = (...args: string[]): Promise<CliRun> =>
      runCli([...args, '--home', other], { nowMs: Date.now() });
    await at('init');
    const { origin } = new URL(open.urls.http);
    const added = await at('peers', 'add', origin, '--name', 'bob', '--yes');
    expect([added.code, added.stderr]).toEqual([0, expect.anything()]);
    const sent = await at('send', 'bob', 'sum 2 2');
    expect([sent.stdout, sent.stderr]).toEqual(['{"sum":4.0}\n', '']);
    await open.stop();
  });

  test('refuses who it does not know with the whole line that its operator needs', async () => {
    const other = join(folder, 'stranger');
    const at = (...args: string[]): Promise<CliRun> =>
      runCli([...args, '--home', other], { nowMs: Date.now(), env: { USER: 'Alice' } });
    const made = (await at('init', '--json')).json() as { operator: string };
    const { origin } = new URL(daemon.urls.http);
    await at('peers', 'add', origin, '--name', 'bob', '--yes');
    const refused = await at('send', 'bob', 'sum 2 2');
    const line = /^ {7}a2a-sdl (peers add did:key:\S+ --name alice)$/m.exec(refused.stderr);
    expect([refused.code, line]).toEqual([1, expect.anything()]);
    expect(JSON.stringify(made)).toContain(line![1]!.split(' ')[2]);
    // Pasted at the other side, it helps.
    expect((await cli(...line![1]!.split(' '))).code).toBe(0);
    const works = async (): Promise<number> => (await at('send', 'bob', 'sum 2 2')).code;
    await expect.poll(works, { timeout: 20_000 }).toBe(0);
    await cli('peers', 'remove', 'alice');
  }, 60_000);

  test('takes keys that were rotated and peers that were revoked without a restart', async () => {
    const { operator } = daemon.home.identities;
    await cli('keys', 'rotate', 'agent');
    const before = daemon.home.identities.agent.bundle.seq;
    const published = async (): Promise<number> => {
      const answer = await fetch(new URL('/.well-known/a2a-sdl.json', daemon.urls.http));
      return ((await answer.json()) as { bundle: { seq: number } }).bundle.seq;
    };
    await expect.poll(published, { timeout: 20_000 }).toBe(before + 1);
    expect((await cli('send', 'agent', 'sum 1 1')).stdout).toBe('{"sum":2.0}\n');
    await cli('peers', 'revoke', operator.agentId);
    const refused = async (): Promise<number> => (await cli('send', 'agent', 'ping x')).code;
    await expect.poll(refused, { timeout: 20_000 }).toBe(1);
    expect(outcomes.at(-1)?.error?.reason).toContain('revoked');
  });
});
