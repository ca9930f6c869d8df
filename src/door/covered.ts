// Owns which calls came in an envelope: that message has its own entry in the audit log, its own outcome and its own
// place among the messages at work, so the door adds no second one.

import type { CallContext } from './call.ts';

const covered = new WeakSet<CallContext>();

/** For the pipeline alone. */
export function coverCall(call: CallContext): CallContext {
  covered.add(call);
  return call;
}

export function isCovered(call: CallContext): boolean {
  return covered.has(call);
}

/** The same call with another end, such as a time budget. */
export function withSignal(call: CallContext, signal: AbortSignal): CallContext {
  const narrowed = { ...call, signal };
  return covered.has(call) ? coverCall(narrowed) : narrowed;
}
