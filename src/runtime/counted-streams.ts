// Owns the count of senders that take the events of their request now.

import type { Receive, Reply } from '../transport.ts';
import type { Counters } from './counters.ts';

/** Does the same, and counts each stream from its first to its last reply, also when its sender leaves in between. */
export function countStreams(receive: Receive, counters: Counters): Receive {
  return (inbound) => {
    const replies = receive(inbound);
    return inbound.wantsStream ? counted(replies, counters) : replies;
  };
}

async function* counted(replies: AsyncIterable<Reply>, counters: Counters): AsyncGenerator<Reply> {
  const close = counters.openStream();
  try {
    yield* replies;
  } finally {
    close();
  }
}
