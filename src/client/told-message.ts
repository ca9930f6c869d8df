// Owns messages of another agent's task as its requester reads them: what it asks, what was said, its last words.
// SPEC.md sections 8 and 9 (#parts, #state-task).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray, isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { Message } from '../tasks/message.ts';
import { createMessage } from '../tasks/message.ts';
import { readMessage } from '../tasks/part-json.ts';

/** What a task waits to be told. */
export interface RemoteQuestion {
  /** In full; without parts if the task asks without words. */
  readonly message: Message;
  /** The same as a plain value: text, data, or `null` without words. */
  readonly content: JsonValue;
  /** Of the event that asked; a reply that names it answers no other question. */
  readonly generation?: number;
}

export function questionIn({ question }: JsonObject): RemoteQuestion | undefined {
  if (!isJsonObject(question)) return undefined;
  const { content = null, generation, message } = question;
  return {
    message: message === undefined ? plainQuestion(content) : messageAt(message, '/question'),
    content,
    ...(typeof generation === 'number' && { generation }),
  };
}

/** The last words of a task that has ended. */
export function answerIn({ answer }: JsonObject): Message | undefined {
  const message = isJsonObject(answer) ? answer['message'] : undefined;
  return message === undefined ? undefined : messageAt(message, '/answer');
}

export function historyIn({ history }: JsonObject): readonly Message[] | undefined {
  if (!isJsonArray(history)) return undefined;
  return history.map((message, at) => messageAt(message, `/history/${at}`));
}

/** Agents that know no parts ask with a plain value. */
function plainQuestion(content: JsonValue): Message {
  const part = typeof content === 'string' ? { text: content } : { data: content };
  return createMessage({ id: 'question', role: 'agent', parts: content === null ? [] : [part] });
}

function messageAt(value: JsonValue, path: string): Message {
  try {
    return readMessage(value, 'message');
  } catch (cause) {
    throw new SdlError('PAYLOAD_INVALID', `${path} is no message`, { details: { path }, cause });
  }
}
