// Owns what a task is, and which state may follow which. SPEC.md sections 8 and 9 (#task-ids, #state-task).

import type { JsonObject } from '../codec/value.ts';
import type { TaskArtifact } from './task-artifact.ts';

export type TaskState =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected';

/** State → states that may follow it. Nothing follows the end. */
export const LIFECYCLE: Readonly<Record<TaskState, readonly TaskState[]>> = Object.freeze({
  submitted: ['working', 'rejected', 'failed', 'canceled'],
  working: ['input-required', 'auth-required', 'completed', 'failed', 'canceled'],
  'input-required': ['working', 'failed', 'canceled'],
  'auth-required': ['working', 'failed', 'canceled'],
  completed: [],
  failed: [],
  canceled: [],
  rejected: [],
});

export function mayFollow(from: TaskState, to: TaskState): boolean {
  return LIFECYCLE[from].includes(to);
}

/** The task has ended: nothing about it changes any more. */
export function isTerminal(state: TaskState): boolean {
  return LIFECYCLE[state].length === 0;
}

/** It goes on only when somebody does something: it has ended, or it waits for its owner. */
export function isResting(state: TaskState): boolean {
  return isTerminal(state) || state === 'input-required' || state === 'auth-required';
}

/** Why a task failed, in words that the owner may read. */
export interface TaskFailure {
  readonly code: string;
  readonly message: string;
}

export interface TaskProgress {
  readonly message: string;
  /** From 0 to 1. */
  readonly fraction?: number;
}

/** What was asked for: a `task.v1` payload, read. */
export interface TaskRequest {
  readonly goal: string;
  readonly inputs: JsonObject;
  /** `context.task.id`; the receiver makes one otherwise. */
  readonly id?: string;
  /** `context.task.kind` */
  readonly kind?: string;
  /** `context.task.parent`: the task that this one is a part of. */
  readonly parent?: string;
  /** `context.task.context_id`: what several tasks belong to. */
  readonly contextId?: string;
  /** How long the requester waits for the answer; the task runs on afterwards. */
  readonly timeBudgetMs: number;
  /** The whole payload, without `authz`. */
  readonly payload: JsonObject;
}

/** A task as it stands at one generation. Immutable; times are milliseconds since the epoch. */
export interface Task {
  /** The authenticated caller. To everybody else there is no such task. */
  readonly owner: string;
  /** Unique among the tasks of its owner. */
  readonly id: string;
  readonly request: TaskRequest;
  readonly state: TaskState;
  /** The number of events so far: 0 before the first. */
  readonly generation: number;
  readonly progress?: TaskProgress;
  /** In the order in which they were begun. */
  readonly artifacts: readonly TaskArtifact[];
  /** Only of a task that failed or was rejected. */
  readonly failure?: TaskFailure;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The task before its first event: every later one follows from it and the events. */
export function unstartedTask(
  owner: string,
  id: string,
  request: TaskRequest,
  createdAt: number,
): Task {
  return {
    owner,
    id,
    request,
    state: 'submitted',
    generation: 0,
    artifacts: [],
    createdAt,
    updatedAt: createdAt,
  };
}
