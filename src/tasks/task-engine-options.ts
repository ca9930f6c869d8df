// Owns what the task engine can be told, and the check of it.

import { uuidV7 } from '../envelope/uuid.ts';
import type { TaskBookOptions } from './task-book.ts';
import type { OnTask } from './task-context.ts';
import type { TaskQueueOptions } from './task-queue.ts';
import type { Task } from './task.ts';
import type { SetTimer } from './timer.ts';
import { setTimer } from './timer.ts';

export interface TaskEngineOptions extends TaskBookOptions, TaskQueueOptions {
  /** Does the work of every task. */
  readonly onTask: OnTask;
  /** How long one task may run. @default 3600000 */
  readonly maxRunMs?: number;
  /** Bytes of all output of one task as it travels: what fits into one answer. @default 524288 */
  readonly maxOutputBytes?: number;
  /** Events of one task. Progress stops being recorded at half of them; output beyond them fails the task. @default 10000 */
  readonly maxEvents?: number;
  /** How long closing waits for work that was told to stop. @default 10000 */
  readonly stopGraceMs?: number;
  /** Told of what made a task fail; its owner is told only the words of a `TaskError`. @default nobody is told */
  readonly onError?: (cause: unknown, task: Task) => void;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** An id for a task that came without one. @default a UUID version 7 */
  readonly newId?: () => string;
  /** @default real time */
  readonly setTimer?: SetTimer;
}

const DEFAULT_NUMBERS = {
  maxTasks: 10_000,
  maxTasksPerOwner: 1_000,
  maxHeldBytes: 67_108_864,
  retentionMs: 3_600_000,
  maxConcurrent: 64,
  maxConcurrentPerOwner: 16,
  maxRunMs: 3_600_000,
  maxOutputBytes: 524_288,
  maxEvents: 10_000,
  stopGraceMs: 10_000,
} as const;

/** These may be zero; of the others that would mean that no task can run. */
const MAY_BE_ZERO: ReadonlySet<string> = new Set(['retentionMs', 'stopGraceMs']);

export function resolveEngineOptions(options: TaskEngineOptions): Required<TaskEngineOptions> {
  if (typeof options.onTask !== 'function') throw new TypeError('"onTask" expected a function');
  const now = options.now ?? Date.now;
  const numbers: Record<keyof typeof DEFAULT_NUMBERS, number> = { ...DEFAULT_NUMBERS };
  for (const name of Object.keys(DEFAULT_NUMBERS) as (keyof typeof DEFAULT_NUMBERS)[]) {
    numbers[name] = options[name] ?? DEFAULT_NUMBERS[name];
    const least = MAY_BE_ZERO.has(name) ? 0 : 1;
    if (!Number.isSafeInteger(numbers[name]) || numbers[name] < least) {
      throw new RangeError(`"${name}" expected an integer of at least ${least}`);
    }
  }
  return Object.freeze({
    onTask: options.onTask,
    ...numbers,
    onError: tolerant(options.onError),
    now,
    newId: options.newId ?? (() => uuidV7(now(), randomBytes)),
    setTimer: options.setTimer ?? setTimer,
  });
}

/** A log that fails must not take a task with it. */
function tolerant(onError: TaskEngineOptions['onError']): Required<TaskEngineOptions>['onError'] {
  return (cause, task) => {
    try {
      onError?.(cause, task);
    } catch {
      // There is nobody left to tell.
    }
  };
}

function randomBytes(length: number): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(length));
}
