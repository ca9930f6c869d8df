// Owns what a task is, and the one table of what may happen to it. SPEC.md sections 8 and 9 (#task-ids, #state-task).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import type { Artifact } from './artifact.ts';
import type { TaskChild } from './delegation.ts';
import type { Message } from './message.ts';

export type TaskState =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected';

/** What can happen to a task once it was submitted. */
export type TaskAction =
  | 'begin'
  | 'progress'
  | 'artifact'
  | 'delegation'
  | 'message'
  | 'ask-input'
  | 'ask-auth'
  | 'reply'
  | 'complete'
  | 'fail'
  | 'cancel'
  | 'reject';

type Rules = Readonly<Partial<Record<TaskAction, TaskState>>>;

const ENDED: Rules = Object.freeze({});

function waiting(state: TaskState): Rules {
  return Object.freeze({
    begin: 'working',
    // What the owner is asked is not hidden by it: it changes nothing.
    progress: state,
    artifact: state,
    delegation: state,
    message: state,
    reply: 'working',
    complete: 'completed',
    fail: 'failed',
    cancel: 'canceled',
    reject: 'rejected',
  });
}

/** State → what may happen in it → the state that follows. What is not listed is refused. */
export const RULES: Readonly<Record<TaskState, Rules>> = Object.freeze({
  submitted: {
    begin: 'working',
    message: 'submitted',
    // With an answer that was there before any work.
    complete: 'completed',
    fail: 'failed',
    cancel: 'canceled',
    reject: 'rejected',
  },
  working: {
    // Another attempt, after a crash or an error that asks for one.
    begin: 'working',
    progress: 'working',
    artifact: 'working',
    delegation: 'working',
    message: 'working',
    'ask-input': 'input-required',
    'ask-auth': 'auth-required',
    complete: 'completed',
    fail: 'failed',
    cancel: 'canceled',
    reject: 'rejected',
  },
  'input-required': waiting('input-required'),
  'auth-required': waiting('auth-required'),
  completed: ENDED,
  failed: ENDED,
  canceled: ENDED,
  rejected: ENDED,
});

/** The task has ended: nothing about it changes any more. */
export function isTerminal(state: TaskState): boolean {
  return RULES[state] === ENDED;
}

/** It waits for its owner, and for nobody else. */
export function isWaiting(state: TaskState): boolean {
  return state === 'input-required' || state === 'auth-required';
}

/** It goes on only when somebody does something: it has ended, or it waits for its owner. */
export function isResting(state: TaskState): boolean {
  return isTerminal(state) || isWaiting(state);
}

/** Why a task failed, in words that the owner may read. */
export interface TaskFailure {
  readonly code: string;
  readonly message: string;
  /** The same request may succeed later. */
  readonly retryable: boolean;
}

export interface TaskStatus {
  readonly state: TaskState;
  /** When this status began: of the last status, not of the last event. Milliseconds since the epoch. */
  readonly at: number;
  /** What the agent says with it: how far it is, its question, its last words. */
  readonly message?: Message;
  /** How far it is, from 0 to 1. */
  readonly fraction?: number;
  /** Only while it waits for its owner: the generation of its question. */
  readonly asked?: number;
  /** Only of a task that failed or was rejected. */
  readonly failure?: TaskFailure;
}

/** Whose tasks: those of one caller in one tenant. To everybody else they do not exist. */
export interface TaskScope {
  /** The authenticated caller. */
  readonly owner: string;
  /** @default '' */
  readonly tenant?: string;
}

/** What the task was asked for in, and private facts of that dialect: read by its face only, and never sent by others. */
export interface TaskSource {
  readonly face: string;
  /** As it came: no number has changed. */
  readonly value: JsonValue;
}

/** On whose word the task runs: what its rights are asked by, at each use and also after a restart. */
export interface TaskAuthority {
  /** How the owner was proven. */
  readonly scheme: string;
  /** The entry of the configuration that let it in. */
  readonly caller?: string;
  /** What came along with the request (`Ceiling` of the door). */
  readonly ceiling?: {
    readonly allow: { readonly ct: readonly string[]; readonly tools: readonly string[] };
    readonly notAfterMs: number;
    readonly isGrant?: true;
  };
}

/** A task as it stands at one generation. Immutable; times are milliseconds since the epoch. */
export interface Task {
  readonly tenant: string;
  /** The authenticated caller. To everybody else there is no such task. */
  readonly owner: string;
  /** Unique among the tasks of its owner and tenant. */
  readonly id: string;
  readonly contextId?: string;
  readonly kind?: string;
  /** The task that this one is a part of. */
  readonly parent?: string;
  /** When it fails unless something happens. */
  readonly deadline?: number;
  /** It ended with a message for an answer: it is left out of lists. */
  readonly direct?: true;
  readonly status: TaskStatus;
  /** The number of events so far: 0 before the first. */
  readonly generation: number;
  /** How often work on it began. */
  readonly attempt: number;
  /** The first is what was asked; then questions, replies and last words, in order. It is never cut. */
  readonly history: readonly Message[];
  /** In the order in which they were begun. */
  readonly artifacts: readonly Artifact[];
  /** What other agents do for it, in the order in which it was given to them. */
  readonly children: readonly TaskChild[];
  /** Public: its owner sees it. */
  readonly metadata: JsonObject;
  readonly source: TaskSource;
  readonly authority: TaskAuthority;
  readonly createdAt: number;
}

/** What a task starts from. */
export interface TaskOrigin {
  readonly tenant: string;
  readonly owner: string;
  readonly id: string;
  readonly contextId?: string;
  readonly kind?: string;
  readonly parent?: string;
  /** The task fails if it has not ended by then. */
  readonly deadline?: number;
  readonly message: Message;
  readonly metadata: JsonObject;
  readonly source: TaskSource;
  readonly authority: TaskAuthority;
  readonly createdAt: number;
}

/** The task before its first event: every later one follows from it and the events. */
export function unstartedTask(origin: TaskOrigin): Task {
  const { tenant, owner, id, message, metadata, source, authority, createdAt } = origin;
  return {
    tenant,
    owner,
    id,
    ...optionalFacts(origin),
    status: { state: 'submitted', at: createdAt },
    generation: 0,
    attempt: 0,
    history: [message],
    artifacts: [],
    children: [],
    metadata,
    source,
    authority,
    createdAt,
  };
}

type OptionalFacts = Pick<TaskOrigin, 'contextId' | 'kind' | 'parent' | 'deadline'>;

const NO_FACTS: OptionalFacts = Object.freeze({});

/** Those facts that a task may be without, as far as they are there. */
export function optionalFacts(facts: {
  readonly [name in keyof OptionalFacts]: OptionalFacts[name] | undefined;
}): OptionalFacts {
  const { contextId, kind, parent, deadline } = facts;
  const isPlain =
    contextId === undefined && kind === undefined && parent === undefined && deadline === undefined;
  if (isPlain) return NO_FACTS;
  const isInContext = kind === undefined && parent === undefined && deadline === undefined;
  if (isInContext && contextId !== undefined) return { contextId };
  return {
    ...(contextId !== undefined && { contextId }),
    ...(kind !== undefined && { kind }),
    ...(parent !== undefined && { parent }),
    ...(deadline !== undefined && { deadline }),
  };
}
