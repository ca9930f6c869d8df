// Owns one call of an author's `onTask`, from its start to what it ended with. SPEC.md section 8 (#task-answer).

import type { JsonValue } from '../../codec/value.ts';
import type { TaskArtifact } from '../artifact.ts';
import type { OnTask, TaskContext, TaskResult } from '../context.ts';
import type { StatusChange, TaskEvent } from '../events.ts';
import { TaskError, toFailure } from '../error.ts';
import type { Task } from '../task.ts';

/** How a call ended. */
export interface AuthorEnd {
  readonly thrown?: unknown;
  readonly change: StatusChange;
  /** The author had been told to stop: how it ended says nothing about the task. */
  readonly wasStopped: boolean;
}

/** Never throws: what is thrown inside becomes the failure of the task. */
export async function callAuthor(
  onTask: OnTask,
  task: Task,
  contextFor: () => TaskContext,
): Promise<AuthorEnd> {
  let wasStopped = false;
  try {
    const context = contextFor();
    const output = new AuthorOutput(context, task.artifacts);
    const result = await resultOf(onTask(task, context), context, output).finally(() => {
      wasStopped = context.signal.aborted;
    });
    await output.take(result);
    return { change: { type: 'status', state: 'completed' }, wasStopped };
  } catch (thrown) {
    const state = thrown instanceof TaskError && thrown.rejects ? 'rejected' : 'failed';
    return { thrown, change: { type: 'status', state, failure: toFailure(thrown) }, wasStopped };
  }
}

async function resultOf(
  running: ReturnType<OnTask>,
  context: TaskContext,
  output: AuthorOutput,
): Promise<TaskResult> {
  if (!isAsyncGenerator(running)) return assertNoGenerator(await running);
  let step = await running.next();
  while (step.done !== true) {
    // A generator that does not look at the signal ends at its next yield.
    if (context.signal.aborted) return (await running.return(undefined)).value;
    // What cannot be handed over is thrown where it was yielded.
    step = await output.take(step.value).then(
      () => running.next(),
      (thrown: unknown) => running.throw(thrown),
    );
  }
  return step.value;
}

const OUTPUT_NAME = 'result';
const TEXT = 'text/plain';

/** Text and JSON that an author yields or returns is output, as if it were given to `context.artifact`. */
class AuthorOutput {
  readonly #context: TaskContext;
  /** The newest output of this name is text that more text continues. */
  #isGrowing: boolean;

  /** @param kept what an earlier attempt left, which this one goes on from. */
  constructor(context: TaskContext, kept: readonly TaskArtifact[]) {
    this.#context = context;
    const newest = kept.findLast(({ name }) => name === OUTPUT_NAME);
    this.#isGrowing = newest?.mediaType === TEXT && newest.isLast !== true;
  }

  async take(result: TaskResult): Promise<void> {
    if (!isOutput(result)) {
      // The author's own, which it may have ended.
      if (isOutputEvent(result)) this.#isGrowing = false;
      return;
    }
    const name = OUTPUT_NAME;
    const isText = typeof result === 'string';
    try {
      await this.#context.artifact(
        isText
          ? { name, text: result, mediaType: TEXT, append: this.#isGrowing }
          : { name, json: result },
      );
      this.#isGrowing = isText;
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw outputError(
        `what the agent handed over is neither text nor JSON: ${cause.message}`,
        cause,
      );
    }
  }
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
export function markRecorded(event: TaskEvent): TaskEvent {
  recorded.add(event);
  return event;
}

function isOutput(result: TaskResult): result is JsonValue {
  if (result === undefined) return false;
  return typeof result !== 'object' || result === null || !recorded.has(result);
}
