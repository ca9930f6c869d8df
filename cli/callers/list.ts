// Owns the command `callers list`.

import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { CallerBook } from './book.ts';
import { callerDocument, stateOf } from './view.ts';

export const callersListCommand: Action = {
  name: 'list',
  summary: 'list the callers',
  notes: [
    'Secrets and their hashes are not shown. Callers of a configuration file are in that file alone.',
  ],
  examples: ['a2a-sdl callers list', 'a2a-sdl callers list --json'],
  async run({ terminal, home, now }) {
    const entries = (await CallerBook.open(home)).list();
    const nowMs = now();
    terminal.result(
      entries.map((entry) => callerDocument(entry, nowMs)),
      () => {
        if (entries.length === 0) {
          terminal.note('there are no callers: see "a2a-sdl callers add"');
          return;
        }
        terminal.table([
          ['NAME', 'STATE', 'BY', 'PEER', 'TENANT'],
          ...entries.map((entry) => [
            entry.name,
            stateOf(entry, nowMs),
            entry.proof.scheme,
            entry.peer ?? '-',
            entry.tenant ?? '-',
          ]),
        ]);
      },
    );
    return EXIT.ok;
  },
};
