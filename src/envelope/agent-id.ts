// Owns which ids an agent can have: those that stand for callers of other dialects, or for everybody, are none.
// SPEC.md section 2 (#reserved-ids).

import type { JsonValue } from '../codec/value.ts';
import { malformed, requireText } from './fields.ts';

/** The first character of the ids of callers that are no peers. No agent may have an id that begins with it. */
export const FOREIGN_MARK = '~';

/** Says "of everybody" where an owner is named. */
const EVERYBODY = '*';

/** The rule in words, to follow the name of what breaks it. */
export const RESERVED_ID: string = `must not be ${EVERYBODY} nor begin with ${FOREIGN_MARK}: no agent has such an id`;

export function isReservedId(id: string): boolean {
  return id === EVERYBODY || id.startsWith(FOREIGN_MARK);
}

export function requireAgentId(value: JsonValue | undefined, path: string): string {
  const id = requireText(value, 512, path);
  if (isReservedId(id)) throw malformed(path, RESERVED_ID);
  return id;
}
