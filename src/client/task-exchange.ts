// Owns how a task is given to another agent and waited for: the agent that has it is joined again when the connection
// is lost, by the id of the task. SPEC.md section 8 (#exchange, #task-answer, #task-ids).

import type { JsonObject } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import type { Content } from '../envelope/build.ts';
import { uuidV7 } from '../envelope/uuid.ts';
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

/** What `task.v1` needs; the rest has defaults, and members that are not named here are sent as they are. */
export interface TaskInput {
  readonly goal: string;
  readonly inputs?: JsonObject;
  readonly constraints?: JsonObject;
  readonly deliverables?: readonly JsonObject[];
  readonly acceptance?: readonly string[];
  readonly context?: JsonObject;
  /** Of the task. @default made here, so that a retry is the same task */
  readonly id?: string;
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
    ask: (seen: number) =>
      joinTask(() => send({ stream: true, keepsEvents: true, ...options, signal }), seen),
    documentOf: documentInState,
  };
  for await (const update of followTask(source, { backOff, signal, isOver: () => true })) {
    isThere ||= update.id !== undefined;
    yield update;
  }
}

/** The same task under the same id is never begun twice; its events come from the first on whenever it is joined. */
export async function* joinTask(
  send: () => AsyncIterable<Received>,
  seen: number,
): AsyncGenerator<Received> {
  let place = 0;
  for await (const received of send()) {
    if (received.type === 'evt') place += 1;
    if (received.type === 'res' || place > seen) yield received;
  }
}

export function newId(): string {
  return uuidV7(Date.now(), (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)));
}

/** A `task.v1` with every member that v1 peers ask for. */
export function taskContent(task: TaskInput | string): Content {
  const {
    id = newId(),
    context = {},
    ...given
  }: TaskInput = typeof task === 'string' ? { goal: task } : task;
  const known = isJsonObject(context['task']) ? context['task'] : {};
  const payload = {
    kind: 'task.v1',
    inputs: {},
    deliverables: [],
    acceptance: [],
    ...given,
    constraints: { time_budget_s: 60, compute_budget: 'low', safety: {}, ...given.constraints },
    context: { ...context, task: { id, ...known } },
  };
  return { ct: 'task.v1', payload };
}
