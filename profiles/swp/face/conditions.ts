// Owns how what went wrong is said in a Result: one of four conditions, then the code and words.
// SPEC.md section 19 (#swp-result).

import type { ErrorCode, TaskFailure } from '../../../src/door/index.ts';
import { ERRORS } from '../../../src/door/index.ts';

export type Condition =
  'unsupported capability' | 'malformed task input' | 'authorization denied' | 'execution failed';

const UNSUPPORTED = 'unsupported capability';
const MALFORMED = 'malformed task input';
const DENIED = 'authorization denied';
const FAILED = 'execution failed';

/** What a code of this package is on the SWP wire: every one has its place. */
export const MAP: Readonly<Record<ErrorCode, Condition>> = {
  ENCODING_UNSUPPORTED: MALFORMED,
  ENCODING_INVALID: MALFORMED,
  LIMIT_BYTES: MALFORMED,
  LIMIT_DEPTH: MALFORMED,
  LIMIT_ARRAY: MALFORMED,
  LIMIT_MEMBERS: MALFORMED,
  LIMIT_VALUES: MALFORMED,
  LIMIT_STRING: MALFORMED,
  LIMIT_NUMBER: MALFORMED,
  LIMIT_HOPS: MALFORMED,
  // Not the fault of the input: the same Task may be done later.
  LIMIT_RATE: FAILED,
  ENVELOPE_INVALID: MALFORMED,
  NUMBER_INEXACT: MALFORMED,
  CT_UNSUPPORTED: UNSUPPORTED,
  VERSION_UNSUPPORTED: MALFORMED,
  ADDRESS_WRONG: MALFORMED,
  UNAUTHENTICATED: DENIED,
  SENDER_REFUSED: DENIED,
  MODE_REFUSED: DENIED,
  SIGNATURE_INVALID: DENIED,
  DECRYPT_FAILED: DENIED,
  BINDING_INVALID: DENIED,
  NOT_AUTHORIZED: DENIED,
  TIME_INVALID: MALFORMED,
  REPLAYED: MALFORMED,
  REPLAY_FULL: FAILED,
  SESSION_INVALID: MALFORMED,
  SCHEMA_DESCRIPTOR: MALFORMED,
  SCHEMA_HASH: MALFORMED,
  SCHEMA_URI: MALFORMED,
  SCHEMA_UNSUPPORTED: MALFORMED,
  SCHEMA_WORK: MALFORMED,
  PAYLOAD_INVALID: MALFORMED,
  STATE_BASE: MALFORMED,
  STATE_PATCH: MALFORMED,
  TASK_UNKNOWN: MALFORMED,
  TASK_CONFLICT: MALFORMED,
  TASK_ENDED: MALFORMED,
  TASK_REFUSED: UNSUPPORTED,
  DRAINING: FAILED,
  UNAVAILABLE: FAILED,
  DEADLINE: FAILED,
  INTERNAL: FAILED,
} satisfies Record<ErrorCode, Condition>;

/** Codes that authors, tools and other agents use. */
const OTHERS: Readonly<Record<string, Condition>> = {
  UNSUPPORTED_CT: UNSUPPORTED,
  TOOL_UNKNOWN: UNSUPPORTED,
  GOAL_NOT_UNDERSTOOD: UNSUPPORTED,
  UNSUPPORTED_ENCODING: MALFORMED,
  SCHEMA_INVALID: MALFORMED,
  BAD_REQUEST: MALFORMED,
  SECURITY_UNSUPPORTED: DENIED,
};

const MAX_WORDS = 2_000;

export function conditionOf(code: string): Condition {
  if (Object.hasOwn(ERRORS, code)) return MAP[code as ErrorCode];
  return Object.hasOwn(OTHERS, code) ? OTHERS[code]! : FAILED;
}

/** `condition: CODE words`. @param condition where it is known better than by the code. */
export function failureText(
  { code, message }: Pick<TaskFailure, 'code' | 'message'>,
  condition: Condition = conditionOf(code),
): string {
  return `${condition}: ${code} ${message.slice(0, MAX_WORDS)}`.trimEnd();
}
