// Owns what is refused in SteerQA, and what every error of this package is called there. SPEC.md section 18 (#steerqa-errors).

import type { ErrorCode } from '../../src/door/index.ts';
import { SdlError } from '../../src/door/index.ts';

interface RefusalRow {
  readonly status: number;
  readonly code: string;
  readonly retryable: boolean;
  /** The same in the words of this package, with the same answer to whether it may pass. */
  readonly error: ErrorCode;
}

const no = (status: number, code: string, error: ErrorCode): RefusalRow => ({
  status,
  code,
  retryable: false,
  error,
});
const yes = (status: number, code: string, error: ErrorCode): RefusalRow => ({
  status,
  code,
  retryable: true,
  error,
});

export type RefusalKind =
  | 'method'
  | 'misdirected'
  | 'unauthenticated'
  | 'forbidden'
  | 'mediaType'
  | 'accept'
  | 'tooLarge'
  | 'offer'
  | 'version'
  | 'messageType'
  | 'conflict'
  | 'expired'
  | 'pin'
  | 'declined'
  | 'output'
  | 'failed'
  | 'overloaded'
  | 'timeout';

const ROWS: Readonly<Record<RefusalKind, RefusalRow>> = {
  method: no(405, 'METHOD_NOT_ALLOWED', 'ADDRESS_WRONG'),
  misdirected: no(421, 'MISDIRECTED_REQUEST', 'ADDRESS_WRONG'),
  unauthenticated: no(401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'),
  forbidden: no(403, 'FORBIDDEN', 'NOT_AUTHORIZED'),
  mediaType: no(415, 'UNSUPPORTED_MEDIA_TYPE', 'ENCODING_UNSUPPORTED'),
  accept: no(406, 'NOT_ACCEPTABLE', 'ENCODING_UNSUPPORTED'),
  tooLarge: no(413, 'PAYLOAD_TOO_LARGE', 'LIMIT_BYTES'),
  offer: no(400, 'SCHEMA_VALIDATION_FAILED', 'PAYLOAD_INVALID'),
  version: no(400, 'UNSUPPORTED_VERSION', 'VERSION_UNSUPPORTED'),
  messageType: no(400, 'UNKNOWN_MESSAGE_TYPE', 'PAYLOAD_INVALID'),
  conflict: no(409, 'IDEMPOTENCY_CONFLICT', 'TASK_CONFLICT'),
  expired: no(410, 'TTL_EXPIRED', 'TIME_INVALID'),
  pin: no(412, 'AGENT_VERSION_MISMATCH', 'VERSION_UNSUPPORTED'),
  declined: no(422, 'OFFER_REFUSED', 'TASK_REFUSED'),
  output: yes(500, 'SCHEMA_VALIDATION_FAILED', 'UNAVAILABLE'),
  failed: yes(500, 'INTERNAL', 'UNAVAILABLE'),
  overloaded: yes(503, 'OVERLOADED', 'UNAVAILABLE'),
  timeout: yes(504, 'TIMEOUT', 'DEADLINE'),
};

/** What an error of this package is in this dialect. */
const MAPPED = {
  ENCODING_UNSUPPORTED: 'mediaType',
  ENCODING_INVALID: 'offer',
  LIMIT_BYTES: 'tooLarge',
  LIMIT_DEPTH: 'offer',
  LIMIT_ARRAY: 'offer',
  LIMIT_MEMBERS: 'offer',
  LIMIT_VALUES: 'offer',
  LIMIT_STRING: 'offer',
  LIMIT_NUMBER: 'offer',
  LIMIT_HOPS: 'offer',
  LIMIT_RATE: 'overloaded',
  ENVELOPE_INVALID: 'offer',
  NUMBER_INEXACT: 'offer',
  CT_UNSUPPORTED: 'declined',
  VERSION_UNSUPPORTED: 'version',
  ADDRESS_WRONG: 'misdirected',
  UNAUTHENTICATED: 'unauthenticated',
  SENDER_REFUSED: 'unauthenticated',
  MODE_REFUSED: 'forbidden',
  SIGNATURE_INVALID: 'unauthenticated',
  DECRYPT_FAILED: 'offer',
  BINDING_INVALID: 'offer',
  NOT_AUTHORIZED: 'forbidden',
  TIME_INVALID: 'expired',
  REPLAYED: 'conflict',
  REPLAY_FULL: 'overloaded',
  SESSION_INVALID: 'offer',
  SCHEMA_DESCRIPTOR: 'offer',
  SCHEMA_HASH: 'offer',
  SCHEMA_URI: 'offer',
  SCHEMA_UNSUPPORTED: 'offer',
  SCHEMA_WORK: 'offer',
  PAYLOAD_INVALID: 'offer',
  STATE_BASE: 'conflict',
  STATE_PATCH: 'offer',
  TASK_UNKNOWN: 'failed',
  TASK_CONFLICT: 'conflict',
  TASK_ENDED: 'failed',
  TASK_REFUSED: 'declined',
  DRAINING: 'overloaded',
  UNAVAILABLE: 'overloaded',
  DEADLINE: 'timeout',
  INTERNAL: 'failed',
} as const satisfies Record<ErrorCode, RefusalKind>;

export const MAP: Readonly<Record<ErrorCode, RefusalKind>> = MAPPED;

interface RefusalOptions {
  /** The door has put it into the log already. @default false */
  readonly isTold?: boolean;
  readonly cause?: unknown;
}

/** What an offer is refused with. Its message goes to Root. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly kind: RefusalKind;
  readonly isTold: boolean;

  constructor(kind: RefusalKind, words: string, { isTold = false, cause }: RefusalOptions = {}) {
    super(words, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.isTold = isTold;
  }

  get row(): RefusalRow {
    return ROWS[this.kind];
  }

  /** For the log, and for who is answered in envelopes. */
  toSdlError(): SdlError {
    const { error, code, status } = this.row;
    return new SdlError(error, this.message, {
      details: { steerqa_code: code, steerqa_status: status },
      cause: this.cause ?? this,
    });
  }
}

/** Root hears the fixed words of the table, never those of the error. */
export function refusalOf(error: SdlError, isTold: boolean): Refusal {
  const { message } = error.details;
  // The agent itself has declined it, in words that are meant for who asked.
  const words = error.code === 'TASK_REFUSED' && typeof message === 'string' ? message : undefined;
  return new Refusal(MAP[error.code], words ?? error.row.words, { isTold, cause: error });
}
