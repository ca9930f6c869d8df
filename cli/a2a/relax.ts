// Owns `peers relax` for an agent of official A2A that was reached sealed, and cannot be any more. SPEC.md section 20.1
// (#a2a-client-sealed-latch).

import { placesIn } from '../../profiles/a2a/client/sealing/places.ts';
import { ReachedAgents } from '../../profiles/a2a/client/sealing/reached.ts';
import type { Store } from '../../src/stores/index.ts';
import type { CommandContext } from '../kit/command.ts';
import { A2aAgentBook } from './book.ts';

/** The address of the agent that the user names, if it is one of official A2A. */
export async function a2aAddressOf(
  word: string,
  { home }: Pick<CommandContext, 'home'>,
): Promise<string | undefined> {
  const known = (await A2aAgentBook.open(home)).get(word);
  if (known !== undefined) return known.cardUrl;
  return /^https?:\/\//i.test(word) && URL.canParse(word) ? word : undefined;
}

/** False where none was reached sealed there. */
export function relaxAgentAt(url: string, store: Store): Promise<boolean> {
  return new ReachedAgents(placesIn(store)).reset(url);
}
