// Owns what an owner says to its task at another agent, as it is sent: a plain value where that says it all, else parts.
// SPEC.md section 8 (#task-ids, #parts).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import type { MessageContent, Words } from '../tasks/message.ts';
import { agentMessage } from '../tasks/message.ts';
import { writeMessage } from '../tasks/part-json.ts';
import { newId } from './task-content.ts';

/** A message: what has `parts` is one, and no plain value. */
export type SaidWords = Omit<MessageContent, 'id' | 'role'>;

/** Either is there. */
interface Reply {
  readonly value: JsonValue;
  readonly message?: JsonObject;
}

/** For `task.send`. */
export function wordsOf(words: Words): JsonObject {
  return writeMessage({ ...agentMessage(words, newId()), role: 'user' });
}

/** For `task.reply`, or for `task.send` where it is a message. */
export function replyOf(reply: JsonValue | SaidWords): Reply {
  return hasParts(reply) ? { value: null, message: wordsOf(reply) } : { value: reply };
}

function hasParts(reply: JsonValue | SaidWords): reply is SaidWords {
  return (
    typeof reply === 'object' && reply !== null && 'parts' in reply && Array.isArray(reply.parts)
  );
}
