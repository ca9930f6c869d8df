// Owns whether a message was said to a task before: a repeat changes nothing. SPEC.md section 8 (#task-ids).

import { writeJson } from '../../codec/json/write.ts';
import { equalBytes } from '../../crypto/bytes.ts';
import type { Folded } from '../log/fold.ts';
import type { Message } from '../message.ts';
import { writeParts } from '../part-json.ts';

/** Was this said already, as an answer to that question or as a further message? */
export function isSaid({ said }: Folded, message: Message, answers: number | undefined): boolean {
  return said.some((given) => {
    if (answers === undefined)
      return given.message.id === message.id && isEqual(given.message, message);
    if (given.answers !== answers) return false;
    return given.message.id === message.id || isEqual(given.message, message);
  });
}

function isEqual(one: Message, other: Message): boolean {
  return equalBytes(writeJson(writeParts(one.parts)), writeJson(writeParts(other.parts)));
}
