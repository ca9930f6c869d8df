// Owns every error that leaves this package: one class, one table. SPEC.md section 12 (#errors).

/** The six codes that `error.v1` may carry on the wire. */
export type WireCode =
  | 'UNSUPPORTED_ENCODING'
  | 'UNSUPPORTED_CT'
  | 'SCHEMA_INVALID'
  | 'SECURITY_UNSUPPORTED'
  | 'BAD_REQUEST'
  | 'INTERNAL';

export interface ErrorRow {
  readonly wire: WireCode;
  readonly http: number;
  readonly retryable: boolean;
  /** What the peer is told: fixed words, so that nothing of a message or a key can leak through them. */
  readonly words: string;
}

/** The codes a program matches on: finer than the wire's. */
export type ErrorCode =
  | 'ENCODING_UNSUPPORTED'
  | 'ENCODING_INVALID'
  | 'LIMIT_BYTES'
  | 'LIMIT_DEPTH'
  | 'LIMIT_ARRAY'
  | 'LIMIT_MEMBERS'
  | 'LIMIT_VALUES'
  | 'LIMIT_STRING'
  | 'LIMIT_NUMBER'
  | 'LIMIT_HOPS'
  | 'LIMIT_RATE'
  | 'ENVELOPE_INVALID'
  | 'NUMBER_INEXACT'
  | 'CT_UNSUPPORTED'
  | 'VERSION_UNSUPPORTED'
  | 'ADDRESS_WRONG'
  | 'UNAUTHENTICATED'
  | 'SENDER_REFUSED'
  | 'MODE_REFUSED'
  | 'SIGNATURE_INVALID'
  | 'DECRYPT_FAILED'
  | 'BINDING_INVALID'
  | 'NOT_AUTHORIZED'
  | 'TIME_INVALID'
  | 'REPLAYED'
  | 'REPLAY_FULL'
  | 'SESSION_INVALID'
  | 'SCHEMA_DESCRIPTOR'
  | 'SCHEMA_HASH'
  | 'SCHEMA_URI'
  | 'SCHEMA_UNSUPPORTED'
  | 'SCHEMA_WORK'
  | 'PAYLOAD_INVALID'
  | 'STATE_BASE'
  | 'STATE_PATCH'
  | 'TASK_UNKNOWN'
  | 'TASK_CONFLICT'
  | 'TASK_ENDED'
  | 'TASK_REFUSED'
  | 'DRAINING'
  | 'UNAVAILABLE'
  | 'DEADLINE'
  | 'INTERNAL';

function row(wire: WireCode, http: number, words: string, retryable = false): ErrorRow {
  return { wire, http, retryable, words };
}

const REFUSED = 'the security of this message is not accepted';

function security(http: number): ErrorRow {
  return row('SECURITY_UNSUPPORTED', http, REFUSED);
}

/** One row a code. Equal to the table in SPEC.md by test; what another dialect says of a code is that dialect's map. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorRow>> = {
  ENCODING_UNSUPPORTED: row('UNSUPPORTED_ENCODING', 415, 'the body encoding is not supported'),
  ENCODING_INVALID: row('UNSUPPORTED_ENCODING', 400, 'the body could not be decoded'),
  LIMIT_BYTES: row('BAD_REQUEST', 413, 'the message is too large'),
  LIMIT_DEPTH: row('BAD_REQUEST', 400, 'the message is nested too deeply'),
  LIMIT_ARRAY: row('BAD_REQUEST', 400, 'an array is too long'),
  LIMIT_MEMBERS: row('BAD_REQUEST', 400, 'an object has too many members'),
  LIMIT_VALUES: row('BAD_REQUEST', 400, 'the message has too many values'),
  LIMIT_STRING: row('BAD_REQUEST', 400, 'a string is too long'),
  LIMIT_NUMBER: row('BAD_REQUEST', 400, 'a number is too long or out of range'),
  LIMIT_HOPS: row('BAD_REQUEST', 400, 'the message has travelled too many hops'),
  LIMIT_RATE: row('BAD_REQUEST', 429, 'too many requests; try again later', true),
  ENVELOPE_INVALID: row('BAD_REQUEST', 400, 'the envelope is not well formed'),
  NUMBER_INEXACT: row('BAD_REQUEST', 400, 'a number cannot be written exactly'),
  CT_UNSUPPORTED: row('UNSUPPORTED_CT', 415, 'the content type is not supported', true),
  VERSION_UNSUPPORTED: row('BAD_REQUEST', 400, 'the protocol version is not supported'),
  ADDRESS_WRONG: row('BAD_REQUEST', 404, 'the message is not addressed to this agent'),
  UNAUTHENTICATED: security(401),
  SENDER_REFUSED: security(401),
  MODE_REFUSED: security(403),
  SIGNATURE_INVALID: security(401),
  DECRYPT_FAILED: security(400),
  BINDING_INVALID: security(400),
  NOT_AUTHORIZED: security(403),
  TIME_INVALID: row('BAD_REQUEST', 400, 'the message is outside its time window'),
  REPLAYED: row('BAD_REQUEST', 409, 'the message was seen before'),
  REPLAY_FULL: row('BAD_REQUEST', 429, 'too many open messages; try again later', true),
  SESSION_INVALID: row('BAD_REQUEST', 400, 'the session is unknown or has ended'),
  SCHEMA_DESCRIPTOR: row('SCHEMA_INVALID', 400, 'the schema descriptor is not well formed'),
  SCHEMA_HASH: row('SCHEMA_INVALID', 400, 'the schema does not match its hash'),
  SCHEMA_URI: row('SCHEMA_INVALID', 400, 'the schema address is not accepted'),
  SCHEMA_UNSUPPORTED: row('SCHEMA_INVALID', 400, 'the schema uses something that is not supported'),
  SCHEMA_WORK: row('SCHEMA_INVALID', 400, 'the schema asks for too much work'),
  PAYLOAD_INVALID: row('SCHEMA_INVALID', 422, 'the payload does not fit its schema'),
  STATE_BASE: row('BAD_REQUEST', 409, 'the patch starts from another state', true),
  STATE_PATCH: row('BAD_REQUEST', 422, 'the patch cannot be applied'),
  TASK_UNKNOWN: row('BAD_REQUEST', 404, 'there is no such task'),
  TASK_CONFLICT: row('BAD_REQUEST', 409, 'the task does not allow this now'),
  TASK_ENDED: row('BAD_REQUEST', 409, 'the task has ended'),
  TASK_REFUSED: row('BAD_REQUEST', 422, 'the agent does not take this task'),
  DRAINING: row('INTERNAL', 503, 'the agent is shutting down; try again later', true),
  UNAVAILABLE: row(
    'INTERNAL',
    503,
    'the agent cannot do this at the moment; try again later',
    true,
  ),
  DEADLINE: row('INTERNAL', 504, 'the deadline has passed', true),
  INTERNAL: row('INTERNAL', 500, 'internal error'),
};

/** Values that may go to the peer: limits, field paths of fixed names, lists of what is supported. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface SdlErrorOptions {
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

/**
 * The one error of this package. Match on `code`.
 * `message` is for the local log; the peer only gets the table's words and `details`.
 */
export class SdlError extends Error {
  override readonly name = 'SdlError';
  readonly code: ErrorCode;
  /** The message without the code. */
  readonly reason: string;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, reason: string, options: SdlErrorOptions = {}) {
    super(`${code}: ${reason}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.reason = reason;
    this.details = options.details ?? {};
  }

  get row(): ErrorRow {
    return ERRORS[this.code];
  }

  /** The coarse code that peers are told. */
  get wireCode(): WireCode {
    return this.row.wire;
  }
}

const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Of what another agent tells of an error: `details.reason` where that is a code, else the code on the wire. */
export function fineCode(wireCode: string, details: Readonly<Record<string, unknown>>): string {
  const { reason } = details;
  return typeof reason === 'string' && CODE.test(reason) ? reason : wireCode;
}

/** The single place where an unknown throw becomes ours; the original stays in `cause`. */
export function toSdlError(thrown: unknown): SdlError {
  if (thrown instanceof SdlError) return thrown;
  return new SdlError('INTERNAL', 'unexpected failure', { cause: thrown });
}
