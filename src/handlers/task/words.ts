// Owns messages of the SDL wire: how what a peer says becomes parts, and a path for what cannot be read.
// SPEC.md section 8 (#parts).

import type { JsonValue } from '../../codec/value.ts';
import { isJsonObject } from '../../codec/value.ts';
import { SdlError } from '../../errors.ts';
import type { Message } from '../../tasks/message.ts';
import { createMessage } from '../../tasks/message.ts';
import { readMessage } from '../../tasks/part-json.ts';
import type { Part } from '../../tasks/part.ts';

/** Reads `{ id?, parts, … }` at `path` of a payload; PAYLOAD_INVALID with the path of what is wrong. */
export function readWords(value: JsonValue, path: string, id: string): Message {
  if (!isJsonObject(value)) throw unusable(path);
  try {
    return readMessage({ id, ...value, role: 'user' }, '');
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw unusable(`${path}${memberIn(thrown.message)}`);
  }
}

/** A plain value of the wire as a message: text is text, anything else is data. */
export function plainWords(value: JsonValue, id: string): Message {
  return createMessage({
    id,
    role: 'user',
    parts: [typeof value === 'string' ? { text: value } : { data: value }],
  });
}

/**
 * The message as peers without `parts` see it: its text if it has only that, the value of its only part if that is data,
 * else what it has of text; `null` without words.
 */
export function plainValue(message: Message | undefined): JsonValue {
  if (message === undefined) return null;
  const [only, ...others] = message.parts as readonly (Part | undefined)[];
  if (only !== undefined && others.length === 0 && 'data' in only) return only.data;
  return message.parts.some((part) => 'text' in part) ? message.text : null;
}

/** `".parts[0].mediaType" expected …` is about `/parts/0/media_type`. */
function memberIn(words: string): string {
  const named = /^"([^"]*)"/.exec(words)?.[1] ?? '';
  return named
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .replaceAll('.', '/')
    .replace('mediaType', 'media_type');
}

function unusable(path: string): SdlError {
  return new SdlError('PAYLOAD_INVALID', `there is no usable value at ${path}`, {
    details: { path },
  });
}
