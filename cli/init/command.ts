// Owns the command `init`.

import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { ensureHome } from '../home/init.ts';
import { PASSPHRASE_OPTION, readPassphrase } from '../home/passphrase-file.ts';

export const initCommand: Action = {
  name: 'init',
  summary: 'make the identities of this home',
  options: { 'passphrase-file': PASSPHRASE_OPTION },
  notes: [
    'Makes "agent", which the daemon is, and "operator", which the command line speaks as.\n' +
      'What is there already stays as it is, so it can be run again at any time.',
  ],
  examples: [
    'a2a-sdl init',
    'a2a-sdl init --home ./demo --passphrase-file ~/.config/a2a-passphrase',
  ],
  async run(context) {
    const { home, crypto, now, terminal } = context;
    const passphrase = await readPassphrase(context);
    const { identities, created } = await ensureHome(home, {
      crypto,
      now,
      ...(passphrase !== undefined && { passphrase }),
    });
    const { agent, operator } = identities;
    const result = {
      home: home.root,
      agent_id: agent.agentId,
      operator_id: operator.agentId,
      created: [...created],
    };
    terminal.result(result, () => {
      terminal.print(
        created.length === 0 ? 'nothing to do: this home is ready' : 'this home is ready',
      );
      terminal.table([
        ['home', home.root],
        ['agent', agent.agentId],
        ['operator', operator.agentId],
      ]);
      if (created.length > 0) terminal.note('next:  a2a-sdl serve');
    });
    return EXIT.ok;
  },
};
