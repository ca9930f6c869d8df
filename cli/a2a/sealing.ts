// Owns whether what is said to agents of official A2A is sealed, as the user has set it, and what a user is told of it.
// SPEC.md section 20.1 (#a2a-client-sealed, #a2a-client-sealed-latch).

import type { A2aAgent } from '../../profiles/a2a/client/agent.ts';
import { declaredIn } from '../../profiles/a2a/client/sealing/declared.ts';
import type { SealedPolicy } from '../../src/security/index.ts';
import type { KnownAgent } from './book.ts';

const STRICTEST: readonly SealedPolicy[] = ['require', 'prefer', 'none'];

/**
 * For the address that the user means. One at the origin of known agents that is none of theirs keeps to the strictest of
 * them: nobody gets around what was set by another address.
 */
export function sealedPolicyFor(url: string, agents: readonly KnownAgent[]): SealedPolicy {
  const own = agents.find(({ cardUrl }) => cardUrl === url);
  if (own !== undefined) return own.sealed ?? 'prefer';
  const origin = URL.canParse(url) ? new URL(url).origin : '';
  const there = agents.filter(({ cardUrl }) => new URL(cardUrl).origin === origin);
  const isSet = (policy: SealedPolicy): boolean =>
    there.some(({ sealed = 'prefer' }) => sealed === policy);
  return STRICTEST.find(isSet) ?? 'prefer';
}

/** Does the card of an agent say that it can be sealed to? */
export function offerWords({ card, proof }: Pick<A2aAgent, 'card' | 'proof'>): string {
  const agentId = declaredIn(card.document);
  if (agentId === undefined) return 'not offered: what is said to it can be read on the way';
  return proof.kind === 'signed'
    ? `offered, to ${agentId}`
    : `offered, to ${agentId}, by a card that is not proven: only with its keys in the peer book`;
}
