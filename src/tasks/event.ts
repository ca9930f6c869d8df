// Owns the events of a task: a log without gaps, from which the task itself follows. SPEC.md section 8 (#exchange).

import type { ArtifactContent, ArtifactPiece, KeptArtifact } from './artifact.ts';
import { joinArtifact, keepArtifacts } from './artifact.ts';
import type { TaskChild } from './delegation.ts';
import { joinChild } from './delegation.ts';
import type { Message } from './message.ts';
import { RULES, isTerminal, isWaiting } from './task.ts';
import type { Task, TaskAction, TaskFailure, TaskState, TaskStatus } from './task.ts';

/** A status that is reached, or progress in the one that lasts. */
export interface StatusChange {
  readonly type: 'status';
  readonly status: Omit<TaskStatus, 'at' | 'asked'>;
  /** Only with `working`: which attempt begins. Without it, it is progress. */
  readonly attempt?: number;
  /** From now on. */
  readonly deadline?: number;
  /** Only with `attempt`: what it goes on from. @default nothing of any artifact */
  readonly keep?: readonly KeptArtifact[];
  /** Only with `completed`: its message is all of the answer. */
  readonly direct?: true;
}

/** The owner says something: an answer to the question of that generation, or more. */
interface MessageChange {
  readonly type: 'message';
  readonly message: Message;
  readonly answers?: number;
  readonly deadline?: number;
}

/** Output: new, in place of the artifact of that id, or the continuation of it. */
export interface ArtifactChange {
  readonly type: 'artifact';
  readonly artifact: ArtifactContent;
  readonly append?: true;
  readonly last?: true;
}

/** Another agent was given a part of it, or told of that. */
interface DelegationChange {
  readonly type: 'delegation';
  readonly child: TaskChild;
}

/** What happened, before it has a place in the log. */
export type TaskChange = StatusChange | MessageChange | ArtifactChange | DelegationChange;

interface Placed {
  /** 1 for the first event of a task, one more for each that follows. */
  readonly generation: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type StatusEvent = Omit<StatusChange, 'status'> & Placed & { readonly status: TaskStatus };

export type TaskEvent =
  StatusEvent | (MessageChange & Placed) | (ArtifactChange & Placed) | (DelegationChange & Placed);

/** A task, and the event that made it so. Without an event: look at all of it. */
export interface TaskStep {
  readonly task: Task;
  readonly event?: TaskEvent;
}

/** Each written out: of all events these come most often, and objects of one shape are quick to copy. */
export function artifactChange({ artifact, append, last }: ArtifactPiece): ArtifactChange {
  const type = 'artifact';
  if (append) return last ? { type, artifact, append, last } : { type, artifact, append };
  return last ? { type, artifact, last } : { type, artifact };
}

/** A change with its place. */
export function placeEvent(change: TaskChange, generation: number, at: number): TaskEvent {
  if (change.type !== 'status') return Object.freeze({ ...change, generation, at });
  return Object.freeze({
    ...change,
    status: Object.freeze({ ...change.status, at }),
    generation,
    at,
  });
}

const ACTIONS: Readonly<Record<Exclude<TaskState, 'submitted' | 'working'>, TaskAction>> = {
  'input-required': 'ask-input',
  'auth-required': 'ask-auth',
  completed: 'complete',
  failed: 'fail',
  canceled: 'cancel',
  rejected: 'reject',
};

/** What the change does to a task that was submitted; `undefined` for submitting it. */
export function actionOf(change: TaskChange): TaskAction | undefined {
  if (change.type === 'message') return change.answers === undefined ? 'message' : 'reply';
  if (change.type !== 'status') return change.type;
  const { state } = change.status;
  if (state === 'submitted') return undefined;
  if (state === 'working') return change.attempt === undefined ? 'progress' : 'begin';
  return ACTIONS[state];
}

/** What is needed of a task to judge a change. */
export interface Standing {
  readonly state: TaskState;
  readonly failure?: TaskFailure | undefined;
}

/** The state after the change; `same` if the task already ended in this way; `refused` if the change is not allowed. */
export function judge(standing: Standing, change: TaskChange): TaskState | 'same' | 'refused' {
  const { state, failure } = standing;
  const action = actionOf(change);
  const next = action && RULES[state][action];
  if (next !== undefined) return next;
  const isSame =
    isTerminal(state) &&
    change.type === 'status' &&
    change.status.state === state &&
    change.status.failure?.code === failure?.code;
  return isSame ? 'same' : 'refused';
}

/** The task after the event. An event that the table does not allow is a programming error. */
export function applyEvent(task: Task, event: TaskEvent): Task {
  const { generation } = event;
  if (generation !== task.generation + 1) {
    throw new RangeError(`"generation" expected ${task.generation + 1}`);
  }
  // A task starts as submitted by its first event.
  if (task.generation === 0 && event.type === 'status' && event.status.state === 'submitted') {
    return { ...task, generation, status: event.status };
  }
  const state = judge({ state: task.status.state, failure: task.status.failure }, event);
  if (state === 'refused' || state === 'same') {
    throw new RangeError(
      `a task that is ${task.status.state} allows no ${actionOf(event) ?? 'start'}`,
    );
  }
  switch (event.type) {
    case 'artifact': {
      const { artifact, append = false, last = false } = event;
      return {
        ...task,
        generation,
        artifacts: joinArtifact(task.artifacts, { artifact, append, last }),
      };
    }
    case 'delegation':
      return { ...task, generation, children: joinChild(task.children, event.child) };
    case 'message': {
      const status = state === task.status.state ? task.status : { state, at: event.at };
      const history = [...task.history, event.message];
      return withDeadline({ ...task, generation, status, history }, event.deadline);
    }
    default:
      return applyStatus({ ...task, generation }, event);
  }
}

function applyStatus(
  task: Task,
  { status, generation, attempt, keep = [], deadline, direct }: StatusEvent,
): Task {
  const { message, state } = status;
  if (state === 'working') {
    if (attempt === undefined && isWaiting(task.status.state)) return task;
    const next = withDeadline({ ...task, status }, deadline);
    if (attempt === undefined) return next;
    // What was asked and never answered is asked again if it still matters; it stays said.
    return { ...next, attempt, artifacts: keepArtifacts(task.artifacts, keep) };
  }
  return withDeadline(
    {
      ...task,
      status: isWaiting(state) ? { ...status, asked: generation } : status,
      ...(message !== undefined && { history: [...task.history, message] }),
      ...(direct === true && { direct }),
    },
    deadline,
  );
}

function withDeadline(task: Task, deadline: number | undefined): Task {
  return deadline === undefined ? task : { ...task, deadline };
}

/** Those who have seen all of `before` have seen more than the task has after this event. */
export function dropsOutput(before: Task, after: Task): boolean {
  if (before.artifacts === after.artifacts) return false;
  return before.artifacts.some((artifact) => {
    const kept = after.artifacts.find(({ id }) => id === artifact.id);
    if (kept === undefined || kept.parts.length < artifact.parts.length) return true;
    return (
      kept.parts.length === artifact.parts.length &&
      !isSameLength(kept.parts.at(-1), artifact.parts.at(-1))
    );
  });
}

function isSameLength(
  one: ArtifactContent['parts'][number] | undefined,
  other: typeof one,
): boolean {
  if (one === undefined || other === undefined) return one === other;
  if ('text' in one && 'text' in other) return one.text.length === other.text.length;
  if ('bytes' in one && 'bytes' in other) return one.bytes.length === other.bytes.length;
  return true;
}
