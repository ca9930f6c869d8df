// Owns what an author's `onTask` gets beside the task: ways to report, to stop in time and to call tools.
// SPEC.md section 8 (#exchange).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import type { ArtifactInput } from './task-artifact.ts';
import { parseArtifact } from './task-artifact.ts';
import { plainText } from './plain-text.ts';
import type { TaskChange, TaskEvent } from './task-events.ts';
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

export interface TaskContext {
  /** Aborts when the task has ended: canceled, too late or because the agent stops. Then end soon. */
  readonly signal: AbortSignal;
  /** When the task fails if it has not ended. Milliseconds since the epoch. */
  readonly deadline: number;
  readonly tools: TaskTools;
  /** Tells the owner how far it is. Recorded when called, and ignored after the end. */
  readonly progress: (report: string | TaskProgress) => TaskEvent | undefined;
  /** Hands over output. Recorded when called, and ignored after the end. Throws when it is more than a task may. */
  readonly artifact: (input: ArtifactInput) => TaskEvent | undefined;
}

/** What a task ends with beside its artifacts: text or JSON becomes an artifact named `result`. */
export type TaskResult = JsonValue | TaskEvent | undefined | void;

/** Does the work: an async function, or an async generator that yields what `ctx` returned. */
export type OnTask = (
  task: Task,
  ctx: TaskContext,
) => Promise<TaskResult> | AsyncGenerator<TaskEvent | undefined, TaskResult>;

export interface TaskContextOptions {
  readonly signal: AbortSignal;
  readonly deadline: number;
  readonly tools: ToolBox;
  /** Gives the change its place in the log; `undefined` when the task has ended. */
  readonly record: (change: TaskChange) => TaskEvent | undefined;
}

export function createTaskContext(options: TaskContextOptions): TaskContext {
  const { signal, deadline, tools, record } = options;
  return Object.freeze({
    signal,
    deadline,
    tools: Object.freeze({
      has: (name: string) => tools.has(name),
      list: () => tools.list(),
      call: (name: string, args: JsonObject) => tools.call(name, args, signal),
    }),
    progress: (report: string | TaskProgress) =>
      record({ type: 'progress', progress: parseProgress(report) }),
    artifact: (input: ArtifactInput) =>
      record({ type: 'artifact', artifact: parseArtifact(input) }),
  });
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
