// Owns which keys speak for the node of a log: those that were given, else those that this home knows or the node
// proves itself. SPEC.md sections 6 and 10 (#sec-kid-bound, #audit).

import type { NodeKeys } from '../src/audit/index.ts';
import type { Peer, PeerKey } from '../src/security/index.ts';
import { createContacts, newPeer, withOwnKeys } from '../src/security/index.ts';
import type { AuditEvidence } from './audit-evidence.ts';
import type { CommandContext } from './command.ts';
import { failure } from './exit.ts';
import { peersOf } from './identities.ts';
import { withHomeStore } from './inspect-home.ts';
import { sentBundle } from './inspect-sender.ts';

export async function keysOfNode(
  evidence: AuditEvidence,
  given: readonly PeerKey[],
  context: CommandContext,
): Promise<NodeKeys> {
  const { node } = evidence;
  const keys = given.length > 0 ? given : (await knownNode(evidence, context)).signingKeys;
  if (keys.length === 0) {
    throw failure(`no key of ${node} is known here`, {
      code: 'NO_KEY',
      next: 'give it with --sign-key KID=KEY',
    });
  }
  return { node, publicKeys: new Map(keys.map(({ kid, key }) => [kid, key])) };
}

/** Ended keys too: they have spoken for the node in their time. */
async function knownNode(evidence: AuditEvidence, context: CommandContext): Promise<Peer> {
  const { node: agentId } = evidence;
  const { home, crypto, now } = context;
  const entry = (await peersOf(home, 'operator')).snapshot().find(agentId);
  if (entry?.revoked === true) {
    throw failure(`${agentId} is revoked in the peer book of this home`, {
      code: 'SENDER_REFUSED',
      next: 'if you still trust what a key of it signed, give that key with --sign-key KID=KEY',
    });
  }
  const { reply } = evidence;
  // Of another's message nothing speaks for the node.
  const isOwn = reply?.from.agent_id === agentId;
  const bundle =
    (isOwn ? await sentBundle(reply, context) : undefined) ??
    (await withHomeStore('agent', context, async (store) => {
      return (await createContacts(store, { crypto, now }).get(agentId))?.bundle;
    }));
  return withOwnKeys(entry ?? newPeer(agentId), bundle, now());
}
