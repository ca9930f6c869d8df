// Owns what is said of an answer that is none: what is wrong and where, never what was in it. SPEC.md section 20
// (#a2a-client-reading).

import { TransportError } from '../../../../src/transport.ts';
import type { Violation } from '../../errors/a2a-error.ts';

export function noAnswer(words: string): TransportError {
  return new TransportError('protocol', `the agent gave no answer that can be read: ${words}`);
}

/** @param what such as `task`. */
export function unreadable(what: string, { field, description }: Violation): TransportError {
  return noAnswer(`its ${what} is not valid: ${field === '' ? 'it' : field} ${description}`);
}
