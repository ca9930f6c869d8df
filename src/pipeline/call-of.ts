// Owns who asks, for the door, of a message that has passed the checks: the message itself is what was admitted and
// recorded. ARCHITECTURE.md ("The door").

import type { CallContext } from '../door/call.ts';
import { coverCall } from '../door/covered.ts';
import { NO_CERTIFICATE } from '../door/principal.ts';
import type { Passage } from './passage.ts';

/** What the face knows of the call. */
export type CallFacts = Pick<CallContext, 'face' | 'received' | 'signal' | 'now'>;

export function callOf(passage: Passage, facts: CallFacts): CallContext {
  const { sender, granted, snapshot, peer, ticket } = passage;
  const call: CallContext = {
    principal: {
      id: sender.peer.agentId,
      tenant: '',
      scheme: sender.key === undefined ? 'unsigned' : 'sdl',
      certificate: peer.certificate ?? NO_CERTIFICATE,
    },
    agentId: snapshot.identity.agentId,
    ...(granted && {
      ceiling: {
        allow: { ct: granted.ct, tools: granted.tools },
        notAfterMs: granted.notAfterMs,
        isGrant: true,
        grantedBy: granted.grantedBy,
      },
    }),
    ...facts,
  };
  return coverCall(call, ticket && { wait: () => ticket.wait() });
}
