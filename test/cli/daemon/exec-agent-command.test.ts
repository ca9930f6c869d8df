// Proves how the text of `--exec` is split: words and quotes, nothing of a shell.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../../cli/daemon/exec/command.ts';

function wordsOf(command: string): string[] {
  const { file, args } = parseCommand(command);
  return [file, ...args];
}

describe('the text of a command', () => {
  test.each([
    ['python3 agent.py', ['python3', 'agent.py']],
    ['  a \t b\nc ', ['a', 'b', 'c']],
    [`sh -c 'echo "$HOME" | wc'`, ['sh', '-c', 'echo "$HOME" | wc']],
    ['a "b \\"c\\" \\\\ \\n"', ['a', 'b "c" \\ \\n']],
    [`a '' ""`, ['a', '', '']],
    [`a'b'"c"d`, ['abcd']],
    ['a\\ b \\"c', ['a b', '"c']],
    [`'it'\\''s'`, [`it's`]],
    ['a $(b) `c` * ~ ; d > e', ['a', '$(b)', '`c`', '*', '~', ';', 'd', '>', 'e']],
    ['café 😀', ['café', '😀']],
  ])('%j', (command, words) => {
    expect(wordsOf(command)).toEqual(words);
  });

  test.each([
    ['', 'expected a program'],
    ['   ', 'expected a program'],
    [`'' a`, 'expected a program'],
    [`a 'b`, `a ' without its end`],
    ['a "b', 'a " without its end'],
    ['a \\', 'lone backslash'],
    ['a\0b', 'without U+0000'],
  ])('%j is refused', (command, words) => {
    expect(() => parseCommand(command)).toThrow(TypeError);
    expect(() => parseCommand(command)).toThrow(words);
  });

  test('any words come back when each is quoted', () => {
    const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(word, fc.array(word), (last, words) => {
        const all = [`x${last}`, ...words];
        const single = all.map((text) => `'${text.replaceAll("'", `'\\''`)}'`).join(' ');
        expect(wordsOf(single)).toEqual(all);
        const double = all.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(' ');
        expect(wordsOf(double)).toEqual(all);
      }),
    );
  });
});
