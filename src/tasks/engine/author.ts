// Owns one call of an author's `onTask`, from its start to what it ended with. SPEC.md section 8 (#task-answer).

import type { JsonValue } from '../../codec/value.ts';
import type { Artifact, ArtifactInput } from '../artifact.ts';
import type { AuthorTask, OnTask, TaskContext, TaskResult } from '../context.ts';
import { TaskError, toFailure } from '../error.ts';
import type { StatusChange, TaskEvent } from '../event.ts';
import type { Message } from '../message.ts';
import { isMessage } from '../message.ts';

/** How a call ended. */
export interface AuthorEnd {
  readonly thrown?: unknown;
  readonly change: StatusChange;
  /** The author had been told to stop: how it ended says nothing about the task. */
  readonly wasStopped: boolean;
}

/** What the call needs of the attempt that it is. */
export interface AuthorRun {
  readonly context: () => TaskContext;
  /** What the attempt goes on from. */
  readonly artifacts: readonly Artifact[];
  /** It was told to stop. */
  readonly isStopped: () => boolean;
  /** Hands over what was yielded or returned. A promise only when it is better to wait. */
  readonly output: (input: ArtifactInput) => Promise<unknown> | undefined;
}

const COMPLETED: StatusChange = Object.freeze({
  type: 'status',
  status: Object.freeze({ state: 'completed' }),
});

/** Never throws: what is thrown inside becomes the failure of the task. */
export async function callAuthor(
  onTask: OnTask,
  task: AuthorTask,
  run: AuthorRun,
): Promise<AuthorEnd> {
  let wasStopped = false;
  try {
    const output = new AuthorOutput(run);
    let result: TaskResult;
    try {
      const running = onTask(task, run.context());
      result = isAsyncGenerator(running)
        ? await exhausted(running, run, output)
        : assertNoGenerator(await running);
    } finally {
      wasStopped = run.isStopped();
    }
    // It goes with the end: nobody waits for it alone.
    void output.take(result)?.catch(() => undefined);
    return { change: COMPLETED, wasStopped };
  } catch (thrown) {
    return { thrown, change: { type: 'status', status: statusAfter(thrown) }, wasStopped };
  }
}

function statusAfter(thrown: unknown): StatusChange['status'] {
  if (thrown instanceof TaskError && thrown.cancels) return { state: 'canceled' };
  const state = thrown instanceof TaskError && thrown.rejects ? 'rejected' : 'failed';
  return { state, failure: toFailure(thrown) };
}

async function exhausted(
  running: AsyncGenerator<TaskResult, TaskResult>,
  run: AuthorRun,
  output: AuthorOutput,
): Promise<TaskResult> {
  let step = await running.next();
  while (step.done !== true) {
    // A generator that does not look at the signal ends at its next yield.
    if (run.isStopped()) return (await running.return(undefined)).value;
    let isTaken = true;
    try {
      const taking = output.take(step.value);
      if (taking !== undefined) await taking;
    } catch (thrown) {
      isTaken = false;
      // What cannot be handed over is thrown where it was yielded.
      step = await running.throw(thrown);
    }
    if (isTaken) step = await running.next();
  }
  return step.value;
}

const OUTPUT_NAME = 'result';

/** Text and JSON that an author yields or returns is output, as if it were given to `context.artifact`. */
class AuthorOutput {
  readonly #run: AuthorRun;
  /** The newest output of this name is text that more text continues. */
  #isGrowing: boolean;

  constructor(run: AuthorRun) {
    this.#run = run;
    const newest = run.artifacts.findLast(({ name }) => name === OUTPUT_NAME);
    const last = newest?.parts.at(-1);
    this.#isGrowing = last !== undefined && 'text' in last && newest?.isComplete === false;
  }

  take(result: TaskResult): Promise<unknown> | undefined {
    if (!isOutput(result)) {
      // The author's own, which it may have ended.
      if (isOutputEvent(result)) this.#isGrowing = false;
      return undefined;
    }
    try {
      const taking = this.#run.output(inputOf(result, this.#isGrowing));
      this.#isGrowing = typeof result === 'string';
      return taking;
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw outputError(
        `what the agent handed over is neither text nor JSON: ${cause.message}`,
        cause,
      );
    }
  }
}

function inputOf(result: JsonValue | Message, isGrowing: boolean): ArtifactInput {
  const name = OUTPUT_NAME;
  if (typeof result === 'string') return { name, text: result, append: isGrowing };
  return isMessage(result) ? { name, parts: result.parts } : { name, json: result };
}

function isOutputEvent(result: TaskEvent | undefined | void): boolean {
  return result?.type === 'artifact' && result.artifact.name === OUTPUT_NAME;
}

/** A module in JavaScript may return what the types do not allow. */
function isAsyncGenerator(value: unknown): value is AsyncGenerator<TaskResult, TaskResult> {
  if (typeof value !== 'object' || value === null) return false;
  return Symbol.asyncIterator in value && typeof (value as { next?: unknown }).next === 'function';
}

function assertNoGenerator(result: TaskResult): TaskResult {
  if (typeof result !== 'object' || result === null) return result;
  if (typeof (result as { next?: unknown }).next !== 'function') return result;
  throw outputError(
    'onTask returned a generator that is not async, or a promise of one: write "async function*"',
  );
}

function outputError(message: string, cause?: unknown): TaskError {
  return new TaskError(message, { code: 'OUTPUT_INVALID', cause });
}

const recorded = new WeakSet<object>();

/** Marks what `context` returned: it is no output when an author yields or returns it. */
export function markRecorded(event: TaskEvent | undefined): TaskEvent | undefined {
  if (event !== undefined) recorded.add(event);
  return event;
}

function isOutput(result: TaskResult): result is JsonValue | Message {
  if (result === undefined) return false;
  return typeof result !== 'object' || result === null || !recorded.has(result);
}
