// Owns the commands `peers list` and `peers show`.

import type { PeerEntry } from '../../keys/index.ts';
import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { openBook } from '../home/identities.ts';
import { peerDocument, peerRows } from './view.ts';
import { BOOK_OPTION, bookOf, openPeer } from './book.ts';

export const peersListCommand: Action = {
  name: 'list',
  summary: 'list the peers',
  options: { as: BOOK_OPTION },
  notes: [
    'The agent’s book says who may speak to the daemon; the operator’s, whom the command line knows besides.',
  ],
  examples: ['a2a-sdl peers list', 'a2a-sdl peers list --as operator --json'],
  async run({ options, terminal, home, crypto, now }) {
    const role = bookOf(options);
    const entries = (await openBook(home, role)).list();
    const nowMs = now();
    terminal.result(
      entries.map((entry) => peerDocument({ role, entry }, crypto)),
      () => {
        if (entries.length === 0) {
          terminal.note(`the book of the ${role} is empty: see "a2a-sdl peers add"`);
          return;
        }
        terminal.print(`the book of the ${role}:`);
        terminal.table([['NAME', 'STATE', 'AGENT ID', 'URL'], ...entries.map(toRow(nowMs))]);
      },
    );
    return EXIT.ok;
  },
};

export const peersShowCommand: Action = {
  name: 'show',
  summary: 'show one peer',
  parameters: [{ name: 'PEER', description: 'its name, or its agent id or the beginning of that' }],
  options: { as: BOOK_OPTION },
  examples: ['a2a-sdl peers show operator', 'a2a-sdl peers show alice --json'],
  async run(context) {
    const { words, terminal, crypto } = context;
    const peer = await openPeer(context, words[0]!);
    terminal.result(peerDocument(peer, crypto), () => terminal.table(peerRows(peer, crypto)));
    return EXIT.ok;
  },
};

function toRow(nowMs: number): (entry: PeerEntry) => string[] {
  return (entry) => [
    entry.name ?? '-',
    stateOf(entry, nowMs),
    entry.agentId,
    entry.endpoints[0] ?? '-',
  ];
}

function stateOf({ revoked, notBefore, notAfter }: PeerEntry, nowMs: number): string {
  if (revoked) return 'revoked';
  if (notAfter !== undefined && notAfter < nowMs) return 'ended';
  return notBefore !== undefined && notBefore > nowMs ? 'later' : 'known';
}
