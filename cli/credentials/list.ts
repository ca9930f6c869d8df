// Owns the command `credentials list`.

import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { CredentialBook } from './book.ts';
import { credentialDocument, detailText } from './view.ts';

export const credentialsListCommand: Action = {
  name: 'list',
  summary: 'list for which origins there are secrets, and of which kind',
  notes: ['Secrets are not shown.'],
  examples: ['a2a-sdl credentials list', 'a2a-sdl credentials list --json'],
  async run({ terminal, home }) {
    const entries = (await CredentialBook.open(home)).list();
    terminal.result(entries.map(credentialDocument), () => {
      if (entries.length === 0) {
        terminal.note('there are no credentials: see "a2a-sdl credentials add"');
        return;
      }
      terminal.table([
        ['ORIGIN', 'SCHEME', 'WITH'],
        ...entries.map((entry) => [entry.origin, entry.scheme, detailText(entry)]),
      ]);
    });
    return EXIT.ok;
  },
};
