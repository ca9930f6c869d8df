// What reaches a terminal: colours where they belong, and nothing that steers it.

import { PassThrough } from 'node:stream';

import { describe, expect, test } from 'vitest';

import { failure } from '../../cli/kit/exit.ts';
import { Terminal } from '../../cli/kit/terminal.ts';

interface Screen {
  readonly terminal: Terminal;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

function screen(
  isTTY: boolean,
  { input = '', env = {}, isJson = false }: { input?: string; env?: object; isJson?: boolean } = {},
): Screen {
  const make = (): PassThrough & { isTTY: boolean } => Object.assign(new PassThrough(), { isTTY });
  const [stdin, stdout, stderr] = [make(), make(), make()];
  stdin.end(input);
  const terminal = new Terminal(
    { stdin, stdout, stderr, env: env as Record<string, string> },
    { isJson },
  );
  const text = (stream: PassThrough) => (): string => String(stream.read() ?? '');
  return { terminal, stdout: text(stdout), stderr: text(stderr) };
}

describe('colours', () => {
  test('are used on a terminal', () => {
    const { terminal, stdout } = screen(true);
    terminal.print(terminal.style('red', 'no'));
    expect(stdout()).toBe('\u001B[31mno\u001B[0m\n');
  });

  test.each([
    ['where there is no terminal', false, {}],
    ['with NO_COLOR', true, { NO_COLOR: '1' }],
    ['on a dumb terminal', true, { TERM: 'dumb' }],
  ])('are not used %s', (_, isTTY, env) => {
    const { terminal, stdout } = screen(isTTY, { env });
    terminal.print(terminal.style('red', 'no'));
    expect(stdout()).toBe('no\n');
  });

  test('an empty NO_COLOR says nothing', () => {
    const { terminal } = screen(true, { env: { NO_COLOR: '' } });
    expect(terminal.style('bold', 'x')).not.toBe('x');
  });
});

describe('text from outside', () => {
  const HOSTILE = 'a\u001B]0;title\u0007\u001B[2Jb\u009Bc\u202Ed\re\u001B[8mf';

  test.each([true, false])('steers nothing (on a terminal: %s)', (isTTY) => {
    const { terminal, stdout, stderr } = screen(isTTY);
    terminal.print(HOSTILE);
    terminal.note(HOSTILE);
    terminal.table([[HOSTILE, 'x']]);
    for (const text of [stdout(), stderr()]) {
      expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
      expect(text).toContain(String.raw`a\u001b]0;title\u0007`);
    }
  });

  test('L2 cannot imitate our own colours', () => {
    const { terminal, stdout } = screen(true);
    const imitated = '\u001B[32mok\u001B[0m';
    terminal.print(
      `${terminal.style('green', 'ok')} ${imitated} ${terminal.style('red', imitated)}`,
    );
    const shown = String.raw`\u001b[32mok\u001b[0m`;
    expect(stdout()).toBe(`\u001B[32mok\u001B[0m ${shown} \u001B[31m${shown}\u001B[0m\n`);
  });

  test.each<[string, (terminal: Terminal, text: string) => void]>([
    ['of the result', (terminal, text) => terminal.print(text)],
    ['beside it, such as of the log of the daemon', (terminal, text) => terminal.note(text)],
    ['of an error', (terminal, text) => terminal.error(failure(text))],
    ['of advice', (terminal, text) => terminal.error(failure('no', { next: text }))],
  ])('cannot write a line of its own: %s', (_where, write) => {
    const { terminal, stdout, stderr } = screen(false);
    write(terminal, 'x 1 ms\nok http task.v1 from did:key:z6MkAdmin 3 ms');
    const lines = `${stdout()}${stderr()}`.split('\n');
    expect(lines.some((line) => line.startsWith('ok'))).toBe(false);
    expect(lines.some((line) => line.includes(String.raw`x 1 ms\nok http`))).toBe(true);
  });

  test('that is printed as text keeps its lines, and steers nothing either', () => {
    const { terminal, stdout } = screen(true);
    terminal.printText(`one\n${HOSTILE}`);
    const text = stdout();
    expect(text.split('\n')).toEqual(['one', expect.stringContaining('title'), '']);
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
  });

  test('is the same value as JSON, without a character that steers', () => {
    const value = { from: `${HOSTILE}\u007F\u009D0;owned\u009C\u061C\u200F\u2028\u2066` };
    const { terminal, stdout, stderr } = screen(true, { isJson: true });
    terminal.json(value);
    terminal.error(failure(value.from));
    const [result, error] = [stdout(), stderr()];
    for (const line of [result, error]) {
      expect(line.trimEnd()).not.toMatch(
        /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/,
      );
    }
    expect(JSON.parse(result)).toEqual(value);
    expect(JSON.parse(error)).toMatchObject({ error: { message: value.from } });
  });

  test('cannot make a line of its own in a table', () => {
    const { terminal, stdout } = screen(false);
    terminal.table([
      ['one\nforged line', 'x'],
      ['b', 'y'],
    ]);
    expect(stdout().split('\n')).toHaveLength(3);
  });
});

describe('a table', () => {
  test('has columns as wide as their widest cell, colours not counted', () => {
    const { terminal, stdout } = screen(true);
    terminal.table([
      [terminal.style('green', 'ok'), 'x'],
      ['long', 'y'],
    ]);
    expect(stdout()).toBe('\u001B[32mok\u001B[0m    x\nlong  y\n');
  });
});

describe('a question', () => {
  test.each([
    ['y\n', true],
    ['YES\n', true],
    ['n\n', false],
    ['\n', false],
    ['yesterday\n', false],
  ])('answered with %j is %s', async (input, expected) => {
    const { terminal, stdout, stderr } = screen(true, { input });
    expect(await terminal.confirm('Sure?', 'say --yes')).toBe(expected);
    expect(stderr()).toContain('Sure? [y/N]');
    expect(stdout()).toBe('');
  });

  test('to which nobody answers is no', async () => {
    const { terminal } = screen(true);
    expect(await terminal.confirm('Sure?', 'say --yes')).toBe(false);
  });

  test('where nobody is to ask is an error that says what to write', async () => {
    const { terminal } = screen(false, { input: 'y\n' });
    await expect(terminal.confirm('Sure?', 'say --yes')).rejects.toMatchObject({
      exitCode: 1,
      next: 'say --yes',
    });
  });
});

describe('results', () => {
  test('are lines for people, or one line of JSON', () => {
    const people = screen(false);
    people.terminal.result({ a: 1 }, () => people.terminal.print('one'));
    expect(people.stdout()).toBe('one\n');
    const program = screen(false, { isJson: true });
    program.terminal.result({ a: 1 }, () => program.terminal.print('one'));
    expect(program.stdout()).toBe('{"a":1}\n');
  });
});
