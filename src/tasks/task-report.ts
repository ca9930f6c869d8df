// Owns what of an author's reports gets a place in the log: so much output, so many events, and nothing after the end.
// SPEC.md section 8 (#exchange).

import { ITEM_WEIGHT, contentWeight, continuedBy } from './task-artifact.ts';
import type { TaskArtifact } from './task-artifact.ts';
import type { BookEntry, TaskBook } from './task-book.ts';
import type { ToolBox } from './task-context.ts';
import { TaskError } from './task-error.ts';
import type { TaskChange, TaskEvent } from './task-events.ts';
import type { TaskLog } from './task-log.ts';
import { isTerminal } from './task.ts';

/** Memory that an event takes beside its content. */
export const EVENT_WEIGHT = 256;

/** A task in memory, with what only the engine knows of it. */
export interface HeldTask extends BookEntry {
  readonly log: TaskLog;
  /** Of what was asked for. */
  readonly fingerprint: string;
  /** Tells the work to stop. */
  readonly stop: AbortController;
  readonly tools: ToolBox;
  outputBytes: number;
  leaveQueue: () => void;
}

interface ReportLimits {
  readonly maxOutputBytes: number;
  readonly maxEvents: number;
}

/** `undefined` when it has no place: after the end, and for progress that comes too often. */
export function recordReport(
  held: HeldTask,
  change: TaskChange,
  book: TaskBook<HeldTask>,
  limits: ReportLimits,
): TaskEvent | undefined {
  const { task } = held;
  if (isTerminal(task.state)) return undefined;
  if (change.type === 'artifact') {
    chargeOutput(held, change.artifact, book, limits);
    return held.log.append(change);
  }
  // Half of the events are kept for output, which must not get lost.
  const hasRoom = task.generation < limits.maxEvents / 2 && book.charge(held, EVENT_WEIGHT);
  return hasRoom ? held.log.append(change) : undefined;
}

function chargeOutput(
  held: HeldTask,
  artifact: TaskArtifact,
  book: TaskBook<HeldTask>,
  { maxOutputBytes, maxEvents }: ReportLimits,
): void {
  const isNew = continuedBy(held.task.artifacts, artifact) < 0;
  const bytes = contentWeight(artifact) + (isNew ? ITEM_WEIGHT : 0);
  if (held.outputBytes + bytes > maxOutputBytes) {
    throw tooMuch(`the output is larger than ${maxOutputBytes} bytes`);
  }
  if (held.task.generation >= maxEvents) {
    throw tooMuch(`the output comes in more than ${maxEvents} pieces`);
  }
  if (!book.charge(held, bytes + EVENT_WEIGHT)) throw tooMuch('the agent holds too much output');
  held.outputBytes += bytes;
}

function tooMuch(message: string): TaskError {
  return new TaskError(message, { code: 'OUTPUT_TOO_LARGE' });
}
