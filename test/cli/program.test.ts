// The command line as such: finding commands, options, help, errors and exit codes.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';

import { isGroup } from '../../cli/kit/command.ts';
import type { Action } from '../../cli/kit/command.ts';
import type { CommandRow } from '../../cli/commands.ts';
import { COMMANDS } from '../../cli/commands.ts';
import { EXIT, failure } from '../../cli/kit/exit.ts';
import { main } from '../../cli/program.ts';
import { suggest } from '../../cli/kit/suggest.ts';
import { SdlError } from '../../src/errors.ts';
import { StoreError } from '../../src/stores/store.ts';
import { TransportError } from '../../src/transport.ts';
import { PACKAGE_VERSION } from '../../src/version.ts';
import { newCliHome, runCli } from '../support/agents/cli.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

function spawnCli(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return run(process.execPath, ['--import', 'tsx', join(root, 'cli/main.ts'), ...args], {
    cwd: root,
    env: { ...process.env, A2A_SDL_HOME: newCliHome() },
  });
}

const actions = await Promise.all(
  Object.entries(COMMANDS).map(async ([name, row]) => {
    const command = await row.load();
    const inner = isGroup(command)
      ? await Promise.all(Object.values(command.commands).map((load) => load()))
      : [command];
    if (isGroup(command)) {
      expect(inner.map((action) => action.name)).toEqual(Object.keys(command.commands));
    }
    return {
      name,
      row,
      command,
      paths: inner.map((action) => [isGroup(command) ? `${name} ${action.name}` : name, action]),
    };
  }),
);
const paths = actions.flatMap(({ paths: inner }) => inner as [string, Action][]);

describe('the table of commands', () => {
  test.each(actions)('$name is called what its row says', ({ name, row, command }) => {
    expect([command.name, command.summary]).toEqual([name, row.summary]);
  });

  test.each(paths)('%s has a help with its examples, and exits with 0', async (path, action) => {
    const { code, stdout, stderr } = await runCli([...path.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(action.summary);
    expect(action.examples.length).toBeGreaterThan(0);
    for (const example of action.examples) {
      expect(example).toMatch(/a2a-sdl /);
      expect(stdout).toContain(example);
    }
    for (const name of ['--home', '--json', '--help']) expect(stdout).toContain(name);
    expect((await runCli(['help', ...path.split(' ')])).stdout).toBe(stdout);
  });

  test.each(paths)('every option of %s is described', (_, { options = {} }) => {
    for (const [name, option] of Object.entries(options)) {
      expect([name, option.description.length > 0]).toEqual([name, true]);
      expect(['home', 'json', 'help']).not.toContain(name);
    }
  });

  test.each(actions.filter(({ command }) => isGroup(command)))(
    '$name alone says which commands it has',
    async ({ name, paths: inner }) => {
      const { code, stdout } = await runCli([name, '--help']);
      expect(code).toBe(0);
      for (const [path] of inner) expect(stdout).toContain((path as string).split(' ')[1]!);
      expect(await runCli([name])).toMatchObject({ code, stdout, stderr: '' });
      expect((await runCli(['help', name])).stdout).toBe(stdout);
    },
  );

  test.each([[['help']], [['-h']], [[]]])(
    '%j is the help of the program, which names it and the exit codes',
    async (args) => {
      const { code, stdout } = await runCli(args);
      expect([code, stdout]).toEqual([0, (await runCli(['--help'])).stdout]);
      expect(stdout).toContain('a2a-sdl help [COMMAND…]');
      for (const exit of Object.values(EXIT))
        expect(stdout).toMatch(new RegExp(`^  ${exit} `, 'm'));
    },
  );

  test.each([[['--version']], [['-V']], [['version']]])('%j is the version', async (args) => {
    expect(await runCli(args)).toMatchObject({ code: 0, stdout: `${PACKAGE_VERSION}\n` });
    expect((await runCli([...args, '--json'])).json()).toEqual({ version: PACKAGE_VERSION });
  });
});

describe('a command line that is not right exits with 2', () => {
  test.each([
    [['vresion'], 'there is no command "vresion"', '"a2a-sdl version"'],
    [['pers'], 'there is no command "pers"', '"a2a-sdl peers"'],
    [['peers', 'lst'], 'there is no command "peers lst"', '"a2a-sdl peers list"'],
    [['hlep'], 'there is no command "hlep"', '"a2a-sdl help"'],
    [['help', 'pers'], 'there is no command "pers"', '"a2a-sdl peers"'],
    [['help', 'peers', 'lst'], 'there is no command "peers lst"', '"a2a-sdl peers list"'],
    [['zebra'], 'there is no command "zebra"', '"a2a-sdl --help"'],
    [['__proto__'], 'there is no command "__proto__"', 'a2a-sdl --help'],
    [['init', '--jsn'], 'there is no option --jsn', '--json'],
    [['init', '--constructor'], 'there is no option --constructor', ''],
    [['init', '--json=yes'], '--json takes no value', 'write --json alone'],
    [['init', '--home'], '--home needs a value', '--home DIR'],
    [['init', '--home', '--json'], '--home needs a value', '--home=--json'],
    [['init', '--home', 'a', '--home', 'b'], '--home was given twice', 'once'],
    [['init', '--home='], '--home needs a folder', ''],
    [['init', 'now'], 'one argument too many, the first', ''],
    [['peers', 'show'], 'PEER is missing', 'agent id'],
    [['keys', 'rotate', '--overlap-days', '1.5'], 'a whole number', ''],
    [['keys', 'export', '--format', 'der'], 'one of raw, pem, jwk', ''],
    [['keys', 'show', '../agent'], 'a name of an identity', ''],
  ])('%j', async (args, words, next) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(stderr).toContain(next);
  });

  test('with --json the error is one line of JSON on stderr', async () => {
    const { error, stdout } = await runCli(['--json', 'initt']);
    expect(stdout).toBe('');
    expect(error()).toEqual({
      code: 'USAGE',
      message: 'there is no command "initt"',
      next: 'did you mean "a2a-sdl init"?',
    });
  });
});

describe('options of every command', () => {
  test('stand before the command, too', async () => {
    const home = newCliHome();
    const { code, json } = await runCli(['--home', home, '--json', 'init']);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ home });
  });

  test('the home is that of the environment, and --home goes before it', async () => {
    const [first, second] = [newCliHome(), newCliHome()];
    const env = { A2A_SDL_HOME: first };
    expect((await runCli(['init', '--json'], { env })).json()).toMatchObject({ home: first });
    const other = await runCli(['init', '--json', '--home', second], { env });
    expect(other.json()).toMatchObject({ home: second });
  });

  test('without either the home is in the folder of the user', async () => {
    const HOME = newCliHome();
    const { json } = await runCli(['init', '--json'], { env: { HOME } });
    expect(json()).toMatchObject({ home: join(HOME, '.a2a-sdl') });
  });
});

describe('what a command throws', () => {
  const throwing = (thrown: unknown): Record<string, CommandRow> => ({
    boom: {
      summary: 'throw',
      load: async () => ({
        name: 'boom',
        summary: 'throw',
        examples: ['a2a-sdl boom'],
        run: () => Promise.reject(thrown),
      }),
    },
  });

  test.each<[string, unknown, string, string]>([
    ['an error of ours', new SdlError('REPLAYED', 'seen before'), 'REPLAYED', 'seen before'],
    ['one of a key file', new SdlError('INTERNAL', 'close it'), 'FAILED', 'close it'],
    ['one of a store', new StoreError('busy', 'wait'), 'STORE_BUSY', 'wait'],
    [
      'one of a transport',
      new TransportError('unreachable', 'nobody there'),
      'TRANSPORT_UNREACHABLE',
      'nobody there',
    ],
    ['one of the command', failure('no', { code: 'NO' }), 'NO', 'no'],
    [
      'one of the system',
      Object.assign(new Error('x'), { code: 'EACCES', path: '/f' }),
      'EACCES',
      '/f: the system',
    ],
    [
      'an address in use',
      Object.assign(new Error('x'), { code: 'EADDRINUSE', address: '::1', port: 8 }),
      'EADDRINUSE',
      '::1:8: the address is in use',
    ],
    ['a mistake of ours', new TypeError('oops'), 'INTERNAL', 'unexpected failure: TypeError: oops'],
    ['anything', 'text', 'INTERNAL', 'unexpected failure: text'],
  ])('%s becomes exit code 1 and words for the user', async (_, thrown, code, words) => {
    const output: string[] = [];
    const stream = { write: (text: string) => output.push(text) };
    const io = { stdin: {}, stdout: stream, stderr: stream, env: {} };
    const exit = await main(['boom', '--json'], io as never, throwing(thrown));
    expect(exit).toBe(EXIT.failed);
    const { error } = JSON.parse(output.join('')) as { error: Record<string, string> };
    expect(error['code']).toBe(code);
    expect(error['message']).toContain(words);
  });
});

describe('a mistyped word', () => {
  test.each([
    ['ini', 'init'],
    ['sevre', 'serve'],
    ['serv', 'serve'],
    ['peer', 'peers'],
    ['elephant', undefined],
    ['', undefined],
  ])('%j is taken for %j', (word, expected) => {
    expect(suggest(word, ['init', 'serve', 'send', 'peers'])).toBe(expected);
  });
});

describe('the program itself', () => {
  test('runs, prints its version, and leaves nothing on stderr', async () => {
    const { stdout, stderr } = await spawnCli('--version');
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(stderr).toBe('');
  });

  test('makes a home, and its exit code is that of the command', async () => {
    const { stdout } = await spawnCli('init', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ created: ['agent', 'operator'] });
    await expect(spawnCli('nothing')).rejects.toMatchObject({ code: 2, stdout: '' });
    await expect(spawnCli('peers', 'list', '--home', '/dev/null')).rejects.toMatchObject({
      code: 1,
    });
  });
});
