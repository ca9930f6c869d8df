// The settings of the daemon, from a file and from the command line.

import { dirname, join, resolve } from 'node:path';

import { describe, expect, test } from 'vitest';

import { parseWords } from '../../cli/kit/arguments.ts';
import { homeAt } from '../../cli/home/home.ts';
import { OptionValues } from '../../cli/kit/option-values.ts';
import type { DaemonConfig } from '../../cli/serve/config.ts';
import { readDaemonConfig } from '../../cli/serve/config.ts';
import { SERVE_OPTIONS } from '../../cli/serve/options.ts';
import { newFile } from '../support/agents/cli.ts';

const home = homeAt('/nowhere/home');

function read(...args: string[]): Promise<DaemonConfig> {
  const { given } = parseWords(args, SERVE_OPTIONS);
  return readDaemonConfig(new OptionValues(Object.keys(SERVE_OPTIONS), given), home);
}

describe('the settings of the daemon', () => {
  test('have defaults: loopback, the home, hardened', async () => {
    expect(await read()).toMatchObject({
      http: { host: '127.0.0.1', port: 8_787 },
      ipc: home.socket,
      store: `sqlite:${home.store}`,
      profile: 'hardened',
      switches: [],
      open: false,
      audit: true,
      name: 'agent',
      drainMs: 10_000,
    });
  });

  test('come from the file, with its paths meant from where it stands', async () => {
    const config = newFile(
      'config.json',
      JSON.stringify({
        name: 'bob',
        http: '[::1]:0',
        ipc_tcp: 'localhost:4321',
        handler: './agent.mjs',
        require: 'enc+sig',
        switches: ['label-id'],
        limits: { max_bytes: 1_000, max_hops: 0 },
        admission: { rate_per_second: 0.5 },
        skew_s: 5,
        tasks: { recovery: 'fail' },
        tls: { cert: 'c.pem', key: '/abs/k.pem' },
        approvers: { ann: 'A'.repeat(43) },
      }),
    );
    expect(await read('--config', config)).toMatchObject({
      name: 'bob',
      http: { host: '::1', port: 0 },
      ipcTcp: { host: 'localhost', port: 4_321 },
      handler: join(dirname(config), 'agent.mjs'),
      minMode: 'enc+sig',
      switches: ['label-id'],
      limits: { maxBytes: 1_000, maxHops: 0 },
      admission: { ratePerSecond: 0.5 },
      skewMs: 5_000,
      tasks: { recovery: 'fail' },
      tls: { cert: join(dirname(config), 'c.pem'), key: '/abs/k.pem', requireClientCert: false },
      approvers: new Map([['ann', new Uint8Array(32)]]),
    });
  });

  test('of the command line go before those of the file', async () => {
    const config = newFile('config.json', JSON.stringify({ name: 'bob', handler: 'a.mjs' }));
    const found = await read('--config', config, '--name', 'ann', '--handler', 'b.mjs');
    expect(found).toMatchObject({ name: 'ann', handler: resolve('b.mjs') });
  });

  test('name the stores, each on the command line or in the file', async () => {
    const config = newFile(
      'config.json',
      JSON.stringify({
        store: 'postgres://u:p@h/d',
        replay: 'redis://h',
        tasks: { lease_s: 2, retention_s: 0, max_tasks: 5, recovery: 'fail' },
      }),
    );
    expect(await read('--config', config)).toMatchObject({
      store: 'postgres://u:p@h/d',
      replay: 'redis://h',
      tasks: { leaseMs: 2_000, retentionMs: 0, maxTasks: 5, recovery: 'fail' },
    });
    const given = await read('--config', config, '--store', 'memory:', '--replay', 'unix:///s');
    expect(given).toMatchObject({ store: 'memory:', replay: 'unix:///s' });
    expect(await read()).not.toHaveProperty('replay');
  });

  test('say how long receipts are kept #receipt-kept', async () => {
    const receiptsFor = async (receipts: unknown): Promise<unknown> => {
      const config = newFile('config.json', JSON.stringify({ receipts }));
      return (await read('--config', config)).receipts;
    };
    expect(await receiptsFor({ keep_s: 60, max: 5 })).toEqual({ keepMs: 60_000, max: 5 });
    expect(await receiptsFor({})).toEqual({});
    expect(await receiptsFor(false)).toBe(false);
    await expect(receiptsFor(true)).rejects.toThrow('/receipts');
    expect(await read()).not.toHaveProperty('receipts');
  });

  test('a token is read from a file, where others do not see it', async () => {
    const path = newFile('token', 'a-long-enough-secret\n');
    expect((await read('--admin-token', `@${path}`)).adminToken).toBe('a-long-enough-secret');
    await expect(read('--admin-token', `@${newFile('token', 'short')}`)).rejects.toThrow('shorter');
  });

  test.each<[string[], string]>([
    [['--http', '8787'], '--http expects HOST:PORT'],
    [['--http', 'a:99999'], '--http expects HOST:PORT'],
    [['--profile', 'lax'], '--profile expects one of hardened, compat'],
    [['--compat', 'everything'], '--compat expects one of'],
    [['--require', 'maybe'], '--require expects one of'],
    [['--store', 'mysql://x'], '--store expects'],
    [['--replay', 'postgres://x'], '--replay expects'],
    [['--handler', 'a', '--exec', 'b'], '--handler and --exec'],
    [['--tls-cert', 'c.pem'], 'go together'],
    [['--exec', ' '], '--exec needs a command'],
    [['--admin-token', 'short'], 'at least 16 characters'],
    [['--public-url', 'agent.example'], '--public-url expects a URL'],
    [['--tls-ca', 'ca.pem'], 'client certificates need TLS'],
    [['--tls-cert', 'c', '--tls-key', 'k', '--require-client-cert'], 'needs --tls-ca'],
  ])('%j is a usage error that says what is wrong', async (args, words) => {
    await expect(read(...args)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(words) as string,
    });
  });

  test.each<[string, object, string]>([
    ['an unknown member', { htpp: 'x' }, '/htpp'],
    ['a member of the wrong type', { open: 'yes' }, '/open'],
    ['an unknown setting of tasks', { tasks: { lease: 1 } }, '/tasks'],
    ['a key that is none', { approvers: { ann: '!'.repeat(43) } }, 'ann'],
  ])('a file with %s is refused with its place', async (_name, value, place) => {
    const config = newFile('config.json', JSON.stringify(value));
    await expect(read('--config', config)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(place) as string,
    });
  });
});
