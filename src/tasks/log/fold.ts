// Owns a task put together from its log, with what only its own runs need to know of it.

import type { TaskChange, TaskEvent, TaskStep } from '../event.ts';
import { applyEvent, dropsOutput, placeEvent } from '../event.ts';
import type { Message } from '../message.ts';
import type { Task } from '../task.ts';
import { unstartedTask } from '../task.ts';
import type { FirstRecord } from './record.ts';

/** Something that the owner said after the task began. */
export interface Said {
  readonly message: Message;
  /** The generation of the question that it answers. @default it was not asked for */
  readonly answers?: number;
}

/** Immutable. */
export interface Folded {
  readonly task: Task;
  /** Tells it from another task of the same id. */
  readonly made: string;
  readonly said: readonly Said[];
  /** What its log takes. */
  readonly bytes: number;
}

/** A task after one event, and what its followers are told. */
export interface FoldedStep {
  readonly folded: Folded;
  readonly step: TaskStep;
}

/** Before the first event. */
export function unfolded({ origin, made }: FirstRecord): Folded {
  return { task: unstartedTask(origin), made, said: [], bytes: 0 };
}

export function fold({ task, made, said, bytes }: Folded, event: TaskEvent, size: number): Folded {
  const after = Object.freeze(applyEvent(task, event));
  return {
    task: after,
    made,
    said: event.type === 'message' ? [...said, saidIn(event)] : said,
    bytes: bytes + size,
  };
}

/** Several pieces of text for one artifact, put together: `count` events at once. */
export function foldTexts(before: Folded, change: TaskChange, count: number, size: number): Folded {
  const { task, ...rest } = before;
  const { generation } = task;
  const after = applyEvent(task, placeEvent(change, generation + 1, task.status.at));
  return {
    ...rest,
    task: Object.freeze({ ...after, generation: generation + count }),
    bytes: before.bytes + size,
  };
}

function saidIn({ message, answers }: Extract<TaskEvent, { type: 'message' }>): Said {
  return { message, ...(answers !== undefined && { answers }) };
}

/** Who has seen more than the task has now is told to look at all of it. */
export function foldStep(before: Folded, event: TaskEvent, size: number): FoldedStep {
  const folded = fold(before, event, size);
  const isCut = event.type === 'status' && dropsOutput(before.task, folded.task);
  return { folded, step: isCut ? { task: folded.task } : { task: folded.task, event } };
}
