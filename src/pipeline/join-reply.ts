// Owns the wait of a copy of a message for the answer to the first, among the few that may wait. SPEC.md section 7
// (#replay-joiners).

import { untilAborted } from '../handlers/until-aborted.ts';
import type { Retry } from '../security/replay/replay.ts';
import type { Ticket } from './admission.ts';

/** Rejects as the reply does, and with LIMIT_RATE where too many copies wait. */
export async function joinReply({ run, reply }: Retry, ticket: Ticket): Promise<Uint8Array> {
  const crowding = new AbortController();
  const leave = ticket.join(run, (error) => crowding.abort(error));
  try {
    return await untilAborted(reply, crowding.signal);
  } finally {
    leave();
  }
}
