// Owns how a task is given to another agent and waited for: the agent that has it is joined again when the connection
// is lost, by the id of the task. SPEC.md section 8 (#exchange, #task-answer, #task-ids).

import type { AwayOptions } from './back-off.ts';
import { BackOff, isPassingFault } from './back-off.ts';
import type { ClientServices, ExchangeOptions, Received } from './exchange.ts';
import { deadlineOf } from './exchange.ts';
import { followTask } from './follow.ts';
import type { TaskUpdate } from './task-update.ts';
import { documentInState } from './task-update.ts';

/** How a task is given and waited for. */
export interface TaskOptions extends ExchangeOptions, AwayOptions {
  /** How long an agent that has the task and is gone is waited for; `retries: 0` does not wait. @default 5000 */
  readonly maxAwayMs?: number;
}

const MAX_AWAY_MS = 5_000;

/** Yields every event once and then the answer, whether the task has ended by then or not. */
export async function* sendTask(
  send: (options: ExchangeOptions) => AsyncIterable<Received>,
  { maxAwayMs = MAX_AWAY_MS, onAway, onBack, wait, ...options }: TaskOptions,
  services: () => Promise<Pick<ClientServices, 'now' | 'wait'>>,
): AsyncGenerator<TaskUpdate> {
  const own = await services();
  const signal = deadlineOf(options);
  // Who has shown no id could not tell the same task from another one.
  let isThere = false;
  const backOff = new BackOff({
    maxAwayMs,
    ...(onAway !== undefined && { onAway }),
    ...(onBack !== undefined && { onBack }),
    wait: wait ?? own.wait,
    now: own.now,
    signal,
    isPassing: (thrown) => isThere && options.retries !== 0 && isPassingFault(thrown),
  });
  const source = {
    // The same task under the same id is never begun twice.
    ask: () => send({ stream: true, keepsEvents: true, ...options, signal }),
    startsOver: true,
    documentOf: documentInState,
  };
  for await (const update of followTask(source, { backOff, signal, isOver: () => true })) {
    isThere ||= update.id !== undefined;
    yield update;
  }
}
