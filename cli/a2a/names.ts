// Owns that a name stands for one agent of this home, whatever it speaks.

import type { Home } from '../home/home.ts';
import { ROLES } from '../home/home.ts';
import { openBook } from '../home/identities.ts';
import { failure, usageError } from '../kit/exit.ts';
import { A2aAgentBook } from './book.ts';

/** Throws where a peer that speaks envelopes has this name. */
export async function assertNoPeer(home: Home, name: string): Promise<void> {
  if (/^[a-z]+:/i.test(name)) throw usageError('a name is no address', 'choose another name');
  for (const role of ROLES) {
    if (role === name || (await openBook(home, role)).get(name) !== undefined) throw taken(name);
  }
}

/** Throws where an agent of official A2A has this name. */
export async function assertNoA2aAgent(home: Home, name: string): Promise<void> {
  if ((await A2aAgentBook.open(home)).get(name) !== undefined) throw taken(name);
}

function taken(name: string): Error {
  return failure(`another agent is known as ${JSON.stringify(name)}`, {
    code: 'PEER_KNOWN',
    next: 'choose another name with --name',
  });
}
