// New keys for the same agent, and what a crash or a second writer does to them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import type { StoredIdentity } from '../../keys/directory.ts';
import type { FileSteps } from '../../keys/private-files.ts';
import { FILE_STEPS } from '../../keys/private-files.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { bundleKeys, verifyKeyBundle } from '../../src/security/identity/key-bundle.ts';
import { DAY_MS, NOW, newHome, openHome } from '../support/trust/key-home.ts';

const crypto = chooseProvider();
const kidsOf = (identity: StoredIdentity): string[] => identity.keys.map((key) => key.kid);

describe('#key-bundle rotation', () => {
  test('keeps the agent id while the kids change, and the seq grows', async () => {
    const directory = openHome(newHome());
    const old = await directory.create('agent');
    const rotated = await directory.rotate('agent');
    expect(rotated.agentId).toBe(old.agentId);
    expect(rotated.bundle.seq).toBe(2);
    expect(kidsOf(rotated).slice(2)).toEqual(kidsOf(old));
    expect(new Set(kidsOf(rotated)).size).toBe(4);
    const bundle = await verifyKeyBundle(rotated.bundle.document, {
      crypto,
      nowMs: NOW,
      agentId: old.agentId,
      lastSeq: old.bundle.seq,
    });
    expect(bundleKeys(bundle, 'sig', NOW)[0]!.kid).toBe(kidsOf(rotated)[0]);
    expect(await directory.load('agent')).toEqual(rotated);
  });

  test('lets the replaced keys end after the overlap, and drops what has ended', async () => {
    let now = NOW;
    const directory = openHome(newHome(), { now: () => now });
    const first = await directory.create('agent');
    const second = await directory.rotate('agent', { overlapMs: 2 * DAY_MS });
    expect(second.keys.map((key) => key.notAfterMs - NOW)).toEqual([
      365 * DAY_MS,
      365 * DAY_MS,
      2 * DAY_MS,
      2 * DAY_MS,
    ]);
    now = NOW + 2 * DAY_MS;
    const third = await directory.rotate('agent');
    expect(kidsOf(third).slice(2)).toEqual(kidsOf(second).slice(0, 2));
    expect(kidsOf(third)).not.toContain(kidsOf(first)[0]);
  });

  test('never lengthens the life of a key', async () => {
    const directory = openHome(newHome());
    await directory.create('agent', { lifetimeMs: DAY_MS });
    const rotated = await directory.rotate('agent', { overlapMs: 30 * DAY_MS });
    expect(rotated.keys[2]!.notAfterMs).toBe(NOW + DAY_MS);
  });

  test('ends the replaced keys at once where there is no overlap', async () => {
    const directory = openHome(newHome());
    const old = await directory.create('agent');
    const rotated = await directory.rotate('agent', { overlapMs: 0 });
    expect(rotated.keys).toHaveLength(2);
    expect(kidsOf(rotated)).not.toContain(kidsOf(old)[0]);
    await expect(directory.rotate('agent', { overlapMs: -1 })).rejects.toThrow('"overlapMs"');
  });

  test('keeps 16 keys at the most, the newest', async () => {
    const directory = openHome(newHome());
    let identity = await directory.create('agent');
    const created = kidsOf(identity);
    for (let times = 0; times < 8; times += 1) identity = await directory.rotate('agent');
    expect(identity.keys).toHaveLength(16);
    expect(kidsOf(identity)).not.toContain(created[0]);
    expect(identity.bundle.seq).toBe(9);
  });

  test('renews an identity that has ended', async () => {
    let now = NOW;
    const directory = openHome(newHome(), { now: () => now });
    const old = await directory.create('agent', { lifetimeMs: DAY_MS });
    now = NOW + 400 * DAY_MS;
    const renewed = await directory.rotate('agent');
    expect(renewed.agentId).toBe(old.agentId);
    expect(renewed.keys).toHaveLength(2);
    await verifyKeyBundle(renewed.bundle.document, { crypto, nowMs: now });
  });
});

describe('reloading', () => {
  test('gives the same object until the file changes, then the new keys', async () => {
    const home = newHome();
    const identity = await openHome(home).create('agent');
    const reader = openHome(home);
    expect(await reader.reloadIfChanged(identity)).toBe(identity);
    const rotated = await openHome(home).rotate('agent');
    const reloaded = await reader.reloadIfChanged(identity);
    expect(reloaded).toEqual(rotated);
    expect(await reader.reloadIfChanged(reloaded)).toBe(reloaded);
    utimesSync(join(home, 'agent.json'), 1, 1);
    expect(await reader.reloadIfChanged(reloaded)).not.toBe(reloaded);
  });
});

const STEPS = ['create', 'rename', 'syncFolder'] as const;

describe('a crash while keys are written', () => {
  test('steps are taken in the order that survives one', async () => {
    const taken: string[] = [];
    const noting = Object.fromEntries(
      STEPS.map((name) => [
        name,
        (...args: [string, never]) => (taken.push(name), FILE_STEPS[name](...args)),
      ]),
    ) as unknown as FileSteps;
    await openHome(newHome(), { steps: noting }).create('agent');
    expect(taken).toEqual(['create', 'rename', 'syncFolder']);
  });

  test.each(STEPS)('at the step %s leaves the old identity or the new one, whole', async (step) => {
    const home = newHome();
    const old = await openHome(home).create('agent');
    const failing = { ...FILE_STEPS, [step]: () => Promise.reject(new Error('no power')) };
    await expect(openHome(home, { steps: failing }).rotate('agent')).rejects.toMatchObject({
      message: expect.stringContaining('could not be written') as string,
      cause: { message: 'no power' },
    });
    expect(readdirSync(home)).toEqual(['agent.json']);
    const found = await openHome(home).load('agent');
    expect(found.bundle.seq).toBe(step === 'syncFolder' ? 2 : 1);
    expect(found.agentId).toBe(old.agentId);
    expect(await openHome(home).list()).toEqual(['agent']);
  });

  test('in the middle of a new file leaves a rest that is ignored, then cleaned away', async () => {
    const home = newHome();
    const directory = openHome(home);
    await directory.create('agent');
    const rest = join(home, '.agent.0123456789abcdef.tmp');
    writeFileSync(rest, '{"format":"a2a-sdl/ide', { mode: 0o600 });
    expect(await directory.list()).toEqual(['agent']);
    expect((await directory.load('agent')).bundle.seq).toBe(1);
    expect(existsSync(rest)).toBe(true);
    await directory.rotate('agent');
    expect(readdirSync(home)).toEqual(['agent.json']);
  });

  test('of the whole process loses nothing and locks nobody out', async () => {
    const home = newHome();
    const old = await openHome(home).create('agent');
    const script = fileURLToPath(new URL('../support/trust/stopped-writer.ts', import.meta.url));
    const writer = spawn(process.execPath, ['--import', 'tsx', script, home], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(writer.stdout, 'data');
    await expect(openHome(home).rotate('agent')).rejects.toThrow('another process');
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    expect(readdirSync(home).length).toBeGreaterThan(2);
    expect(await openHome(home).load('agent')).toEqual(old);
    const rotated = await openHome(home).rotate('agent');
    expect(rotated.bundle.seq).toBe(2);
    expect(readdirSync(home)).toEqual(['agent.json']);
  });
});

describe('two writers', () => {
  test('do not run at once: the second is told, and the first ends well', async () => {
    const home = newHome();
    await openHome(home).create('agent');
    const second = openHome(home);
    let refused: unknown;
    const steps: FileSteps = {
      ...FILE_STEPS,
      rename: async (from, to) => {
        refused = await second.rotate('agent').catch((thrown: unknown) => thrown);
        return FILE_STEPS.rename(from, to);
      },
    };
    const rotated = await openHome(home, { steps }).rotate('agent');
    expect(String(refused)).toContain(`rm -- '${join(home, '.lock')}'`);
    expect(await second.load('agent')).toEqual(rotated);
    expect((await second.rotate('agent')).bundle.seq).toBe(3);
  });

  test('in a crowd never lose a rotation: seq counts exactly those that succeeded', async () => {
    const home = newHome();
    await openHome(home).create('agent');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, () => openHome(home).rotate('agent')),
    );
    const succeeded = outcomes.filter((outcome) => outcome.status === 'fulfilled').length;
    expect(succeeded).toBeGreaterThan(0);
    expect((await openHome(home).load('agent')).bundle.seq).toBe(1 + succeeded);
    expect(readdirSync(home)).toEqual(['agent.json']);
  });

  const token = 'a'.repeat(32);
  const holder = { token, pid: process.pid, host: hostname(), start: '' };
  const startOfThis = (): string =>
    readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /, '')
      .split(' ')[19]!;

  async function rotateAgainst(lock: string): Promise<unknown> {
    const home = newHome();
    await openHome(home).create('agent');
    writeFileSync(join(home, '.lock'), lock, { mode: 0o600 });
    return openHome(home)
      .rotate('agent')
      .then(
        ({ bundle }) => bundle.seq,
        (thrown: unknown) => String(thrown),
      );
  }

  test('the lock of a process that is gone does not count', async () => {
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'exit');
    expect(await rotateAgainst(JSON.stringify({ ...holder, pid: gone.pid }))).toBe(2);
  });

  test.skipIf(!existsSync('/proc/self/stat'))(
    'nor does that of an earlier process with the same id, as after a restart of a container',
    async () => {
      const start = startOfThis();
      expect(await rotateAgainst(JSON.stringify({ ...holder, start: `${start}0` }))).toBe(2);
      expect(await rotateAgainst(JSON.stringify({ ...holder, start }))).toContain('rm -- ');
    },
  );

  test.each([
    ['of a living process', JSON.stringify(holder)],
    ['of another machine', JSON.stringify({ ...holder, pid: 999_999_999, host: 'elsewhere' })],
    ['that cannot be read', '{'],
    ['that names a group of processes', JSON.stringify({ ...holder, pid: -1 })],
    ['with a path for a token', JSON.stringify({ ...holder, token: '../../x' })],
  ])('a lock %s counts, and the error says how to remove it', async (_, lock) => {
    expect(await rotateAgainst(lock)).toMatch(/another process is changing these keys.*rm -- '/);
  });
});
