// Owns what the SWP wire calls wrong: one code a refusal, its canonical name, and what it costs: a message, or the
// connection. SPEC.md section 19 (#swp-refusals).

import type { ErrorCode } from '../../../src/door/index.ts';
import { SdlError } from '../../../src/door/index.ts';
import type { Envelope } from './envelope.ts';

export type SwpCode =
  | 'INVALID_FRAME'
  | 'UNSUPPORTED_VERSION'
  | 'UNKNOWN_PROFILE'
  | 'INVALID_ENVELOPE'
  | 'SECURITY_POLICY'
  | 'RATE_LIMIT_EXCEEDED'
  | 'DUPLICATE_MSG_ID'
  | 'UNSUPPORTED_MSG_TYPE'
  | 'INVALID_PROFILE_PAYLOAD'
  | 'INTERNAL_ERROR';

/** A finer name than that of the code, where there is one. */
export type SwpDetail =
  | 'ERR_FRAME_TOO_LARGE'
  | 'ERR_INVALID_UVARINT'
  | 'ERR_EXT_TOO_LARGE'
  | 'ERR_PAYLOAD_TOO_LARGE'
  | 'ERR_MSG_ID_INVALID';

/** After these nothing more is read from the connection. */
const CLOSING: ReadonlySet<SwpCode> = new Set<SwpCode>([
  'INVALID_FRAME',
  'UNSUPPORTED_VERSION',
  'UNKNOWN_PROFILE',
  'SECURITY_POLICY',
  'RATE_LIMIT_EXCEEDED',
  'DUPLICATE_MSG_ID',
]);

/** The cause in the words of this package, where nothing closer is known. */
const CAUSES = {
  INVALID_FRAME: 'ENCODING_INVALID',
  UNSUPPORTED_VERSION: 'VERSION_UNSUPPORTED',
  UNKNOWN_PROFILE: 'CT_UNSUPPORTED',
  INVALID_ENVELOPE: 'ENVELOPE_INVALID',
  SECURITY_POLICY: 'UNAUTHENTICATED',
  RATE_LIMIT_EXCEEDED: 'LIMIT_RATE',
  DUPLICATE_MSG_ID: 'REPLAYED',
  UNSUPPORTED_MSG_TYPE: 'CT_UNSUPPORTED',
  INVALID_PROFILE_PAYLOAD: 'PAYLOAD_INVALID',
  INTERNAL_ERROR: 'INTERNAL',
} as const satisfies Record<SwpCode, ErrorCode>;

interface RefusalFacts {
  readonly detail?: SwpDetail;
  readonly cause?: ErrorCode;
  /** What was read of it, where all eight fields were. */
  readonly envelope?: Envelope;
}

/** A frame, or a message in it, that is not taken. Match on `code`. */
export class SwpRefusal extends Error {
  override readonly name = 'SwpRefusal';
  readonly code: SwpCode;
  readonly detail: SwpDetail | undefined;
  readonly envelope: Envelope | undefined;
  readonly #cause: ErrorCode;

  constructor(code: SwpCode, words: string, { detail, cause, envelope }: RefusalFacts = {}) {
    super(words);
    this.code = code;
    this.detail = detail;
    this.envelope = envelope;
    this.#cause = cause ?? CAUSES[code];
  }

  /** The canonical name. */
  get error(): `ERR_${SwpCode}` {
    return `ERR_${this.code}`;
  }

  /** The connection ends with it; otherwise the message alone is lost. */
  get closes(): boolean {
    return CLOSING.has(this.code);
  }

  /** As this package says it, for its log and its counters. */
  toSdlError(): SdlError {
    return new SdlError(this.#cause, this.message);
  }
}
