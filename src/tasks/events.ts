// Owns the events of a task: a log without gaps, from which the task itself follows. SPEC.md section 8 (#exchange).

import type { JsonValue } from '../codec/value.ts';
import { joinArtifact, keepArtifacts } from './artifact.ts';
import type { TaskArtifact } from './artifact.ts';
import { joinChild } from './delegation.ts';
import type { TaskChild } from './delegation.ts';
import { RULES, isTerminal, isWaiting } from './task.ts';
import type {
  Task,
  TaskAction,
  TaskFailure,
  TaskMessage,
  TaskProgress,
  TaskState,
} from './task.ts';

export interface StatusChange {
  readonly type: 'status';
  readonly state: TaskState;
  /** Only with `failed` and `rejected`. */
  readonly failure?: TaskFailure;
  /** Only with `input-required` and `auth-required`. */
  readonly question?: JsonValue;
  /** Only with `working`: which attempt begins. */
  readonly attempt?: number;
  /** From now on. */
  readonly deadline?: number;
  /** Only with `working`: how much of each artifact the new attempt goes on from. @default nothing of any */
  readonly keep?: readonly number[];
  /** Only with `keep`: which of them had not ended, whatever came after. @default none */
  readonly open?: readonly number[];
}

/** What happened, before it has a place in the log. */
export type TaskChange =
  | StatusChange
  | { readonly type: 'progress'; readonly progress: TaskProgress }
  | { readonly type: 'artifact'; readonly artifact: TaskArtifact }
  /** Another agent was given a part of it, or told of that. */
  | { readonly type: 'delegation'; readonly child: TaskChild }
  | { readonly type: 'reply'; readonly reply: JsonValue; readonly deadline?: number };

interface Placed {
  /** 1 for the first event of a task, one more for each that follows. */
  readonly generation: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type TaskEvent = TaskChange & Placed;

const ACTIONS: Readonly<Record<Exclude<TaskState, 'submitted'>, TaskAction>> = {
  working: 'begin',
  'input-required': 'ask-input',
  'auth-required': 'ask-auth',
  completed: 'complete',
  failed: 'fail',
  canceled: 'cancel',
  rejected: 'reject',
};

/** What the change does to a task that was submitted; `undefined` for submitting it. */
export function actionOf(change: TaskChange): TaskAction | undefined {
  if (change.type !== 'status') return change.type;
  return change.state === 'submitted' ? undefined : ACTIONS[change.state];
}

/** What is needed of a task to judge a change. */
export interface Standing {
  readonly state: TaskState;
  readonly failure?: TaskFailure;
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
    change.state === state &&
    change.failure?.code === failure?.code;
  return isSame ? 'same' : 'refused';
}

/** The task after the event. An event that the table does not allow is a programming error. */
export function applyEvent(task: Task, event: TaskEvent): Task {
  if (event.generation !== task.generation + 1) {
    throw new RangeError(`"generation" expected ${task.generation + 1}`);
  }
  const next = { ...task, generation: event.generation, updatedAt: event.at };
  // A task starts as submitted by its first event.
  if (task.generation === 0 && event.type === 'status' && event.state === 'submitted') return next;
  const state = judge(task, event);
  if (state === 'refused' || state === 'same') {
    throw new RangeError(`a task that is ${task.state} allows no ${actionOf(event) ?? 'start'}`);
  }
  switch (event.type) {
    case 'progress':
      return { ...next, progress: event.progress };
    case 'artifact':
      return { ...next, artifacts: joinArtifact(task.artifacts, event.artifact) };
    case 'delegation':
      return { ...next, children: joinChild(task.children, event.child) };
    case 'reply':
      return {
        ...withDeadline(next, event.deadline),
        state,
        history: [...task.history, messageOf('owner', event.reply, event)],
      };
    default:
      return applyStatus(next, event, state);
  }
}

function applyStatus(task: Task, event: StatusChange & Placed, state: TaskState): Task {
  const { failure, question, attempt = task.attempt + 1, keep = [], open, deadline } = event;
  if (state === 'working') {
    const { progress: _said, ...rest } = withDeadline(task, deadline);
    const artifacts = keepArtifacts(task.artifacts, keep, open);
    // A question that nobody answered is asked again if it still matters.
    const history = isWaiting(task.state) ? task.history.slice(0, -1) : task.history;
    return { ...rest, state, attempt, artifacts, history };
  }
  if (isTerminal(state)) {
    return { ...task, state, ...(failure !== undefined && { failure }) };
  }
  const asked = messageOf('agent', question ?? null, event);
  return { ...withDeadline(task, deadline), state, history: [...task.history, asked] };
}

function withDeadline(task: Task, deadline: number | undefined): Task {
  return deadline === undefined ? task : { ...task, deadline };
}

function messageOf(
  role: TaskMessage['role'],
  content: JsonValue,
  { generation, at }: Placed,
): TaskMessage {
  return { role, content, generation, at };
}
