// Owns which peer book a command works on, and the entry in it that the user names.

import type { PeerBook, PeerEntry } from '../keys/index.ts';
import type { CommandOption } from './command.ts';
import { failure } from './exit.ts';
import type { Role } from './home.ts';
import { ROLES } from './home.ts';
import type { OptionValues } from './option-values.ts';
import { suggest } from './suggest.ts';

export const BOOK_OPTION: CommandOption = {
  type: 'string',
  value: 'ROLE',
  description: 'whose book: agent or operator (default: agent, which the operator uses too)',
};

export function bookOf(options: OptionValues): Role {
  return options.oneOf('as', ROLES) ?? 'agent';
}

export function requirePeer(book: PeerBook, idOrName: string): PeerEntry {
  const entry = book.get(idOrName);
  if (entry !== undefined) return entry;
  const known = book.list().flatMap(({ agentId, name = agentId }) => [agentId, name]);
  const nearest = suggest(idOrName, known);
  throw failure('there is no peer of this id or name', {
    code: 'NO_PEER',
    next: nearest === undefined ? 'see "a2a-sdl peers list"' : `did you mean "${nearest}"?`,
  });
}
