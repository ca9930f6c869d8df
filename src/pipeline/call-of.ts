// Owns who asks, for the door, of a message that has passed the checks: the message itself is what was admitted and
// recorded. ARCHITECTURE.md ("The door").

import type { CallContext } from '../door/call.ts';
import { coverCall } from '../door/covered.ts';
import type { Passage } from './passage.ts';

/** What the face knows of the call. */
export type CallFacts = Pick<CallContext, 'face' | 'received' | 'signal' | 'now'>;

export function callOf({ sender, granted, snapshot }: Passage, facts: CallFacts): CallContext {
  return coverCall({
    principal: {
      id: sender.peer.agentId,
      tenant: '',
      scheme: sender.key === undefined ? 'unsigned' : 'sdl',
    },
    agentId: snapshot.identity.agentId,
    ...(granted && {
      ceiling: {
        allow: { ct: granted.ct, tools: granted.tools },
        notAfterMs: granted.notAfterMs,
        isGrant: true,
      },
    }),
    ...facts,
  });
}
