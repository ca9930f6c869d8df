// Owns the command `credentials remove`.

import type { Action } from '../kit/command.ts';
import { EXIT, failure } from '../kit/exit.ts';
import { CredentialBook } from './book.ts';
import { requireOrigin } from './origin.ts';

export const credentialsRemoveCommand: Action = {
  name: 'remove',
  summary: 'forget the secrets for an origin',
  parameters: [{ name: 'ORIGIN', description: 'such as https://agent.example' }],
  examples: ['a2a-sdl credentials remove https://agent.example'],
  async run({ words, home, terminal }) {
    const origin = requireOrigin(words[0]!);
    const removed = await (await CredentialBook.open(home)).remove(origin);
    if (removed === 0) {
      throw failure(`there is no secret for ${origin}`, {
        code: 'NO_CREDENTIAL',
        next: 'see "a2a-sdl credentials list"',
      });
    }
    terminal.result({ origin, removed }, () =>
      terminal.print(`forgotten: ${removed} for ${origin}`),
    );
    return EXIT.ok;
  },
};
