// Owns one call of an author's `onTask`, from its start to what it ended with. SPEC.md section 8 (#task-answer).

import type { OnTask, TaskContext, TaskResult } from './task-context.ts';
import type { StatusChange, TaskEvent } from './task-events.ts';
import { TaskError, toFailure } from './task-error.ts';
import type { Task } from './task.ts';

/** How a call ended. */
export type Outcome = { readonly thrown?: unknown; readonly change: StatusChange };

/** Never throws: what is thrown inside becomes the failure of the task. */
export async function callAuthor(
  onTask: OnTask,
  task: Task,
  context: TaskContext,
): Promise<Outcome> {
  try {
    const result = await outcomeOf(onTask(task, context), context.signal);
    if (isOutput(result)) {
      await context.artifact(
        typeof result === 'string'
          ? { name: 'result', text: result }
          : { name: 'result', json: result },
      );
    }
    return { change: { type: 'status', state: 'completed' } };
  } catch (thrown) {
    const state = thrown instanceof TaskError && thrown.rejects ? 'rejected' : 'failed';
    return { thrown, change: { type: 'status', state, failure: toFailure(thrown) } };
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

const recorded = new WeakSet<object>();

/** Marks what `context` returned: it is no output when an author returns it. */
export function markRecorded(event: TaskEvent): TaskEvent {
  recorded.add(event);
  return event;
}

function isOutput(result: TaskResult): result is Exclude<TaskResult, TaskEvent | undefined | void> {
  if (result === undefined) return false;
  return typeof result !== 'object' || result === null || !recorded.has(result);
}
