// The command `doctor`: a healthy home passes, and each thing that is wrong is found with what mends it.

import { chmodSync, existsSync, writeFileSync } from 'node:fs';

import { describe, expect, onTestFinished, test } from 'vitest';

import { checkNode, checkOptional } from '../../cli/doctor/installation.ts';
import { holdHome } from '../../cli/home/hold.ts';
import { homeAt } from '../../cli/home/home.ts';
import { CLI_NOW, initHome, newCliHome, runCli } from '../support/agents/cli.ts';

const DAY_MS = 86_400_000;

interface Check {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly next?: string;
}

async function examine(
  home: string,
  nowMs = CLI_NOW,
): Promise<{ code: number; find: (check: string) => Check }> {
  const { code, json } = await runCli(['doctor', '--json', '--home', home], { nowMs });
  const { ok, checks } = json() as unknown as { ok: boolean; checks: Check[] };
  expect(ok).toBe(code === 0);
  return { code, find: (name) => checks.find(({ check }) => check === name)! };
}

describe('doctor', () => {
  test('finds nothing wrong with a new home', async () => {
    const home = await initHome();
    const { code, find } = await examine(home);
    expect(code).toBe(0);
    for (const check of [
      'node',
      'crypto',
      'home',
      'clock',
      'identity agent',
      'peers of operator',
    ]) {
      expect([check, find(check).status]).toEqual([check, 'ok']);
    }
    expect(find('crypto').detail).toMatch(/^(sodium|native|noble): /);
    const people = await runCli(['doctor', '--home', home]);
    expect(people.code).toBe(0);
    expect(people.stdout).toMatch(/^ok +a2a-sdl +\d/);
    expect(people.stdout).not.toContain('\u001B');
  });

  test('without a home says how to make one', async () => {
    const { code, find } = await examine(newCliHome());
    expect(code).toBe(1);
    expect(find('home')).toMatchObject({ status: 'fail', next: 'a2a-sdl init' });
  });

  test('finds a folder and a key file that others can read (#key-files)', async () => {
    const home = await initHome();
    chmodSync(homeAt(home).run, 0o750);
    chmodSync(`${homeAt(home).keys}/operator.json`, 0o640);
    const { code, find } = await examine(home);
    expect(code).toBe(1);
    expect(find('home')).toMatchObject({ status: 'fail', next: `chmod 700 ${home}/run` });
    expect(find('identity operator').status).toBe('fail');
    expect(find('identity operator').detail).toContain('chmod 600');
    expect(find('identity agent').status).toBe('ok');
  });

  test('warns before keys end, and fails once they have', async () => {
    const home = await initHome();
    const soon = await examine(home, CLI_NOW + 340 * DAY_MS);
    expect(soon.code).toBe(0);
    expect(soon.find('identity agent')).toMatchObject({
      status: 'warn',
      next: 'a2a-sdl keys rotate agent',
    });
    const late = await examine(home, CLI_NOW + 366 * DAY_MS);
    expect(late.code).toBe(1);
    expect(late.find('identity agent').status).toBe('fail');
    expect(late.find('peers of operator').status).toBe('warn');
  });

  test('a replaced key that is about to end is no reason to worry', async () => {
    const home = await initHome();
    await runCli(['keys', 'rotate', '--home', home]);
    expect((await examine(home, CLI_NOW + DAY_MS)).find('identity agent').status).toBe('ok');
  });

  test('finds a clock that is before the keys were made', async () => {
    const home = await initHome();
    const { code, find } = await examine(home, CLI_NOW - DAY_MS);
    expect(code).toBe(1);
    expect(find('clock')).toMatchObject({ status: 'fail' });
  });

  test('finds a peer book that does not hold', async () => {
    const home = await initHome();
    writeFileSync(homeAt(home).peers.agent, '{');
    const { code, find } = await examine(home);
    expect(code).toBe(1);
    expect(find('peers of agent').status).toBe('fail');
    expect(find('peers of operator').status).toBe('ok');
  });

  test('says whether the drivers of shared stores are there; missing them is no fault', async () => {
    const { find } = await examine(await initHome());
    expect(find('pg')).toMatchObject({ status: 'ok', detail: 'installed' });
    expect(find('@redis/client')).toMatchObject({ status: 'ok', detail: 'installed' });
    const missing = await checkOptional('pg', () => Promise.reject(new Error('no')), '--store x');
    expect(missing).toEqual({
      check: 'pg',
      status: 'ok',
      detail: 'not installed, which only --store x needs',
    });
  });

  test('looks whether the store in the home can be read, and makes none', async () => {
    const home = await initHome();
    const before = await examine(home);
    expect(before.find('store')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('none yet') as string,
    });
    expect(existsSync(homeAt(home).store)).toBe(false);
    writeFileSync(
      homeAt(home).store,
      'this is no database, and long enough to be looked at'.repeat(99),
    );
    const { code, find } = await examine(home);
    expect([code, find('store').status]).toEqual([1, 'fail']);
  });

  test('asks the daemon whether its stores answer and how long its certificate holds', async () => {
    const home = await initHome();
    const untilMs = CLI_NOW + 100 * DAY_MS;
    const status = {
      state: 'ready',
      store: 'postgres://db',
      tlsCert: '/c.pem',
      tlsUntilMs: untilMs,
    } as const;
    let stores: 'answer' | 'silent' = 'answer';
    const held = await holdHome(homeAt(home), status);
    onTestFinished(() => held.release());
    held.tell(status, async () => ({ stores }));
    const fine = await examine(home);
    expect(fine.find('store')).toMatchObject({
      status: 'ok',
      detail: 'postgres://db answers the daemon',
    });
    expect(fine.find('certificate')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('in 100 days') as string,
    });
    stores = 'silent';
    const { code, find } = await examine(home, CLI_NOW + 80 * DAY_MS);
    expect(code).toBe(1);
    expect(find('store')).toMatchObject({
      status: 'fail',
      next: expect.stringContaining('start the database') as string,
    });
    expect(find('certificate')).toMatchObject({
      status: 'warn',
      next: expect.stringContaining('new certificate') as string,
    });
    expect((await examine(home, CLI_NOW + 101 * DAY_MS)).find('certificate').status).toBe('fail');
  });

  test.each([
    ['20.19.0', 'ok'],
    ['22.1.0', 'ok'],
    ['20.18.9', 'fail'],
    ['18.20.0', 'fail'],
  ])('Node %s is %s', (version, status) => expect(checkNode(version).status).toBe(status));
});
