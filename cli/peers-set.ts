// Owns the command `peers set`: change what is known of a peer.

import type { Action } from './command.ts';
import { EXIT, usageError } from './exit.ts';
import { openBook } from './identities.ts';
import { peerDocument, peerRows } from './peer-view.ts';
import { BOOK_OPTION, bookOf, requirePeer } from './peers-book.ts';
import { KEY_NOTE, PEER_OPTIONS, readPeerOptions } from './peers-options.ts';

export const peersSetCommand: Action = {
  name: 'set',
  summary: 'change what is known of a peer',
  parameters: [{ name: 'PEER', description: 'its agent id or its name' }],
  options: { ...PEER_OPTIONS, as: BOOK_OPTION },
  notes: ['What is given replaces what was there; the rest stays.', KEY_NOTE],
  examples: [
    'a2a-sdl peers set alice --min-mode enc+sig',
    'a2a-sdl peers set alice --allow-ct task.v1 --allow-ct toolcall.v1',
  ],
  async run({ words, options, terminal, home, crypto }) {
    const changes = await readPeerOptions(options);
    if (Object.keys(changes).length === 0) {
      throw usageError('nothing to change', 'say what, such as --min-mode enc+sig');
    }
    const book = await openBook(home, bookOf(options));
    const { agentId } = requirePeer(book, words[0]!);
    const entry = await book.update(agentId, changes);
    terminal.result(peerDocument(entry, crypto), () => terminal.table(peerRows(entry, crypto)));
    return EXIT.ok;
  },
};
