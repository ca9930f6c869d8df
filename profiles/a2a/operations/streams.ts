// Owns what a stream tells: from the log, in its order, from where the caller has seen it. SPEC.md section 20
// (#a2a-streams).

import type { CallContext, Message, TaskStep } from '../../../src/door/index.ts';
import { isResting, isTerminal } from '../../../src/door/index.ts';
import { noSuchTask, refusal } from '../errors/a2a-error.ts';
import type { Desk } from './desk.ts';
import type { SendInput } from './inputs.ts';
import { withoutBytes } from './received.ts';
import { answerIn, begin } from './send.ts';

/** A step of a task, a message that is all there is, or nothing yet: the stream has begun. */
export type Told =
  { readonly step: TaskStep; readonly isLast: boolean } | { readonly message: Message } | undefined;

/** As ids of events are written; 0 stands before the first. */
const GENERATION = /^(?:0|[1-9]\d{0,14})$/;
/** The generation of a task that was begun and on which nobody has worked yet. */
const SUBMITTED = 1;

/**
 * It ends when the task has ended or waits for its owner. The task has begun when this resolves, and nothing of what it
 * was asked with is held while the stream is open.
 */
export async function sendStream(
  desk: Desk,
  call: CallContext,
  input: SendInput,
): Promise<AsyncGenerator<Told, void>> {
  const task = await begin(desk, call, input);
  const message = answerIn(task);
  if (message !== undefined) return answered(message);
  // Of a new task all is told, also what happened before this was asked.
  const after = input.taskId === undefined ? SUBMITTED : task.generation;
  return untilItRests(followed(desk, withoutBytes(call), task.id, after));
}

async function* answered(message: Message): AsyncGenerator<Told, void> {
  yield { message };
}

async function* untilItRests(steps: AsyncIterable<TaskStep>): AsyncGenerator<Told, void> {
  for await (const step of steps) {
    const isLast = isResting(step.task.status.state);
    yield { step, isLast };
    if (isLast) return;
  }
}

/**
 * It ends when the task has. Who has seen it up to a generation is told what followed, and others first the whole task.
 * @param lastEventId as the caller showed it.
 */
export async function* subscribe(
  desk: Desk,
  call: CallContext,
  id: string,
  lastEventId: string | undefined,
): AsyncGenerator<Told, void> {
  const after = await seenUpTo(desk, call, id, lastEventId);
  let isFirst = true;
  for await (const step of followed(desk, call, id, after)) {
    const isLast = isTerminal(step.task.status.state);
    const isKnown = isFirst && step.task.generation === after;
    if (isFirst && isLast) throw hasEnded();
    isFirst = false;
    yield isKnown ? undefined : { step, isLast };
    if (isLast) return;
  }
}

/** It says by itself what it tells. */
function followed(
  { tasks }: Desk,
  call: CallContext,
  id: string,
  after: number | undefined,
): AsyncIterable<TaskStep> {
  return tasks.follow(call, id, after, { isSilent: true });
}

/** `undefined` for what was never told of this task. */
export async function seenUpTo(
  { tasks }: Desk,
  call: CallContext,
  id: string,
  lastEventId: string | undefined,
): Promise<number | undefined> {
  if (lastEventId === undefined || !GENERATION.test(lastEventId)) return undefined;
  const task = await tasks.get(call, id, { historyLength: 0, includeArtifacts: false });
  if (task === undefined) throw noSuchTask();
  const after = Number(lastEventId);
  return after <= task.generation ? after : undefined;
}

export function assertStreams({ rules }: Desk): void {
  if (rules.streaming) return;
  throw refusal('UNSUPPORTED_OPERATION', 'CT_UNSUPPORTED', 'streams are not supported here');
}

export function hasEnded(): Error {
  return refusal('UNSUPPORTED_OPERATION', 'TASK_ENDED', 'the task has ended: nothing follows');
}
