// The daemon with evidence: where it goes, what a start and an end leave, and what a failing disk does.

import {
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { runCli } from '../../support/agents/cli.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { checkFile, recordsOf, shortOf } from '../../support/assay/runs.ts';

afterAll(stopDaemons);

const TOKEN = 'a-token-for-metrics-0123';

interface Started {
  readonly daemon: RunningDaemon;
  readonly home: string;
  /** Of the run. */
  readonly path: string;
  readonly send: (goal: string) => ReturnType<typeof runCli>;
  readonly get: (path: string) => Promise<{ readonly status: number; readonly text: string }>;
}

async function start(home: string, ...args: string[]): Promise<Started> {
  const daemon = await startDaemon(home, ['--admin-token', TOKEN, ...args]);
  const path = daemon.log().find(({ event }) => event === 'ready')!['evidence'] as string;
  const headers = { authorization: `Bearer ${TOKEN}` };
  return {
    daemon,
    home,
    path,
    send: (goal) =>
      runCli(['send', 'agent', goal, '--home', home, '--json'], { nowMs: Date.now() }),
    get: async (where) => {
      const answer = await fetch(new URL(where, daemon.urls.http), { headers });
      return { status: answer.status, text: await answer.text() };
    },
  };
}

async function stop({ daemon }: Started): Promise<void> {
  daemon.signal('SIGTERM');
  expect(await daemon.ended).toMatchObject({ code: 0 });
}

describe('serve --evidence', () => {
  test('begins a run at every start, which survives a kill, and is whole', async () => {
    const home = daemonFolder();
    const [directory, raw] = [join(home, 'evidence'), join(home, 'raw')];
    const first = await start(home, '--evidence', directory, '--evidence-raw', raw);
    expect((await first.send('sum 1 2 3')).code).toBe(0);
    const tail = await runCli(['evidence', 'tail', '--home', home, '-n', '1']);
    expect(tail.stdout).toContain('completed');
    expect((await first.get('/readyz')).status).toBe(200);
    const { text } = await first.get('/metrics');
    expect(text).toMatch(/^a2a_sdl_evidence_up 1$/m);
    expect(text).toMatch(/^a2a_sdl_evidence_records_total [1-9]\d*$/m);
    first.daemon.signal('SIGKILL');
    await first.daemon.ended;

    const second = await start(home, '--evidence', directory);
    expect((await second.send('sum 4 5')).code).toBe(0);
    await stop(second);
    expect(readdirSync(directory)).toHaveLength(2);
    expect(readdirSync(raw)).toHaveLength(1);
    for (const { path, daemon } of [first, second]) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const told = recordsOf(path).map(shortOf);
      expect(told[0]).toBe('task.requested requested');
      expect(told.at(-1)).toBe('task.updated completed');
      expect(recordsOf(path).every(({ source }) => source === daemon.agentId)).toBe(true);
      const report = await runCli(['evidence', 'verify', path, '--json']);
      expect(report.json()).toEqual(await checkFile(path));
      expect(report.code).toBe(0);
    }
    const [requested] = recordsOf(first.path);
    expect(existsSync(join(raw, requested!.data.attributes.raw!.sha256))).toBe(true);
  }, 60_000);

  test('keeps the bytes of what came over official A2A, too #a2a-evidence', async () => {
    const home = daemonFolder();
    const raw = join(home, 'raw');
    const places = ['--evidence', join(home, 'evidence'), '--evidence-raw', raw];
    const started = await start(home, ...places, '--anonymous', 'a2a');
    const parts = [{ text: 'sum 1 2 3' }];
    const body = JSON.stringify({ message: { messageId: 'm-1', role: 'ROLE_USER', parts } });
    const answer = await fetch(new URL('/message:send', started.daemon.urls.http), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body,
    });
    expect(answer.status).toBe(200);
    await stop(started);
    const [requested, ...others] = recordsOf(started.path);
    expect(requested!.data).toMatchObject({
      message: { id: 'm-1' },
      attributes: { source: { protocol: 'a2a', version: '1.0', binding: 'HTTP+JSON' } },
    });
    const kept = readFileSync(join(raw, requested!.data.attributes.raw!.sha256), 'utf8');
    expect(kept).toBe(body);
    expect(others.map(shortOf)[0]).toBe('task.updated completed');
    expect(await checkFile(started.path)).toMatchObject({ ok: true });
  }, 60_000);

  test('is refused at the start where it cannot be, and leaves no home behind', async () => {
    const folder = daemonFolder();
    writeFileSync(join(folder, 'file'), '');
    const serve = (...args: string[]): ReturnType<typeof runCli> =>
      runCli(['serve', '--http', '127.0.0.1:0', '--home', join(folder, 'home'), ...args]);
    for (const option of ['--evidence', '--evidence-raw']) {
      const more = option === '--evidence' ? [] : ['--evidence', join(folder, 'evidence')];
      const { code, stderr } = await serve(option, join(folder, 'file', 'x'), ...more);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${option}: nothing`) as string]);
    }
    for (const alone of [['--evidence-raw', folder], ['--evidence-required']]) {
      expect((await serve(...alone)).code).toBe(2);
    }
    expect(existsSync(join(folder, 'home', 'keys'))).toBe(false);
  });

  test('is loud when it cannot write, and goes on', async () => {
    const home = daemonFolder();
    const started = await start(home, '--evidence', join(home, 'evidence'));
    rmSync(join(home, 'evidence'), { recursive: true });
    expect((await started.get('/readyz')).status).toBe(503);
    expect((await started.send('sum 1 2')).code).toBe(0);
    const line = await started.daemon.logged(({ event }) => event === 'error');
    expect(line['reason']).toMatch(/^evidence is not kept/);
    expect((await started.get('/metrics')).text).toMatch(/^a2a_sdl_evidence_up 0$/m);
    await stop(started);
  }, 60_000);

  test('refuses what would happen unseen only where it is required, and takes it later', async () => {
    const home = daemonFolder();
    const config = join(home, 'config.json');
    writeFileSync(config, JSON.stringify({ evidence: { directory: 'evidence', required: true } }));
    const started = await start(home, '--config', config);
    expect(started.path.startsWith(join(home, 'evidence'))).toBe(true);
    renameSync(started.path, `${started.path}.away`);
    const refused = await started.send('sum 1 2');
    expect(refused.code).toBe(1);
    expect(refused.error()['code']).toBe('UNAVAILABLE');
    const line = await started.daemon.logged(({ verdict }) => verdict === 'UNAVAILABLE');
    expect(line['stage']).toBe('route');
    const list = await runCli(['tasks', 'list', '--home', home, '--json'], { nowMs: Date.now() });
    expect([list.code, list.stdout]).toEqual([0, '']);
    renameSync(`${started.path}.away`, started.path);
    expect((await started.send('sum 1 2')).code).toBe(0);
    expect((await started.get('/readyz')).status).toBe(200);
    await stop(started);
    expect(await checkFile(started.path)).toMatchObject({ ok: true });
    expect(readFileSync(started.path, 'utf8').endsWith('\n')).toBe(true);
  }, 60_000);
});
