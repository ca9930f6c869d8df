// Owns what becomes of a message: a new task, the continuation of one, or an answer at once. SPEC.md section 20
// (#a2a-semantics).

import { randomUUID } from 'node:crypto';

import type {
  CallContext,
  Message,
  MessageContent,
  NewHook,
  Part,
  Task,
} from '../../../src/door/index.ts';
import { untilRest } from '../../../src/door/index.ts';
import { invalidInput, noSuchTask, refusal } from '../errors/a2a-error.ts';
import { askedHook } from '../push/operations.ts';
import { contextOf } from '../wires/forms.ts';
import type { Desk } from './desk.ts';
import type { SendInput, Sent } from './inputs.ts';
import { secretCall, withoutBytes } from './received.ts';

/** The name of this face where a task says what it was asked for in. */
export const FACE = 'a2a';

/** Waits until the task rests, where the caller does. */
export async function send(desk: Desk, call: CallContext, input: SendInput): Promise<Sent> {
  const begun = await begin(desk, call, input);
  // The door has told of what it answered by itself.
  if (begun.direct === true) return sentOf(begun);
  const following = withoutBytes(call);
  const task = input.isWaiting ? await rested(desk, following, begun) : begun;
  desk.tasks.sent(following, { task });
  return sentOf(task);
}

async function rested({ tasks }: Desk, call: CallContext, begun: Task): Promise<Task> {
  const steps = tasks.follow(call, begun.id, begun.generation, { isSilent: true });
  return (await untilRest(steps, call.signal)) ?? begun;
}

/** The task with the message in it. Throws, or rejects with, what is refused. */
export function begin(desk: Desk, call: CallContext, input: SendInput): Promise<Task> {
  assertTakes(desk, input.message);
  const { push } = input;
  if (push === undefined) return beginWith(desk, call, input, {});
  return beginWith(desk, secretCall(call), input, { hook: askedHook(desk, push) });
}

function beginWith(desk: Desk, call: CallContext, input: SendInput, asked: Asked): Promise<Task> {
  const { taskId } = input;
  return taskId === undefined
    ? start(desk, call, input, asked)
    : goOn(desk, call, input, taskId, asked);
}

/** The message that is all of the answer. */
export function answerIn({ direct, status }: Task): Message | undefined {
  return direct === true ? status.message : undefined;
}

function sentOf(task: Task): Sent {
  const message = answerIn(task);
  return message === undefined ? { task } : { message };
}

/** What is stored together with the message. */
interface Asked {
  readonly hook?: NewHook;
}

/** Of a new task. Throws where the agent makes the ids of contexts itself. */
export async function assertContext(
  { tasks, rules }: Desk,
  call: CallContext,
  { contextId }: SendInput,
): Promise<void> {
  if (contextId === undefined || rules.contextIds !== 'refuse') return;
  const { total } = await tasks.list(call, { contextId, pageSize: 1 });
  if (total === 0) throw wrongContext('the agent makes the ids of contexts itself');
}

async function start(desk: Desk, call: CallContext, input: SendInput, asked: Asked): Promise<Task> {
  const { version, message, contextId, metadata = {}, acceptedOutputModes: modes } = input;
  await assertContext(desk, call, input);
  const { task } = await desk.tasks.start(call, {
    message,
    contextId: contextId ?? randomUUID(),
    metadata: modes.length === 0 ? metadata : { ...metadata, acceptedOutputModes: modes },
    source: { face: FACE, value: { version } },
    ...asked,
  });
  return task;
}

async function goOn(
  { tasks }: Desk,
  call: CallContext,
  { message, contextId }: SendInput,
  taskId: string,
  asked: Asked,
): Promise<Task> {
  if (contextId !== undefined) {
    const task = await tasks.get(call, taskId, { historyLength: 0, includeArtifacts: false });
    if (task === undefined) throw noSuchTask();
    if (contextOf(task) !== contextId) throw wrongContext('is not that of the task');
  }
  return tasks.message(call, taskId, message, asked);
}

function wrongContext(description: string): Error {
  return invalidInput([{ field: 'message.contextId', description }]);
}

export function assertTakes({ rules }: Desk, message: MessageContent): void {
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
