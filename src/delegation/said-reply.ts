// Owns what an author answers another agent, in the plainest form that says all of it: agents that know no parts
// understand a text or a value. SPEC.md section 8 (#parts).

import type { SaidWords } from '../client/said-words.ts';
import type { JsonValue } from '../codec/value.ts';
import type { Words } from '../tasks/message.ts';
import { agentMessage } from '../tasks/message.ts';

export function saidReply(words: Words): JsonValue | SaidWords {
  const message = agentMessage(words, 'reply');
  const { id: _made, role: _own, ...said } = message;
  const [only, ...others] = message.parts;
  const isBare = Object.keys(said).length === 1 && only !== undefined && others.length === 0;
  if (!isBare || Object.keys(only).length > 1) return said;
  if ('text' in only) return only.text;
  return 'data' in only ? only.data : said;
}
