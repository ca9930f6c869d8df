// Owns which calls came in an envelope: that message has its own entry in the audit log, its own outcome and its own
// place among the messages at work, so the door adds no second one. And which of them walk through a log.

import type { CallContext } from './call.ts';

const covered = new WeakSet<CallContext>();
const walks = new WeakSet<CallContext>();

/** For the pipeline alone. */
export function coverCall(call: CallContext): CallContext {
  covered.add(call);
  return call;
}

export function isCovered(call: CallContext): boolean {
  return covered.has(call);
}

/** The same call with another end, such as a time budget, or with more that is known of its message. */
export function changedCall(
  call: CallContext,
  changes: Partial<Pick<CallContext, 'signal' | 'received'>>,
): CallContext {
  const changed = { ...call, ...changes };
  return covered.has(call) ? coverCall(changed) : changed;
}

/** The same of one that goes through the log of a task for the sake of what it sends in the end: it says by itself which steps it sends. */
export function walkOf(call: CallContext, signal: AbortSignal): CallContext {
  const walk = changedCall(call, { signal });
  walks.add(walk);
  return walk;
}

export function isWalk(call: CallContext): boolean {
  return walks.has(call);
}
