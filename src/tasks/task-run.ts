// Owns one run of an author's `onTask`, from its call to the change that ends the task. SPEC.md section 8 (#task-answer).

import type { OnTask, TaskContext, TaskResult } from './task-context.ts';
import type { TaskChange, TaskEvent } from './task-events.ts';
import { TaskError, toFailure } from './task-error.ts';
import type { Task } from './task.ts';

export interface TaskRunOptions {
  readonly onTask: OnTask;
  readonly task: Task;
  readonly context: TaskContext;
  /** Is this what `context` returned, not output? */
  readonly isRecorded: (value: object) => boolean;
  /** Told of an error that its author did not mean the owner to read. */
  readonly onUnexpected: (cause: unknown) => void;
}

/** Never throws: what is thrown inside becomes the failure of the task. */
export async function runTask(options: TaskRunOptions): Promise<TaskChange> {
  const { onTask, task, context, isRecorded, onUnexpected } = options;
  try {
    const result = await outcomeOf(onTask(task, context), context.signal);
    if (isOutput(result, isRecorded)) {
      context.artifact(
        typeof result === 'string'
          ? { name: 'result', text: result }
          : { name: 'result', json: result },
      );
    }
    return { type: 'status', state: 'completed' };
  } catch (cause) {
    if (!(cause instanceof TaskError)) onUnexpected(cause);
    return { type: 'status', state: 'failed', failure: toFailure(cause) };
  }
}

async function outcomeOf(running: ReturnType<OnTask>, signal: AbortSignal): Promise<TaskResult> {
  if (!(Symbol.asyncIterator in running)) return running;
  for (;;) {
    const step = await running.next();
    if (step.done === true) return step.value;
    // A generator that does not look at the signal ends at its next yield.
    if (signal.aborted) return (await running.return(undefined)).value;
  }
}

function isOutput(
  result: TaskResult,
  isRecorded: (value: object) => boolean,
): result is Exclude<TaskResult, TaskEvent | undefined | void> {
  if (result === undefined) return false;
  return typeof result !== 'object' || result === null || !isRecorded(result);
}
