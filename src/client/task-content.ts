// Owns what is sent to give another agent a task: a `task.v1` that v1 peers understand, with the message beside it for
// those that know parts. SPEC.md section 8 (#task-ids, #parts).

import type { JsonObject } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import type { Content } from '../envelope/build.ts';
import { uuidV7 } from '../envelope/uuid.ts';
import type { Message, MessageContent } from '../tasks/message.ts';
import { createMessage } from '../tasks/message.ts';
import { writeMessage } from '../tasks/part-json.ts';
import type { Part } from '../tasks/part.ts';

/** A message to another agent; its `id` is made here unless it has one. */
type TaskMessage = Omit<MessageContent, 'id' | 'role'> & { readonly id?: string };

interface TaskFacts {
  readonly inputs?: JsonObject;
  readonly constraints?: JsonObject;
  readonly deliverables?: readonly JsonObject[];
  readonly acceptance?: readonly string[];
  readonly context?: JsonObject;
  /** Of the task. @default made here, so that a retry is the same task */
  readonly id?: string;
}

/**
 * What `task.v1` needs: a goal, or a message, whose text is the goal unless there is one. The rest has defaults, and
 * members that are not named here are sent as they are. Bytes and addresses reach only agents that know parts: others
 * are not sent the task.
 */
export type TaskInput = TaskFacts &
  (
    | { readonly goal: string; readonly message?: TaskMessage }
    | { readonly goal?: string; readonly message: TaskMessage }
  );

/** The goal of a message without text: there has to be one. */
const NO_TEXT = '(see the message)';

export interface TaskContent extends Content {
  /** Who does not know parts would miss something of it. */
  readonly needsParts: boolean;
}

export function newId(): string {
  return uuidV7(Date.now(), (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)));
}

/** A `task.v1` with every member that v1 peers ask for. */
export function taskContent(task: TaskInput | string): TaskContent {
  const {
    id = newId(),
    context = {},
    message: words,
    ...given
  }: TaskInput = typeof task === 'string' ? { goal: task } : task;
  const known = isJsonObject(context['task']) ? context['task'] : {};
  // Made from the id of the task, so that the same task is the same message.
  const message = words && createMessage({ id, ...words, role: 'user' });
  const goal = given.goal ?? (message?.text || NO_TEXT);
  const inputs = given.inputs ?? (message && inputsIn(message)) ?? {};
  const payload = {
    kind: 'task.v1',
    deliverables: [],
    acceptance: [],
    ...given,
    goal,
    inputs,
    constraints: { time_budget_s: 60, compute_budget: 'low', safety: {}, ...given.constraints },
    context: {
      ...context,
      task: { id, ...known },
      ...(message !== undefined && { message: writeMessage(message) }),
    },
  };
  const needsParts = message !== undefined && !isSaidBy(message, goal, inputs);
  return { ct: 'task.v1', payload, needsParts };
}

/** Do goal and inputs say all of the message? */
function isSaidBy(message: Message, goal: string, inputs: JsonObject): boolean {
  const { parts, metadata, extensions, references } = message;
  const isBare = [metadata, extensions, references].every((fact) => fact === undefined);
  const isPlain = parts.every((part) => isPlainText(part) || isPlainData(part, inputs));
  return isBare && isPlain && (message.text === goal || message.text === '');
}

function isPlainText(part: Part): boolean {
  return 'text' in part && hasNoFacts(part);
}

function isPlainData(part: Part, inputs: JsonObject): boolean {
  return 'data' in part && part.data === inputs && hasNoFacts(part);
}

function hasNoFacts({ mediaType, filename, metadata }: Part): boolean {
  return mediaType === undefined && filename === undefined && metadata === undefined;
}

function inputsIn({ data }: Message): JsonObject | undefined {
  return isJsonObject(data) ? data : undefined;
}
