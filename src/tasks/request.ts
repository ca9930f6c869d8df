// Owns what tasks can be asked for and what comes back, whoever asks: the words that the door and the engine share.
// ARCHITECTURE.md ("The door").

import type { JsonObject } from '../codec/value.ts';
import type { Message } from './message.ts';
import type { TaskSummary } from './summary.ts';
import type { Task, TaskFailure, TaskSource, TaskState } from './task.ts';

/** What is to be done. */
export interface TaskRequest {
  readonly message: Message;
  /** What several tasks belong to. */
  readonly contextId?: string;
  readonly kind?: string;
  /** The task that this one is a part of. */
  readonly parent?: string;
  /** The task fails if it has not ended by then. Milliseconds since the epoch. */
  readonly deadline?: number;
  /** −10 to 10: which of its owner's tasks goes first. @default 0 */
  readonly priority?: number;
  /** Public: its owner sees it. @default none */
  readonly metadata?: JsonObject;
  readonly source: TaskSource;
  /** Two starts with one id are one task when their digests are equal. @default each start is a task of its own */
  readonly idempotency?: Idempotency;
  /** It cannot be done: stored as rejected with this, never run, and nobody is asked to accept it. @default it can */
  readonly rejection?: TaskFailure;
}

export interface Idempotency {
  /** The id of the task. */
  readonly id: string;
  readonly digest: string;
  /** The id was made here, in the same way for every repeat: the message named none. @default false */
  readonly isDerived?: boolean;
  /**
   * `retryable`: an equal start after a failure that may pass begins the task anew. A function is asked about the task
   * of this id once that has ended; where it says yes, what was is dropped and the start begins it anew, equal or not.
   * @default it joins the ended one
   */
  readonly rerun?: 'retryable' | ((ended: Task) => boolean);
  /** An equal start with a later deadline gives the running task the time until then. @default the first one counts */
  readonly extends?: true;
}

export interface StartedTask {
  readonly task: Task;
  /** False when an equal task of this id was there already. */
  readonly isNew: boolean;
}

export interface TaskFilter {
  /** @default any */
  readonly state?: TaskState;
  /** @default any */
  readonly contextId?: string;
  /** Only tasks whose last status is of this moment or later. Milliseconds since the epoch. @default any */
  readonly since?: number;
  /** 1 to 1000. @default 50 */
  readonly pageSize?: number;
  /** The `next` of an earlier page. @default from the first */
  readonly cursor?: string;
}

export interface TaskPage {
  /** Last status first. */
  readonly tasks: readonly TaskSummary[];
  /** Undefined when there are no more. */
  readonly next?: string;
  /** How many there are of this kind, on all pages. */
  readonly total: number;
}

/** A page with the tasks themselves. */
export interface WholeTaskPage extends TaskPage {
  /** In the order of the page; those that have gone meanwhile are missing. */
  readonly whole: readonly Task[];
}

export interface CanceledTask {
  readonly task: Task;
  /** It had ended before: this call changed nothing. */
  readonly hasEnded: boolean;
}
