// Owns the events of one task in memory: appended in order, followed from any generation. SPEC.md section 8 (#exchange).

import type { TaskChange, TaskEvent } from './task-events.ts';
import { applyEvent } from './task-events.ts';
import { isTerminal } from './task.ts';
import type { Task } from './task.ts';

interface Follower {
  isStopped: boolean;
  wake: () => void;
}

export class TaskLog {
  readonly #now: () => number;
  readonly #events: TaskEvent[] = [];
  readonly #followers = new Set<Follower>();
  #task: Task;

  /** @param task as it is before its first event. */
  constructor(task: Task, now: () => number) {
    this.#task = Object.freeze(task);
    this.#now = now;
  }

  /** As it stands now. */
  get task(): Task {
    return this.#task;
  }

  append(change: TaskChange): TaskEvent {
    const generation = this.#task.generation + 1;
    const event: TaskEvent = Object.freeze({ ...change, generation, at: this.#now() });
    this.#task = Object.freeze(applyEvent(this.#task, event));
    this.#events.push(event);
    for (const follower of this.#followers) follower.wake();
    return event;
  }

  /**
   * Every event after `afterGeneration`, then each new one, until the task has ended. With a `signal` it ends when
   * that aborts, once it has caught up. However slow the reader is, nothing is queued for it.
   */
  follow(afterGeneration: number, signal?: AbortSignal): AsyncIterable<TaskEvent> {
    return {
      [Symbol.asyncIterator]: () => {
        const follower: Follower = { isStopped: false, wake: () => undefined };
        const events = this.#run(follower, afterGeneration, signal);
        return {
          next: () => events.next(),
          // A generator alone would answer only after the next event, perhaps never.
          return: () => {
            follower.isStopped = true;
            follower.wake();
            return events.return(undefined);
          },
        };
      },
    };
  }

  async *#run(
    follower: Follower,
    afterGeneration: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TaskEvent, undefined> {
    const onAbort = (): void => follower.wake();
    signal?.addEventListener('abort', onAbort);
    this.#followers.add(follower);
    try {
      // Generations have no gaps, so each is also a place in the list.
      let next = afterGeneration;
      while (!follower.isStopped) {
        const event = this.#events[next];
        if (event !== undefined) {
          next += 1;
          yield event;
        } else if (isTerminal(this.#task.state) || signal?.aborted === true) {
          return undefined;
        } else {
          await new Promise<void>((resolve) => {
            follower.wake = resolve;
          });
        }
      }
      return undefined;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#followers.delete(follower);
    }
  }
}
