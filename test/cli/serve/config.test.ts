// The settings of the daemon, from a file and from the command line.

import { dirname, join, resolve } from 'node:path';

import { describe, expect, test } from 'vitest';

import { parseWords } from '../../../cli/kit/arguments.ts';
import type { CliError } from '../../../cli/kit/exit.ts';
import { homeAt } from '../../../cli/home/home.ts';
import { OptionValues } from '../../../cli/kit/option-values.ts';
import type { DaemonConfig } from '../../../cli/serve/config.ts';
import { readDaemonConfig } from '../../../cli/serve/config.ts';
import { SERVE_OPTIONS } from '../../../cli/serve/options.ts';
import { newFile } from '../../support/agents/cli.ts';

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
    await expect(receiptsFor(true)).rejects.toThrow(
      'receipts: expected an object, or false, got true',
    );
    expect(await read()).not.toHaveProperty('receipts');
  });

  test('a token is read from a file, where others do not see it', async () => {
    const path = newFile('token', 'a-long-enough-secret\n');
    expect((await read('--admin-token', `@${path}`)).adminToken).toBe('a-long-enough-secret');
    await expect(read('--admin-token', `@${newFile('token', 'short')}`)).rejects.toThrow('shorter');
  });

  test.each<[string[], string]>([
    [['--http', 'nowhere'], '--http expects HOST:PORT'],
    [['--http', '65536'], '--http expects HOST:PORT'],
    [['--ipc-tcp', '::1'], '--ipc-tcp expects HOST:PORT'],
    [['--http', 'a:99999'], '--http expects HOST:PORT'],
    [['--profile', 'lax'], '--profile expects one of hardened, compat'],
    [['--compat', 'everything'], '--compat expects one of'],
    [['--require', 'maybe'], '--require expects one of'],
    [['--store', 'mysql://x'], '--store expects'],
    [['--replay', 'postgres://x'], '--replay expects'],
    [['--handler', 'a', '--exec', 'b'], '--handler and --exec'],
    [['--handler', 'a', '--upstream', 'http://x'], '--handler and --upstream'],
    [['--upstream', 'http://x', '--upstream', 'http://y'], 'two agents are called upstream'],
    [['--upstream', 'a b=http://x'], 'is no name'],
    [['--upstream', 'ftp://x'], '--upstream expects the address of a card'],
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

  test.each([
    ['18801', { host: '127.0.0.1', port: 18_801 }],
    [':18801', { host: '127.0.0.1', port: 18_801 }],
    ['0', { host: '127.0.0.1', port: 0 }],
    ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['localhost:80', { host: 'localhost', port: 80 }],
  ])('an address may be %j, on the command line and in the file', async (text, address) => {
    expect((await read('--http', text)).http).toEqual(address);
    expect((await read('--ipc-tcp', text)).ipcTcp).toEqual(address);
    const config = newFile('config.json', JSON.stringify({ http: text, ipc_tcp: text }));
    expect(await read('--config', config)).toMatchObject({ http: address, ipcTcp: address });
  });

  test.each<[object | string, string, string]>([
    [{ htttp: 'x' }, 'htttp: there is no such setting', 'did you mean http?'],
    [{ tasks: { lease: 1 } }, 'tasks.lease: there is no such', 'did you mean tasks.lease_s?'],
    [
      { versions: { content_types: { 'a.v1': { minn: 1 } } } },
      'versions.content_types.a.v1.minn: there is no such setting',
      'did you mean versions.content_types.a.v1.min?',
    ],
    [{ limits: { folder: 'x' } }, 'limits.folder: there is no such', 'max_bytes, max_depth'],
    [{ open: 'yes' }, 'open: expected true or false, got "yes"', 'change it'],
    [{ http: 18_801 }, 'http: expected text: HOST:PORT, got 18801', 'change it'],
    [{ skew_s: 'abc' }, 'skew_s: expected a whole number of at least 0, got "abc"', ''],
    [{ skew_s: 1.5 }, 'skew_s: expected a whole number of at least 0, got 1.5', ''],
    [
      { admission: { rate_per_second: 0 } },
      'rate_per_second: expected a number above 0, got 0',
      '',
    ],
    [{ profile: 'lax' }, 'profile: expected one of "hardened", "compat", got "lax"', ''],
    [{ switches: 'x' }, 'switches: expected a list of texts, got "x"', ''],
    [{ switches: ['label-id', 5] }, 'switches[1]: expected text that is not empty, got 5', ''],
    [{ tls: { cert: 'c.pem' } }, 'tls.key: it is missing, and has to be text', 'add it'],
    [
      { tls: { cret: 'x', key: 'k' } },
      'tls.cert: it is missing',
      'tls.cret is no setting: did you',
    ],
    [{ tasks: [] }, 'tasks: expected an object, got a list', ''],
    [{ approvers: { ann: 'x' } }, 'approvers.ann: expected text of 43 characters, got "x"', ''],
    [{ approvers: { ann: '!'.repeat(43) } }, 'approver "ann"', ''],
    ['[]', 'the whole file: expected an object, got a list', ''],
    [
      '{\n  "open": tru\n}',
      'config.json, line 2, column 11: JSON expects a value',
      'one JSON object',
    ],
    ['{"open": true,}', 'line 1, column 15: JSON expects a member name', 'remove the comma'],
    ['{\n// no\n}', 'line 2, column 1', 'JSON has none'],
    ["{'open': true}", 'line 1, column 2', 'with ", not'],
    ['', 'line 1, column 1', 'write at least {}'],
  ])('a file with %j is refused in plain words', async (value, words, next) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const config = newFile('config.json', text);
    const thrown: unknown = await read('--config', config).catch((cause: unknown) => cause);
    const { message, next: hint, exitCode } = thrown as CliError;
    expect(exitCode).toBe(1);
    expect(message).toContain(words);
    expect(`${message} ${hint ?? ''}`).not.toMatch(
      /additionalProp|minLength|enum\b|integer|schemaP/,
    );
    expect(hint ?? '').toContain(next);
  });

  test('a secret in the file is not repeated', async () => {
    const config = newFile('config.json', JSON.stringify({ admin_token: 'hush' }));
    const thrown: unknown = await read('--config', config).catch((cause: unknown) => cause);
    expect((thrown as CliError).message).toContain('admin_token: expected text of at least 16');
    expect((thrown as CliError).message).not.toContain('hush');
  });

  test('a secret of a caller that stands in the file itself is refused, and not repeated', async () => {
    const callers = [{ name: 'ci', bearer: 'the-token-of-the-machine' }];
    const config = newFile('config.json', JSON.stringify({ callers }));
    const thrown: unknown = await read('--config', config).catch((cause: unknown) => cause);
    expect((thrown as CliError).message).toContain('callers[0].bearer: must be @FILE');
    expect((thrown as CliError).message).not.toContain('the-token-of-the-machine');
  });
});

describe('#callers who proves nothing', () => {
  test('is let in by name of a face, where only this machine reaches it', async () => {
    const config = newFile('config.json', JSON.stringify({ anonymous: ['steerqa'] }));
    const both = await read('--config', config, '--anonymous', 'swp', '--http', '[::1]:0');
    expect(both.anonymous).toEqual(['swp', 'steerqa']);
    for (const args of [
      ['--anonymous', 'steerqa', '--http', '0.0.0.0:0'],
      ['--config', config, '--http', 'agent.example:80'],
    ]) {
      await expect(read(...args)).rejects.toMatchObject({
        message: expect.stringContaining('only this machine can reach') as string,
        exitCode: 2,
      });
    }
    for (const name of ['*', 'sdl', 'other', '']) {
      await expect(read('--anonymous', name)).rejects.toMatchObject({
        message: '--anonymous expects the name of a face',
        exitCode: 2,
      });
    }
  });
});

describe('#steerqa-http the face for offers', () => {
  test('is there where its path or its settings say so', async () => {
    expect((await read()).steerqa).toBeUndefined();
    const args = ['--steerqa', '/offers', '--steerqa-agent', 'a@1', '--steerqa-agent', 'b@2'];
    expect((await read(...args)).steerqa).toEqual({ path: '/offers', agents: ['a@1', 'b@2'] });
    const settings = { agents: ['c@3'], skew_s: 0.5, max_bytes: 10, heartbeat_s: 1 };
    const config = newFile('config.json', JSON.stringify({ steerqa: settings }));
    expect((await read('--config', config)).steerqa).toEqual({
      path: '/task_offer',
      agents: ['c@3'],
      skewMs: 500,
      maxBytes: 10,
      heartbeatMs: 1_000,
    });
  });

  test.each([
    [['--steerqa', 'offers']],
    [['--steerqa', '/a2a']],
    [['--steerqa', '/metrics']],
    [['--steerqa', '/x?y']],
    [['--steerqa', '/x', '--steerqa-agent', 'a']],
    [['--steerqa-agent', 'a@1']],
  ])('%j is no use', async (args) => {
    await expect(read(...args)).rejects.toMatchObject({ exitCode: 2 });
  });

  test('keeps results long enough', async () => {
    const config = newFile('config.json', JSON.stringify({ tasks: { retention_s: 60 } }));
    await expect(read('--config', config, '--steerqa', '/x')).rejects.toThrow('at least 900');
  });
});
