// Owns waiting for a task to rest: for blocking calls, time budgets and times to live of any dialect.
// ARCHITECTURE.md ("The door").

import type { TaskStep } from '../tasks/event.ts';
import type { Task } from '../tasks/task.ts';
import { isResting } from '../tasks/task.ts';

/**
 * The task when it has ended or waits for its owner; when `signal` aborts, or the steps end, as it was told last.
 * `undefined` when nothing was told. Give a signal that aborts when the time is over.
 */
export async function untilRest(
  steps: AsyncIterable<TaskStep>,
  signal?: AbortSignal,
): Promise<Task | undefined> {
  const iterator = steps[Symbol.asyncIterator]();
  const { promise: isOver, stop } = aborted(signal);
  let last: Task | undefined;
  try {
    // Even if the time is over already: the first step tells how it stands.
    for (let step = await iterator.next(); ;) {
      if (step.done === true) return last;
      last = step.value.task;
      if (isResting(last.status.state)) return last;
      const next = await Promise.race([iterator.next(), isOver]);
      if (next === undefined) return last;
      step = next;
    }
  } finally {
    stop();
    void iterator.return?.()?.catch(() => undefined);
  }
}

function aborted(signal: AbortSignal | undefined): {
  readonly promise: Promise<undefined>;
  readonly stop: () => void;
} {
  if (signal === undefined) return { promise: new Promise(() => undefined), stop: () => undefined };
  let stop: (() => void) | undefined;
  const promise = new Promise<undefined>((resolve) => {
    const onAbort = (): void => resolve(undefined);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  return { promise, stop: () => stop?.() };
}
