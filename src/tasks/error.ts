// Owns why a task fails, and which words about it may leave the agent: only those of a TaskError.
// SPEC.md section 12 (#errors-no-data).

import { SdlError } from '../errors.ts';
import { plainText } from './plain-text.ts';
import type { TaskFailure } from './task.ts';

const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;
const MAX_MESSAGE_LENGTH = 2_000;

export interface TaskErrorOptions {
  /** Capital letters, digits and `_`, for the owner's program. @default 'TASK_FAILED' */
  readonly code?: string;
  /** Another attempt may succeed: the engine makes one if it has any left. @default false */
  readonly retryable?: boolean;
  /** The task is refused, not failed. @default false */
  readonly rejects?: boolean;
  /** The task is canceled, not failed: who really does it was told to stop. @default false */
  readonly cancels?: boolean;
  readonly cause?: unknown;
}

/** Thrown by an author to fail or refuse a task: its owner reads the message. Any other error stays here. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  readonly code: string;
  readonly retryable: boolean;
  readonly rejects: boolean;
  readonly cancels: boolean;

  constructor(message: string, options: TaskErrorOptions = {}) {
    const { code = 'TASK_FAILED', retryable = false, rejects = false } = options;
    const { cancels = false, cause } = options;
    super(message, cause === undefined ? undefined : { cause });
    if (!CODE.test(code)) throw new TypeError('"code" expected capital letters, digits and "_"');
    this.code = code;
    this.retryable = retryable;
    this.rejects = rejects;
    this.cancels = cancels;
  }
}

/** What the owner is told. */
export function toFailure(thrown: unknown): TaskFailure {
  if (thrown instanceof TaskError) {
    const { code, message, retryable } = thrown;
    return { code, message: plainText(message, MAX_MESSAGE_LENGTH), retryable };
  }
  if (thrown instanceof SdlError && thrown.code !== 'INTERNAL') {
    return { code: thrown.code, message: thrown.row.words, retryable: thrown.row.retryable };
  }
  const message = 'the agent failed in a way that it did not expect';
  return { code: 'INTERNAL', message, retryable: false };
}
