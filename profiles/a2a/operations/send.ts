// Owns what becomes of a message: a new task, the continuation of one, or an answer at once. SPEC.md section 20
// (#a2a-semantics).

import { randomUUID } from 'node:crypto';

import type { CallContext, Message, Part, Task } from '../../../src/door/index.ts';
import { untilRest } from '../../../src/door/index.ts';
import { invalidInput, noSuchTask, refusal } from '../errors/a2a-error.ts';
import { contextOf } from '../wires/forms.ts';
import type { Desk } from './desk.ts';
import type { SendInput, Sent } from './inputs.ts';

/** The name of this face where a task says what it was asked for in. */
export const FACE = 'a2a';

/** Waits until the task rests, where the caller does. */
export async function send(desk: Desk, call: CallContext, input: SendInput): Promise<Sent> {
  const task = await begin(desk, call, input);
  if (!input.isWaiting || task.direct === true) return sentOf(task);
  const steps = desk.tasks.follow(call, task.id, task.generation);
  return sentOf((await untilRest(steps, call.signal)) ?? task);
}

/** The task with the message in it. */
export async function begin(desk: Desk, call: CallContext, input: SendInput): Promise<Task> {
  assertTakes(desk, input);
  const { taskId } = input;
  return taskId === undefined ? start(desk, call, input) : goOn(desk, call, input, taskId);
}

/** The message that is all of the answer. */
export function answerIn({ direct, status }: Task): Message | undefined {
  return direct === true ? status.message : undefined;
}

function sentOf(task: Task): Sent {
  const message = answerIn(task);
  return message === undefined ? { task } : { message };
}

async function start({ tasks, rules }: Desk, call: CallContext, input: SendInput): Promise<Task> {
  const { message, contextId, metadata = {}, acceptedOutputModes } = input;
  if (contextId !== undefined && rules.contextIds === 'refuse') {
    const { total } = await tasks.list(call, { contextId, pageSize: 1 });
    if (total === 0) throw wrongContext('the agent makes the ids of contexts itself');
  }
  const { task } = await tasks.start(call, {
    message,
    contextId: contextId ?? randomUUID(),
    metadata: { ...metadata, ...(acceptedOutputModes.length > 0 && { acceptedOutputModes }) },
    source: { face: FACE, value: null },
  });
  return task;
}

async function goOn(
  { tasks }: Desk,
  call: CallContext,
  { message, contextId }: SendInput,
  taskId: string,
): Promise<Task> {
  if (contextId !== undefined) {
    const task = await tasks.get(call, taskId, { historyLength: 0, includeArtifacts: false });
    if (task === undefined) throw noSuchTask();
    if (contextOf(task) !== contextId) throw wrongContext('is not that of the task');
  }
  return tasks.message(call, taskId, message);
}

function wrongContext(description: string): Error {
  return invalidInput([{ field: 'message.contextId', description }]);
}

function assertTakes({ rules }: Desk, { message, hasPush }: SendInput): void {
  if (hasPush) throw noPush();
  const { inputModes } = rules;
  const odd = inputModes && message.parts.find((part) => !isTaken(inputModes, part));
  if (odd === undefined) return;
  throw refusal(
    'CONTENT_TYPE_NOT_SUPPORTED',
    'CT_UNSUPPORTED',
    `parts of this media type are not taken; these are: ${inputModes!.join(', ')}`,
  );
}

/** A part that does not say its type is of any. */
function isTaken(modes: readonly string[], { mediaType }: Part): boolean {
  if (mediaType === undefined) return true;
  const [type] = mediaType.toLowerCase().split(';', 1);
  return modes.some((mode) => mode === '*/*' || mode.toLowerCase() === type!.trim());
}

export function noPush(): Error {
  return refusal(
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    'CT_UNSUPPORTED',
    'push notifications are not supported here',
  );
}
