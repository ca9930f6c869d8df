// Owns what an author's `onTask` gets beside the task: ways to report, to ask, to stop in time and to call tools.
// SPEC.md section 8 (#exchange).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import type { ArtifactInput } from './artifact.ts';
import type { Delegate, Delegation } from './delegation.ts';
import { parseArtifact } from './artifact.ts';
import { plainText } from './plain-text.ts';
import type { TaskChange, TaskEvent } from './events.ts';
import type { Task, TaskProgress } from './task.ts';

const MAX_PROGRESS_LENGTH = 1_000;

/** Tools that a task may use: those of the agent that its owner may call. */
export interface ToolBox {
  has(name: string): boolean;
  list(): readonly string[];
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<JsonValue>;
}

/** {@link ToolBox} with the task's own signal. */
export interface TaskTools {
  has(name: string): boolean;
  list(): readonly string[];
  call(name: string, args: JsonObject): Promise<JsonValue>;
}

export interface AskOptions {
  /** What is missing: something to know, or leave to do something. @default 'input' */
  readonly kind?: 'input' | 'auth';
}

/** Reports keep their order. They need not be awaited, but who awaits them goes no faster than they are stored. */
export interface TaskContext {
  /** Aborts when the task has ended, when this agent stops, or when it may no longer work on the task. Then end soon. */
  readonly signal: AbortSignal;
  /** When the task fails if it has not ended; it moves on by the time that the owner takes for a reply. */
  readonly deadline: number;
  /** From 1. A task is worked on again after a crash, or after an error that asks for it. */
  readonly attempt: number;
  /** What an earlier attempt gave to `checkpoint` last; its artifacts are those of that moment. */
  readonly restored: JsonValue | undefined;
  readonly tools: TaskTools;
  /** Tells the owner how far it is; resolves when it is stored. Ignored after the end, or when it comes too fast. */
  readonly progress: (report: string | TaskProgress) => Promise<TaskEvent | undefined>;
  /** Hands over output; resolves when it is stored. Ignored after the end. Throws when it is more than a task may. */
  readonly artifact: (input: ArtifactInput) => Promise<TaskEvent | undefined>;
  /**
   * Asks the owner, one question at a time, and waits for the reply, without taking a place at work: who goes on
   * working meanwhile takes one again with the next report. A later attempt is given the replies that came before, in
   * order and without asking again.
   */
  readonly ask: (question: JsonValue, options?: AskOptions) => Promise<JsonValue>;
  /** Gives a part of the task to another agent. */
  readonly delegate: Delegate;
  /** What the owner gave this agent with the task, to show to others: `authz.grants` of its request. */
  readonly grants: readonly JsonObject[];
  /** Keeps a value for a later attempt; resolves when it is stored. Replies given so far are not given to that again. */
  readonly checkpoint: (value: JsonValue) => Promise<void>;
}

/** What an author yields or returns: JSON becomes an artifact named `result`; so does text, which grows with more of it. */
export type TaskResult = JsonValue | TaskEvent | undefined | void;

/** Does the work: an async function, or an async generator that yields output, or what `ctx` returned. */
export type OnTask = (
  task: Task,
  ctx: TaskContext,
) => Promise<TaskResult> | AsyncGenerator<TaskResult, TaskResult>;

/** What a run does with what its author says. */
export interface RunControls {
  readonly signal: AbortSignal;
  readonly deadline: number;
  readonly attempt: number;
  readonly restored: JsonValue | undefined;
  /** Resolves with the event once it is stored; with `undefined` when it has no place. */
  report(change: TaskChange): Promise<TaskEvent | undefined>;
  ask(question: JsonValue, kind: 'input' | 'auth'): Promise<JsonValue>;
  keep(value: JsonValue): Promise<void>;
}

export function createTaskContext(
  run: RunControls,
  tools: ToolBox,
  { delegate, grants }: Delegation,
): TaskContext {
  const { signal, attempt, restored } = run;
  return Object.freeze({
    signal,
    attempt,
    restored,
    get deadline() {
      return run.deadline;
    },
    tools: Object.freeze({
      has: (name: string) => tools.has(name),
      list: () => tools.list(),
      call: (name: string, args: JsonObject) => tools.call(name, args, signal),
    }),
    progress: (report: string | TaskProgress) =>
      quiet(run.report({ type: 'progress', progress: parseProgress(report) })),
    artifact: (input: ArtifactInput) =>
      quiet(run.report({ type: 'artifact', artifact: parseArtifact(input) })),
    ask: (question: JsonValue, { kind = 'input' }: AskOptions = {}) =>
      quiet(run.ask(question, kind)),
    checkpoint: (value: JsonValue) => quiet(run.keep(value)),
    delegate,
    grants,
  });
}

/** Who does not await a report must not bring the process down when it cannot be stored: the run ends by itself. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function parseProgress(report: string | TaskProgress): TaskProgress {
  const { message, fraction } =
    typeof report === 'string' ? { message: report, fraction: undefined } : report;
  if (typeof message !== 'string') throw new TypeError('"message" expected a string');
  if (fraction !== undefined && !(fraction >= 0 && fraction <= 1)) {
    throw new RangeError('"fraction" expected a number from 0 to 1');
  }
  return Object.freeze({
    message: plainText(message, MAX_PROGRESS_LENGTH),
    // Not -0, which is another number on the wire.
    ...(fraction !== undefined && { fraction: fraction + 0 }),
  });
}
