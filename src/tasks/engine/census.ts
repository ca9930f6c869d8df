// Owns how many tasks one engine has started and ended. It counts when it writes, so no store has to be searched.

import type { TaskState } from '../task.ts';
import { RULES, isTerminal } from '../task.ts';

/** What an engine tells of its tasks, without a look into the store. */
export interface TaskStats {
  /** The number of tasks in each state: those at work, those that wait for a reply, and those in the queue. */
  readonly live: Readonly<Record<string, number>>;
  /** When the oldest of these was made. */
  readonly oldestAt: number | undefined;
  /** Since it was made. Each task is counted by the engine that wrote its start or end, and by no other. */
  readonly started: number;
  readonly ended: Readonly<Record<string, number>>;
  /** Who follows a task now. */
  readonly watchers: number;
}

const STATES = Object.keys(RULES) as TaskState[];

export class TaskCensus {
  #started = 0;
  readonly #ended = new Map<TaskState, number>(
    STATES.filter(isTerminal).map((state) => [state, 0]),
  );

  countStart(): void {
    this.#started += 1;
  }

  /** This engine has just written the end of a task. */
  countEnd(state: TaskState): void {
    const count = this.#ended.get(state);
    if (count !== undefined) this.#ended.set(state, count + 1);
  }

  stats(live: readonly LiveTaskFacts[], watchers: number): TaskStats {
    const byState = new Map<TaskState, number>(
      STATES.filter((state) => !isTerminal(state)).map((state) => [state, 0]),
    );
    let oldestAt: number | undefined;
    for (const { state, createdAt } of live) {
      const count = byState.get(state);
      if (count === undefined) continue;
      byState.set(state, count + 1);
      oldestAt = Math.min(oldestAt ?? createdAt, createdAt);
    }
    return {
      live: Object.fromEntries(byState),
      oldestAt,
      started: this.#started,
      ended: Object.fromEntries(this.#ended),
      watchers,
    };
  }
}

export interface LiveTaskFacts {
  readonly state: TaskState;
  readonly createdAt: number;
}
