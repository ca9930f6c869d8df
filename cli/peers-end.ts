// Owns the commands `peers revoke` and `peers remove`.

import type { Action, Parameter } from './command.ts';
import { EXIT } from './exit.ts';
import { openBook } from './identities.ts';
import { BOOK_OPTION, bookOf, requirePeer } from './peers-book.ts';

const PEER: Parameter = { name: 'PEER', description: 'its agent id or its name' };

export const peersRevokeCommand: Action = {
  name: 'revoke',
  summary: 'keep a peer out for good',
  parameters: [PEER],
  options: { as: BOOK_OPTION },
  notes: ['Its entry stays, so that it is refused even where strangers are welcome.'],
  examples: ['a2a-sdl peers revoke alice'],
  async run({ words, options, terminal, home }) {
    const book = await openBook(home, bookOf(options));
    const { agentId, name } = requirePeer(book, words[0]!);
    await book.revoke(agentId);
    terminal.result({ agent_id: agentId, revoked: true }, () => {
      terminal.print(`${name ?? agentId} is revoked`);
    });
    return EXIT.ok;
  },
};

export const peersRemoveCommand: Action = {
  name: 'remove',
  summary: 'forget a peer',
  parameters: [PEER],
  options: { as: BOOK_OPTION },
  notes: [
    'It is a stranger then. To keep it out where strangers are welcome, revoke it. The agent and the\n' +
      'operator of this home are entered again by the next "init" or "serve".',
  ],
  examples: ['a2a-sdl peers remove alice'],
  async run({ words, options, terminal, home }) {
    const book = await openBook(home, bookOf(options));
    const { agentId, name } = requirePeer(book, words[0]!);
    await book.remove(agentId);
    terminal.result({ agent_id: agentId, removed: true }, () => {
      terminal.print(`${name ?? agentId} is forgotten`);
    });
    return EXIT.ok;
  },
};
