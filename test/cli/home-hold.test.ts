// One daemon runs on a home: a second one is refused, and whatever became of the first, the next one can start.

import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import type { Server } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { checkDaemon } from '../../cli/doctor/daemon.ts';
import { homeAt } from '../../cli/home/home.ts';
import type { Home } from '../../cli/home/home.ts';
import type { DaemonStatus, HeldHome } from '../../cli/home/hold.ts';
import { askDaemon, holdHome } from '../../cli/home/hold.ts';
import { PeerBook } from '../../keys/peer-book.ts';
import { PACKAGE_VERSION } from '../../src/version.ts';
import { formatIpcUrl } from '../../transports/ipc/options.ts';
import { initHome, newCliHome, newFile, runCli } from '../support/agents/cli.ts';
import { daemonFolder, startDaemon, stopDaemons } from '../support/agents/daemon.ts';

afterAll(stopDaemons);

const READY: DaemonStatus = { state: 'ready', pid: 1, version: PACKAGE_VERSION };

async function hold(home: Home, status: DaemonStatus = READY): Promise<HeldHome> {
  const held = await holdHome(home, status);
  onTestFinished(() => held.release());
  return held;
}

async function listen(path: string, server: Server): Promise<void> {
  server.listen(path);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}

describe('a home that is held', () => {
  test('tells by whom until it is released', async () => {
    const home = homeAt(newCliHome());
    expect(await askDaemon(home)).toBeUndefined();
    const held = await holdHome(home, { state: 'starting', pid: 7 });
    expect(await askDaemon(home)).toEqual({ state: 'starting', pid: 7 });
    await expect(holdHome(home, READY)).rejects.toMatchObject({
      code: 'HOME_IN_USE',
      message: expect.stringContaining('process 7') as string,
      next: expect.stringContaining('--home') as string,
    });
    held.tell({ state: 'stopping', pid: 7 });
    await expect(holdHome(home, READY)).rejects.toThrow('is still stopping');
    await held.release();
    expect(await askDaemon(home)).toBeUndefined();
    await hold(home);
    expect(readdirSync(home.run)).toEqual(['daemon-2.sock']);
  });

  test('may have a path that is too long for a socket', async () => {
    const home = homeAt(join(newCliHome(), 'x'.repeat(120)));
    const held = await hold(home);
    expect(await askDaemon(home)).toEqual(READY);
    await expect(holdHome(home, READY)).rejects.toMatchObject({ code: 'HOME_IN_USE' });
    await held.release();
    expect(await askDaemon(home)).toBeUndefined();
    await hold(home);
  });
});

describe('serve on a home', () => {
  test('is refused while another daemon runs there, whatever else differs, and changes nothing', async () => {
    const path = daemonFolder();
    const first = await startDaemon(path);
    const book = async (): Promise<unknown> =>
      (await PeerBook.open(homeAt(path).peers.operator)).get('agent')?.endpoints;
    const before = await book();
    const second = startDaemon(path, ['--ipc', join(daemonFolder(), 's'), '--store', 'memory:']);
    await expect(second).rejects.toThrow(/exit code 1.*HOME_IN_USE/s);
    expect(await book()).toEqual(before);
    const { json } = await runCli(['doctor', '--home', path, '--json'], { nowMs: Date.now() });
    const { checks } = json() as { checks: { check: string; detail: string }[] };
    expect(checks.find(({ check }) => check === 'daemon')).toEqual({
      check: 'daemon',
      status: 'ok',
      detail: `process ${first.pid} runs and answers, of this version`,
    });
    expect(checks.find(({ check }) => check === 'store')).toMatchObject({
      detail: `sqlite:${homeAt(path).store} answers the daemon`,
    });
    first.signal('SIGTERM');
    expect(await first.ended).toEqual({ code: 0, signal: null });
    expect(await checkDaemon(homeAt(path))).toMatchObject({ detail: 'none runs on this home' });
  });

  test('starts again after a crash; of many that start at once one gets the home', async () => {
    const path = daemonFolder();
    const first = await startDaemon(path);
    first.signal('SIGKILL');
    await first.ended;
    const home = homeAt(path);
    expect(readdirSync(home.run)).toContain('daemon-1.sock');
    expect(await checkDaemon(home)).toMatchObject({ detail: 'none runs on this home' });
    const starts = await Promise.allSettled(
      Array.from({ length: 16 }, (_, pid) => holdHome(home, { state: 'starting', pid })),
    );
    const holders = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    expect(holders).toHaveLength(1);
    await holders[0]!.release();
    const next = await startDaemon(path);
    expect(next.isRunning()).toBe(true);
  });

  test('warns of an admin token that others can read, once, and takes it from a file', async () => {
    const token = 'sixteen-characters';
    const daemon = await startDaemon(daemonFolder(), ['--admin-token', token]);
    expect(daemon.notes().match(/--admin-token @FILE/g)).toHaveLength(1);
    expect(daemon.notes()).not.toContain(token);
    const file = newFile('token', token);
    const quiet = await startDaemon(daemonFolder(), ['--admin-token', `@${file}`]);
    expect(quiet.notes()).toBe('');
    const answer = await fetch(new URL('/metrics', quiet.urls.http), {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
  });
});

describe('doctor looks at the daemon', () => {
  async function judged(status: DaemonStatus): ReturnType<typeof checkDaemon> {
    const home = homeAt(newCliHome());
    await hold(home, status);
    return checkDaemon(home);
  }

  test('and finds no fault where none runs', async () => {
    const { code, stdout } = await runCli(['doctor', '--home', await initHome()]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ok +daemon +none runs/)]);
  });

  test('and finds one that does not answer', async () => {
    const path = await initHome();
    mkdirSync(homeAt(path).run, { recursive: true, mode: 0o700 });
    await listen(
      join(homeAt(path).run, 'daemon-1.sock'),
      createServer((socket) => socket.on('error', () => undefined)),
    );
    expect(await checkDaemon(homeAt(path), 20)).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('does not answer') as string,
      next: expect.stringContaining('a2a-sdl serve') as string,
    });
  });

  test('and finds one that says what nobody understands', async () => {
    const home = homeAt(await initHome());
    await listen(
      join(home.run, 'daemon-1.sock'),
      createServer((socket) => socket.end('hello')),
    );
    expect(await checkDaemon(home)).toMatchObject({ status: 'fail' });
    await expect(holdHome(home, READY)).rejects.toMatchObject({ code: 'HOME_IN_USE' });
  });

  test('and finds one of another version', async () => {
    expect(await judged({ ...READY, version: '0.0.1' })).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('runs version 0.0.1') as string,
      next: expect.stringContaining('start it again') as string,
    });
  });

  test('and finds one whose socket is gone', async () => {
    const path = join(daemonFolder(), 's');
    const ready = { ...READY, ipc: formatIpcUrl({ path }) };
    expect(await judged(ready)).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('nobody listens at') as string,
    });
    await listen(path, createServer());
    expect(await judged(ready)).toMatchObject({ status: 'ok' });
  });

  test.each(['starting', 'stopping'] as const)('and lets one that is %s be', async (state) => {
    expect(await judged({ ...READY, state })).toMatchObject({
      status: 'ok',
      detail: `process 1 is ${state}`,
    });
  });
});
