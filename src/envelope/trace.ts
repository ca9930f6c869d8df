// Owns where a message stands in a chain of calls. SPEC.md section 2 (#trace, #trace-forward, #trace-reply).

import { SdlError } from '../errors.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { Trace } from './types.ts';

export function startTrace(newId: () => string): Trace {
  return { root_id: newId(), span_id: newId(), hops: 0 };
}

/** The trace of a message that is sent because of another. Throws LIMIT_HOPS instead of making one too far. */
export function forwardTrace(
  cause: Trace,
  newId: () => string,
  maxHops: number = DEFAULT_LIMITS.maxHops,
): Trace {
  if (cause.hops >= maxHops) {
    throw new SdlError('LIMIT_HOPS', `the message has already travelled ${cause.hops} hops`, {
      details: { path: '/trace/hops', limit: maxHops },
    });
  }
  return { ...answerTo(cause, newId), hops: cause.hops + 1 };
}

/** The trace of a reply: it goes back, not further. */
export function replyTrace(request: Trace, newId: () => string): Trace {
  return answerTo(request, newId);
}

function answerTo(cause: Trace, newId: () => string): Trace {
  return {
    root_id: cause.root_id,
    span_id: newId(),
    parent_span_id: cause.span_id,
    hops: cause.hops,
  };
}
