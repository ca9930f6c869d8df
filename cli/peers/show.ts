// Owns the commands `peers list` and `peers show`.

import type { PeerEntry } from '../../keys/index.ts';
import { A2aAgentBook } from '../a2a/book.ts';
import { knownDocument, knownRows } from '../a2a/view.ts';
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
    'The agent’s book says who may speak to the daemon; the operator’s, whom the command line knows besides.\n' +
      'Agents of official A2A, which are spoken to and do not speak to the daemon, are listed with both.',
  ],
  examples: ['a2a-sdl peers list', 'a2a-sdl peers list --as operator --json'],
  async run({ options, terminal, home, crypto, now }) {
    const role = bookOf(options);
    const entries = (await openBook(home, role)).list();
    const agents = (await A2aAgentBook.open(home)).list();
    const nowMs = now();
    const documents = entries.map((entry) => peerDocument({ role, entry }, crypto));
    terminal.result([...documents, ...agents.map(knownDocument)], () => {
      if (entries.length === 0) {
        terminal.note(`the book of the ${role} is empty: see "a2a-sdl peers add"`);
      } else {
        terminal.print(`the book of the ${role}:`);
        terminal.table([['NAME', 'STATE', 'AGENT ID', 'URL'], ...entries.map(toRow(nowMs))]);
      }
      if (agents.length === 0) return;
      terminal.print('agents of official A2A:');
      terminal.table([
        ['NAME', 'CARD', 'PROVEN BY'],
        ...agents.map(({ name, cardUrl, keys }) => [
          name ?? '-',
          cardUrl,
          keys.length === 0 ? 'nothing' : 'pinned key',
        ]),
      ]);
    });
    return EXIT.ok;
  },
};

export const peersShowCommand: Action = {
  name: 'show',
  summary: 'show one peer',
  parameters: [
    {
      name: 'PEER',
      description: 'its name, its agent id or the beginning of that, or the URL of its A2A card',
    },
  ],
  options: { as: BOOK_OPTION },
  examples: ['a2a-sdl peers show operator', 'a2a-sdl peers show alice --json'],
  async run(context) {
    const { words, terminal, crypto, home } = context;
    const agent = (await A2aAgentBook.open(home)).get(words[0]!);
    if (agent !== undefined) {
      terminal.result(knownDocument(agent), () => terminal.table(knownRows(agent)));
      return EXIT.ok;
    }
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
