// Addresses of stores: what is one, what is shown of one, and that no secret ever is.

import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { homeAt } from '../../cli/home/home.ts';
import {
  hasPassword,
  readReplayAddress,
  readStoreAddress,
  shownAddress,
  takeSetting,
} from '../../cli/store/address.ts';
import { newCliHome, newFile, runCli } from '../support/agents/cli.ts';

const home = homeAt('/nowhere/home');

describe('the address of a store', () => {
  test.each([
    [undefined, `sqlite:${home.store}`],
    ['memory:', 'memory:'],
    ['sqlite:/a/b.db', 'sqlite:/a/b.db'],
    ['sqlite:b.db', `sqlite:${join(process.cwd(), 'b.db')}`],
    ['postgres://u:p@h/d', 'postgres://u:p@h/d'],
    ['postgresql://h', 'postgresql://h'],
  ])('%s is %s', async (given, address) => {
    expect(await readStoreAddress(given, home)).toBe(address);
  });

  test('is read from a file, where others do not see it', async () => {
    const path = newFile('url', 'postgres://u:p@h/d\n');
    expect(await readStoreAddress(`@${path}`, home)).toBe('postgres://u:p@h/d');
    const redis = newFile('url', ' rediss://:p@h:1 \n');
    expect(await readReplayAddress(`@${redis}`)).toBe('rediss://:p@h:1');
  });

  test.each(['', 'sqlite:', 'redis://h', 'postgres:h', 'mysql://u:p@h', '/a/b.db'])(
    '"%s" names no store',
    async (given) => {
      await expect(readStoreAddress(given, home)).rejects.toMatchObject({
        exitCode: 2,
        message: expect.not.stringContaining('u:p') as string,
      });
    },
  );

  test.each(['', 'memory:', 'postgres://h', 'redis:h'])('"%s" names no Redis', async (given) => {
    await expect(readReplayAddress(given)).rejects.toMatchObject({ exitCode: 2 });
  });

  test.each([
    ['postgres://user:secret@h/d', true],
    ['postgres://user:se/cret@h/d', true],
    ['redis://:secret@h:1', true],
    ['postgres://user@/d?host=%2Ftmp&password=secret', true],
    ['postgres://user@h:5432/d?sslmode=require', false],
    ['sqlite:/a/b:c@d.db', false],
  ])('L5 %s has a password: %s', (address, isSecret) => {
    expect(hasPassword(address)).toBe(isSecret);
  });

  test('L5 a password on the command line is warned of, and is not repeated', async () => {
    const address = 'postgres://user:sesame@127.0.0.1:1/d';
    const line = ['store', 'check', '--home', newCliHome(), '--store'];
    const { stderr } = await runCli([...line, address]);
    expect(stderr).toMatch(/others on this machine can read .*--store @FILE/);
    expect(stderr).not.toContain('sesame');
    const quiet = await runCli([...line, `@${newFile('url', address)}`]);
    expect(quiet.stderr).not.toContain('others on this machine');
  });

  test.each([
    ['sqlite:/a/b@c.db', 'sqlite:/a/b@c.db'],
    ['memory:', 'memory:'],
    ['postgres://h:5432/d', 'postgres://h:5432/d'],
    ['postgres://user:secret@h/d?sslmode=require', 'postgres://h/d'],
    ['postgres://user@/d?host=%2Ftmp&password=secret', 'postgres:///d'],
    ['postgres://user:se@cret@h/d', 'postgres://…'],
    ['postgres://user:se/cret@h/d', 'postgres://…'],
    ['postgres://user:se?cret@h/d', 'postgres://…'],
    ['postgres://user:se#cret@h/d', 'postgres://…'],
    ['postgres://h/d?password=se@cret', 'postgres://…'],
    ['rediss://:secret@h:6379/1', 'rediss://h:6379/1'],
    ['unix:///run/redis.sock', 'unix:///run/redis.sock'],
  ])('of %s only %s is shown', (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
  });

  test.each([
    ['postgres://h/d', 'postgres://h/d', undefined],
    ['postgres://h/d?schema=a', 'postgres://h/d', 'a'],
    ['postgres://h/d?x=1&schema=a&y=%20', 'postgres://h/d?x=1&y=%20', 'a'],
    ['postgres://h/d?myschema=a', 'postgres://h/d?myschema=a', undefined],
  ])('%s without its schema is %s', (given, address, value) => {
    expect(takeSetting(given, 'schema')).toEqual({ address, value });
  });
});

describe('a store that cannot be reached', () => {
  test.each<[string[], number]>([
    [['--store', 'postgres://user:sesame@127.0.0.1:1/d'], 1],
    [['--store', 'postgres://user:sesame@[/d'], 2],
    [['--store', 'postgres://user:sesame@127.0.0.1:1/d?schema=SESAME'], 2],
    [['--replay', 'redis://user:sesame@127.0.0.1:1'], 1],
    [['--replay', 'redis://user:sesame@127.0.0.1:99999'], 2],
    [['--replay', 'redis://user:sesame@127.0.0.1:1?prefix=*'], 2],
  ])('stops serve, and its secret is not printed: %j', async (args, code) => {
    const run = await runCli(['serve', '--home', newCliHome(), '--http', '127.0.0.1:0', ...args]);
    expect(run.code).toBe(code);
    expect(run.stderr).toMatch(/^error: .*(PostgreSQL|Redis|address)/m);
    expect(`${run.stdout}${run.stderr}`).not.toMatch(/sesame|user/i);
  });
});
