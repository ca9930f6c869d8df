// Owns the command `peers relax`: lets a peer start anew that has to speak less securely than before.
// SPEC.md section 6 (#sec-reply-strength).

import { createModeLatch } from '../src/security/index.ts';
import type { Action } from './command.ts';
import { EXIT } from './exit.ts';
import { openBook } from './identities.ts';
import { openStore } from './open-store.ts';
import { BOOK_OPTION, bookOf, requirePeer } from './peers-book.ts';

export const peersRelaxCommand: Action = {
  name: 'relax',
  summary: 'accept a weaker mode from a peer than it has spoken before',
  parameters: [{ name: 'PEER', description: 'its agent id or its name' }],
  options: {
    as: BOOK_OPTION,
    store: {
      type: 'string',
      value: 'URL',
      description:
        'where it is kept (default: data/store.db in the home; with --as operator data/operator.db)',
    },
  },
  notes: [
    'A peer that has once spoken encrypted is refused when it stops, since that may be somebody in\n' +
      'between. Its minimum mode ("peers set --min-mode") counts on.',
  ],
  examples: ['a2a-sdl peers relax alice'],
  async run({ words, options, terminal, home, now }) {
    const role = bookOf(options);
    const book = await openBook(home, role);
    const { agentId, name } = requirePeer(book, words[0]!);
    const path = role === 'operator' ? home.operatorStore : home.store;
    const store = await openStore(options.text('store') ?? `sqlite:${path}`, now);
    try {
      await createModeLatch(store).reset(agentId);
    } finally {
      await store.close();
    }
    terminal.result({ agent_id: agentId, relaxed: true }, () => {
      terminal.print(`${name ?? agentId} may speak in a weaker mode again`);
    });
    return EXIT.ok;
  },
};
