// Owns the command `callers hash`: the line of a user in a file of passwords.

import { hashPassword } from '../../profiles/auth/index.ts';
import type { Action } from '../kit/command.ts';
import { EXIT, usageError } from '../kit/exit.ts';
import { readSecretFile } from '../kit/secret-input.ts';

export const callersHashCommand: Action = {
  name: 'hash',
  summary: 'print the line of a user in a file of passwords',
  parameters: [
    { name: 'USER', description: 'the user' },
    { name: '@FILE', description: 'the file with the password' },
  ],
  notes: [
    'A configuration names the file of such lines: "basic": { "user": …, "password": "@FILE" }.',
  ],
  examples: ['a2a-sdl callers hash bob @password.txt'],
  async run({ words, terminal }) {
    const [user, file] = words as [string, string];
    if (user.includes(':')) throw usageError('a user has no ":"');
    const hash = await hashPassword(await readSecretFile('USER', file));
    terminal.result({ user, hash }, () => terminal.print(`${user}:${hash}`));
    return EXIT.ok;
  },
};
