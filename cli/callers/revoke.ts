// Owns the command `callers revoke`.

import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { CallerBook } from './book.ts';

export const callersRevokeCommand: Action = {
  name: 'revoke',
  summary: 'let a caller in no more',
  parameters: [{ name: 'NAME', description: 'its name' }],
  notes: ['What it is doing ends. Its entry stays, until a new caller takes its name.'],
  examples: ['a2a-sdl callers revoke ci'],
  async run({ words, home, terminal }) {
    const [name] = words as [string];
    await (await CallerBook.open(home)).revoke(name);
    terminal.result({ name, revoked: true }, () => terminal.print(`${name} is revoked`));
    return EXIT.ok;
  },
};
