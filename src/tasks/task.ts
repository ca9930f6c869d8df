// Owns what a task is, and the one table of what may happen to it. SPEC.md sections 8 and 9 (#task-ids, #state-task).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import type { TaskArtifact } from './artifact.ts';
import type { TaskChild } from './delegation.ts';

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
    progress: state,
    artifact: state,
    delegation: state,
    reply: 'working',
    complete: 'completed',
    fail: 'failed',
    cancel: 'canceled',
    reject: 'rejected',
  });
}

/** State → what may happen in it → the state that follows. What is not listed is refused. */
export const RULES: Readonly<Record<TaskState, Rules>> = Object.freeze({
  submitted: { begin: 'working', fail: 'failed', cancel: 'canceled', reject: 'rejected' },
  working: {
    // Another attempt, after a crash or an error that asks for one.
    begin: 'working',
    progress: 'working',
    artifact: 'working',
    delegation: 'working',
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
}

export interface TaskProgress {
  readonly message: string;
  /** From 0 to 1. */
  readonly fraction?: number;
}

/** What agent and owner said to each other while the task ran: a question, or the reply to it. */
export interface TaskMessage {
  readonly role: 'agent' | 'owner';
  readonly content: JsonValue;
  /** The event that it came with. */
  readonly generation: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
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
  /** `context.task.deadline`: the task fails if it has not ended by then. Milliseconds since the epoch. */
  readonly deadline?: number;
  /** `constraints.priority`, −10 to 10: which of its owner's tasks goes first. */
  readonly priority: number;
  /** How long the requester waits for the answer; the task runs on afterwards. */
  readonly timeBudgetMs: number;
  /** The whole payload, without `authz`. */
  readonly payload: JsonObject;
}

/** Whose tasks: those of one caller in one tenant. To everybody else they do not exist. */
export interface TaskScope {
  /** The authenticated caller. */
  readonly owner: string;
  /** @default '' */
  readonly tenant?: string;
}

/** A task as it stands at one generation. Immutable; times are milliseconds since the epoch. */
export interface Task {
  readonly tenant: string;
  /** The authenticated caller. To everybody else there is no such task. */
  readonly owner: string;
  /** Unique among the tasks of its owner and tenant. */
  readonly id: string;
  readonly contextId?: string;
  readonly parent?: string;
  readonly request: TaskRequest;
  /** Notes of the code that started the task, for later. They are never sent. */
  readonly metadata: JsonObject;
  readonly state: TaskState;
  /** The number of events so far: 0 before the first. */
  readonly generation: number;
  /** How often work on it began. */
  readonly attempt: number;
  /** When it fails unless something happens. */
  readonly deadline?: number;
  readonly progress?: TaskProgress;
  /** Questions and replies, in order. */
  readonly history: readonly TaskMessage[];
  /** In the order in which they were begun. */
  readonly artifacts: readonly TaskArtifact[];
  /** What other agents do for it, in the order in which it was given to them. */
  readonly children: readonly TaskChild[];
  /** Only of a task that failed or was rejected. */
  readonly failure?: TaskFailure;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a task starts from. */
export interface TaskOrigin extends TaskScope {
  readonly id: string;
  readonly request: TaskRequest;
  /** @default none */
  readonly metadata?: JsonObject;
  readonly createdAt: number;
}

const NO_MEMBERS: JsonObject = Object.freeze({});

/** The task before its first event: every later one follows from it and the events. */
export function unstartedTask(origin: TaskOrigin): Task {
  const { owner, tenant = '', id, request, metadata = NO_MEMBERS, createdAt } = origin;
  const { contextId, parent, deadline } = request;
  return {
    tenant,
    owner,
    id,
    ...(contextId !== undefined && { contextId }),
    ...(parent !== undefined && { parent }),
    request,
    metadata,
    state: 'submitted',
    generation: 0,
    attempt: 0,
    ...(deadline !== undefined && { deadline }),
    history: [],
    artifacts: [],
    children: [],
    createdAt,
    updatedAt: createdAt,
  };
}
