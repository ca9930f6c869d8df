// Owns the command `peers set`: change what is known of a peer.

import type { Action } from '../kit/command.ts';
import { EXIT, usageError } from '../kit/exit.ts';
import { peerDocument, peerRows } from './view.ts';
import { BOOK_OPTION, openPeer } from './book.ts';
import { KEY_NOTE, PEER_OPTIONS, readPeerOptions } from './options.ts';

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
  async run(context) {
    const { words, options, terminal, crypto } = context;
    const changes = await readPeerOptions(options);
    if (Object.keys(changes).length === 0) {
      throw usageError('nothing to change', 'say what, such as --min-mode enc+sig');
    }
    const { book, role, entry } = await openPeer(context, words[0]!);
    const changed = { role, entry: await book.update(entry.agentId, changes) };
    terminal.result(peerDocument(changed, crypto), () => terminal.table(peerRows(changed, crypto)));
    return EXIT.ok;
  },
};
