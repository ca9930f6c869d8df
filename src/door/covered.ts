// Owns which calls came in an envelope: that message has its own entry in the audit log, its own outcome and its own
// place among the messages at work, so the door adds no second one. And which of them walk through a log,
// and which are for the task of somebody else, whom the caller carries for.

import type { TaskScope } from '../tasks/task.ts';
import type { CallContext } from './call.ts';

const covered = new WeakSet<CallContext>();
const walks = new WeakSet<CallContext>();
const carried = new WeakMap<CallContext, CarriedTask>();

/** A task that is not the caller's: it only carries what the two ends of it have sealed. */
interface CarriedTask {
  readonly id: string;
  readonly scope: Required<TaskScope>;
}

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
  const { principal, face, agentId, ceiling, received, now } = call;
  // Member by member: the signal of a call may be one that is made only for who asks for it.
  const changed: CallContext = {
    principal,
    face,
    agentId,
    ...(ceiling !== undefined && { ceiling }),
    ...(received !== undefined && { received }),
    signal: changes.signal ?? call.signal,
    now,
    ...changes,
  };
  const task = carried.get(call);
  if (task !== undefined) carried.set(changed, task);
  return covered.has(call) ? coverCall(changed) : changed;
}

/** For the door alone, which has found that the caller carries this task: the same call, for this one. */
export function carryCall(call: CallContext, task: CarriedTask): CallContext {
  const changed = changedCall(call, {});
  carried.set(changed, task);
  return changed;
}

/** Whose task it is that the caller carries; `undefined` for every other one. */
export function carriedScope(call: CallContext, id: string): Required<TaskScope> | undefined {
  const task = carried.get(call);
  return task?.id === id ? task.scope : undefined;
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
