// Owns which peer book a command works on, and the entry in it that the user names.

import type { PeerBook, PeerEntry } from '../../keys/index.ts';
import { A2aAgentBook } from '../a2a/book.ts';
import type { CommandContext, CommandOption } from '../kit/command.ts';
import { failure } from '../kit/exit.ts';
import type { Home, Role } from '../home/home.ts';
import { ROLES } from '../home/home.ts';
import { openBook, peerLike } from '../home/identities.ts';
import type { OptionValues } from '../kit/option-values.ts';
import { suggest } from '../kit/suggest.ts';

export const BOOK_OPTION: CommandOption = {
  type: 'string',
  value: 'ROLE',
  description: 'whose book: agent or operator (default: agent, which the operator uses too)',
};

export function bookOf(options: OptionValues): Role {
  return options.oneOf('as', ROLES) ?? 'agent';
}

/** A peer, and the book that it stands in. */
export interface NamedPeer {
  readonly role: Role;
  readonly book: PeerBook;
  readonly entry: PeerEntry;
}

/** The peer that the user names, in the book that the user names. */
export async function openPeer(
  { home, options }: Pick<CommandContext, 'home' | 'options'>,
  idOrName: string,
): Promise<NamedPeer> {
  const role = bookOf(options);
  const book = await openBook(home, role);
  const entry = book.get(idOrName) ?? peerLike(idOrName, book.list());
  if (entry !== undefined) return { role, book, entry };
  const agent = (await A2aAgentBook.open(home)).get(idOrName);
  if (agent !== undefined) {
    throw failure('this is an agent of official A2A: it speaks no envelopes', {
      code: 'NOT_A_PEER',
      next: 'there are "peers show" and "peers remove" for it; "peers add" brings it up to date',
    });
  }
  throw failure(`there is no peer of this id or name in the book of the ${role}`, {
    code: 'NO_PEER',
    next: await whereElse(home, role, idOrName, book),
  });
}

async function whereElse(
  home: Home,
  role: Role,
  idOrName: string,
  book: PeerBook,
): Promise<string> {
  const other = ROLES.find((candidate) => candidate !== role)!;
  if ((await openBook(home, other)).get(idOrName) !== undefined) {
    return `it is in the book of the ${other}: add --as ${other}`;
  }
  const agents = (await A2aAgentBook.open(home)).list();
  const known = [
    ...book.list().flatMap(({ agentId, name = agentId }) => [agentId, name]),
    ...agents.flatMap(({ name }) => (name === undefined ? [] : [name])),
  ];
  const nearest = suggest(idOrName, known);
  return nearest === undefined ? 'see "a2a-sdl peers list"' : `did you mean "${nearest}"?`;
}
