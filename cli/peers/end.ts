// Owns the commands `peers revoke` and `peers remove`.

import { A2aAgentBook } from '../a2a/book.ts';
import type { Action, Parameter } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { BOOK_OPTION, openPeer } from './book.ts';

const PEER: Parameter = {
  name: 'PEER',
  description: 'its name, or its agent id or the beginning of that',
};

export const peersRevokeCommand: Action = {
  name: 'revoke',
  summary: 'keep a peer out for good',
  parameters: [PEER],
  options: { as: BOOK_OPTION },
  notes: ['Its entry stays, so that it is refused even where strangers are welcome.'],
  examples: ['a2a-sdl peers revoke alice'],
  async run(context) {
    const { book, entry } = await openPeer(context, context.words[0]!);
    const { agentId, name } = entry;
    await book.revoke(agentId);
    context.terminal.result({ agent_id: agentId, revoked: true }, () => {
      context.terminal.print(`${name ?? agentId} is revoked`);
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
  async run(context) {
    const agents = await A2aAgentBook.open(context.home);
    const agent = agents.get(context.words[0]!);
    if (agent !== undefined) {
      const { name: called, cardUrl } = agent;
      await agents.remove(agent);
      context.terminal.result({ card_url: cardUrl, removed: true }, () => {
        context.terminal.print(`${called ?? cardUrl} is forgotten, and what was pinned of it`);
      });
      return EXIT.ok;
    }
    const { book, entry } = await openPeer(context, context.words[0]!);
    const { agentId, name } = entry;
    await book.remove(agentId);
    context.terminal.result({ agent_id: agentId, removed: true }, () => {
      context.terminal.print(`${name ?? agentId} is forgotten`);
    });
    return EXIT.ok;
  },
};
