// Owns what a user is told of an agent of official A2A: how its card was proven, and which of its addresses is used. Words
// of the agent itself are on one line, in quotes.

import type { CardKey } from '../../profiles/a2a/card/keys.ts';
import type { A2aAgent } from '../../profiles/a2a/client/agent.ts';
import type { CardProof } from '../../profiles/a2a/client/discovery/proof.ts';
import { thumbprintOf } from './thumbprint.ts';

export function keyWords(key: CardKey): string {
  return `${JSON.stringify(key.kid)}, thumbprint ${thumbprintOf(key)}`;
}

/** By what the card is known to be the agent's. */
export function proofWords(proof: CardProof, cardUrl: string | undefined): string {
  if (proof.kind === 'signed') {
    const { by, key, alg, form } = proof;
    const whose =
      by === 'pinned key' ? 'the key that is pinned' : 'a key that its origin publishes';
    return `signed (${alg}, ${form} form) by ${whose}: ${keyWords(key)}`;
  }
  if (cardUrl === undefined) return `not proven: ${proof.reason}`;
  const { origin } = new URL(cardUrl);
  const who = origin.startsWith('https:')
    ? `TLS vouches for ${origin} alone`
    : 'nobody vouches for it';
  return `not proven: ${proof.reason}; ${who}`;
}

/** In one line, for who wants to know more. */
export function connectedWords({ card, cardUrl, proof, chosen }: A2aAgent): string[] {
  const { binding, version, url, reason } = chosen;
  return [
    `the card of ${JSON.stringify(card.name)} at ${cardUrl}: ${proofWords(proof, cardUrl)}`,
    `spoken to in A2A ${version} over ${binding} at ${url}: ${reason}`,
  ];
}
