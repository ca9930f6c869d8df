// Owns what is known of a refusal by another agent: its kind in A2A and the code of this package, whatever form it came
// in. SPEC.md section 20 (#a2a-client-errors).

import { RemoteError } from '../../../src/client/index.ts';
import type { ErrorCode, JsonValue } from '../../../src/door/index.ts';
import { ERRORS } from '../../../src/door/index.ts';
import type { Kind } from '../errors/kinds.ts';

/** The code of this package that says the same. */
const CODES: Readonly<Record<Kind, ErrorCode>> = {
  TASK_NOT_FOUND: 'TASK_UNKNOWN',
  TASK_NOT_CANCELABLE: 'TASK_ENDED',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'CT_UNSUPPORTED',
  UNSUPPORTED_OPERATION: 'TASK_REFUSED',
  CONTENT_TYPE_NOT_SUPPORTED: 'CT_UNSUPPORTED',
  INVALID_AGENT_RESPONSE: 'INTERNAL',
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 'CT_UNSUPPORTED',
  EXTENSION_SUPPORT_REQUIRED: 'CT_UNSUPPORTED',
  VERSION_NOT_SUPPORTED: 'VERSION_UNSUPPORTED',
  PARSE_ERROR: 'ENCODING_INVALID',
  INVALID_REQUEST: 'ENVELOPE_INVALID',
  METHOD_NOT_FOUND: 'ADDRESS_WRONG',
  INVALID_PARAMS: 'PAYLOAD_INVALID',
  INTERNAL_ERROR: 'INTERNAL',
  MEDIA_TYPE_NOT_SUPPORTED: 'ENCODING_UNSUPPORTED',
  METHOD_NOT_ALLOWED: 'ADDRESS_WRONG',
  TOO_LARGE: 'LIMIT_BYTES',
  WRONG_HOST: 'ADDRESS_WRONG',
  UNAUTHENTICATED: 'UNAUTHENTICATED',
  PERMISSION_DENIED: 'NOT_AUTHORIZED',
  RESOURCE_EXHAUSTED: 'LIMIT_RATE',
  UNAVAILABLE: 'UNAVAILABLE',
  DEADLINE_EXCEEDED: 'DEADLINE',
  ABORTED: 'TASK_CONFLICT',
  SDL_ENVELOPE_REJECTED: 'ENVELOPE_INVALID',
};

/** Another try may go better. */
const PASSING: ReadonlySet<Kind> = new Set(['RESOURCE_EXHAUSTED', 'UNAVAILABLE']);
const MOST_WORDS = 1_000;

export interface ToldRefusal {
  readonly kind: Kind;
  /** In the words of the agent. */
  readonly words: string;
  /** Of JSON-RPC, where it came with one. */
  readonly rpcCode?: number;
  /** Of HTTP. */
  readonly status?: number;
  /** What else it told, as it came. */
  readonly data?: JsonValue;
  /** It asks to be asked again. */
  readonly isRetryable?: boolean;
}

/** An agent of official A2A refused. Match on `code`, or on `kind` for the word of A2A. */
export class A2aRemoteError extends RemoteError {
  readonly kind: Kind;
  /** In the words of the agent. */
  readonly words: string;
  readonly rpcCode: number | undefined;
  readonly status: number | undefined;
  readonly data: JsonValue | undefined;

  constructor(told: ToldRefusal) {
    const { kind, rpcCode, status, data, isRetryable = false } = told;
    const reason = CODES[kind];
    const words = told.words.slice(0, MOST_WORDS);
    const payload = {
      code: ERRORS[reason].wire,
      message: words,
      details: { reason, a2a: kind },
      retryable: isRetryable || PASSING.has(kind),
    };
    super(payload, { isProven: false, isSigned: false, knowsSeq: undefined });
    this.kind = kind;
    this.words = words;
    this.rpcCode = rpcCode;
    this.status = status;
    this.data = data;
  }
}
