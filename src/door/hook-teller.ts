// Owns what a face that has hooks is asked to do: tell one step of a task to somebody outside. ARCHITECTURE.md ("Hooks").

import type { TaskStep } from '../tasks/event.ts';
import type { TaskHook } from '../tasks/hook.ts';

/** One thing that a hook is told. */
export interface HookNotice {
  readonly hook: TaskHook;
  /** Without an event it is the whole task: the first thing that a hook is told is always that. */
  readonly step: TaskStep;
  /** The task has ended: nothing follows. */
  readonly isLast: boolean;
  /** The same whenever this is told again, and never that of anything else. */
  readonly deliveryId: string;
  /** The task as it was submitted and all of its steps up to now, for a face whose words depend on what came before. */
  readonly earlier: () => AsyncIterable<TaskStep>;
}

/**
 * told: the next one may follow; also for what this face has no words for. gone: it wants to hear no more. later: it
 * could not be told; with a number, not before so many milliseconds.
 */
export type HookAnswer = 'told' | 'gone' | 'later' | { readonly later: number };

export interface HookTeller {
  /** In the order of the log. It may be told twice, but never at the same time if this ends soon after `signal` aborts. */
  tell(notice: HookNotice, signal: AbortSignal): Promise<HookAnswer>;
}
