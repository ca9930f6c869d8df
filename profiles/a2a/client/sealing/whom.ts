// Owns whether an agent can be sealed to, and whose keys are its own: those of a verified card, or of the peer book.
// SPEC.md section 20.1 (#a2a-client-sealed, #a2a-client-sealed-latch).

import { SdlError } from '../../../../src/door/index.ts';
import type { KnownPeer } from '../../../../src/message/index.ts';
import { peerSource } from '../../../../src/message/index.ts';
import type { Peer } from '../../../../src/security/index.ts';
import type { CardVerdict } from '../../card/verify.ts';
import { SealedError } from '../../sealed/error.ts';
import type { SealedPeer } from '../../sealed/extension.ts';
import { sealedPeerOf } from '../../sealed/extension.ts';
import type { DiscoveredAgent } from '../discovery/discover.ts';
import { declaredIn } from './declared.ts';
import type { ResolvedSealing } from './options.ts';
import type { ReachedAgents } from './reached.ts';

type Found = Pick<DiscoveredAgent, 'card' | 'proof' | 'cardUrl'>;

/** An agent that is sealed to, or why none is. */
export type Whom =
  | { readonly to: KnownPeer; readonly agentId: string; readonly isRequired: boolean }
  | { readonly reason: string };

/**
 * Throws NOT_PROTECTED where it has to be sealed to and cannot be, and SENDER_REFUSED where it is another agent than the
 * one that was reached sealed there.
 */
export async function whomToSealTo(
  found: Found,
  typed: string,
  sealing: ResolvedSealing,
  reached: ReachedAgents,
  now: () => number,
): Promise<Whom> {
  const { policy, identity } = sealing;
  if (policy === 'none') return { reason: 'nothing is sealed to it, as it was set' };
  if (identity === undefined) {
    return orRefused(policy === 'require', 'there is no identity here that seals');
  }
  const before = await reached.at([typed, found.cardUrl]);
  const whom = await keysOf(found, sealing, now());
  if (typeof whom === 'string')
    return orRefused(policy === 'require' || before !== undefined, whom, before);
  const { agentId } = whom;
  if (before !== undefined && before !== agentId) {
    throw new SealedError(
      'SENDER_REFUSED',
      `the agent at ${found.cardUrl} was reached sealed before as ${before}, and now it is ${agentId}: somebody may be in between`,
    );
  }
  const entry = peerSource(sealing.peers, now()).snapshot().find(agentId);
  const isRequired = policy === 'require' || entry?.sealed === 'require';
  return { to: whom.to, agentId, isRequired: isRequired || before !== undefined };
}

function orRefused(isRefused: boolean, reason: string, before?: string): Whom {
  if (!isRefused) return { reason };
  const why =
    before === undefined ? 'nothing plain may be said to it' : 'it was reached sealed before';
  throw new SealedError(
    'NOT_PROTECTED',
    `the agent cannot be sealed to: ${reason}; ${why}, so nothing was sent`,
  );
}

/** Or why there are none. */
async function keysOf(
  found: Found,
  { to, peers, mode }: ResolvedSealing,
  nowMs: number,
): Promise<{ readonly to: KnownPeer; readonly agentId: string } | string> {
  const book = peerSource(peers, nowMs).snapshot();
  if (typeof to === 'string') {
    const entry = book.find(to);
    return entry === undefined ? `no peer is known as ${to}` : { to: entry, agentId: to };
  }
  if (to !== undefined) return { to, agentId: 'agentId' in to ? to.agentId : to.bundle.agentId };
  const declared = declaredIn(found.card.document);
  if (declared === undefined) return 'its card does not offer it';
  const { proof } = found;
  if (proof.kind === 'signed') {
    const verdict: CardVerdict = {
      ...proof,
      kind: 'verified',
      card: found.card.document,
      kid: proof.key.kid,
    };
    const peer = await keysIn(verdict, nowMs);
    if (typeof peer === 'string') return peer;
    const wanted = mode === 'enc+sig' ? mode : 'sig';
    if (!peer.accept.includes(wanted)) return `it takes no envelopes in mode ${wanted}`;
    return { to: book.find(peer.bundle.agentId) ?? peer, agentId: peer.bundle.agentId };
  }
  // Nobody vouches for the card: the peer book has to know that this agent is at this host.
  const entry = book.find(declared);
  if (entry !== undefined && isAt(entry, found.cardUrl)) return { to: entry, agentId: declared };
  return `its card offers it, and is not proven (${proof.reason})`;
}

async function keysIn(verdict: CardVerdict, nowMs: number): Promise<SealedPeer | string> {
  try {
    return (
      (await sealedPeerOf(verdict, { nowMs })) ??
      'its card offers it in a way that is not known here'
    );
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    return `the keys in its card do not hold (${thrown.code})`;
  }
}

function isAt({ endpoints, revoked }: Peer, cardUrl: string): boolean {
  return !revoked && endpoints.some((url) => hostOf(url) === hostOf(cardUrl));
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
