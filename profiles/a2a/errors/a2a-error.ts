// Owns a refusal in the words of A2A: its kind, what the caller is told of it, and the error of this package behind it.
// SPEC.md section 20 (#a2a-errors).

import type { ErrorCode } from '../../../src/door/index.ts';
import { SdlError, toSdlError } from '../../../src/door/index.ts';
import type { Kind } from './kinds.ts';
import { MAP } from './map.ts';

/** A member of the request that is wrong. */
export interface Violation {
  /** Such as `message.parts[0].raw`. */
  readonly field: string;
  readonly description: string;
}

interface Told {
  readonly violations?: readonly Violation[];
  /** For `ErrorInfo.metadata`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** For the form that has a list of them. */
  readonly supportedVersions?: readonly string[];
  /** A header `Allow` of HTTP. */
  readonly allow?: readonly string[];
  /** A header `WWW-Authenticate` of HTTP. */
  readonly challenge?: string | undefined;
  /** The same may be asked again later. @default false */
  readonly isRetryable?: boolean;
}

/** What the face refuses by itself. The door throws SdlErrors, which {@link toA2aError} puts into these words. */
export class A2aError extends Error {
  override readonly name = 'A2aError';
  readonly kind: Kind;
  /** In the words of this package: for the log and the counters. */
  readonly error: SdlError;
  /** What the caller is told. */
  readonly words: string;
  readonly violations: readonly Violation[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly supportedVersions: readonly string[] | undefined;
  readonly allow: readonly string[] | undefined;
  readonly challenge: string | undefined;
  readonly isRetryable: boolean;

  constructor(kind: Kind, error: SdlError, words: string, told: Told = {}) {
    super(words);
    this.kind = kind;
    this.error = error;
    this.words = words;
    this.violations = told.violations ?? [];
    this.metadata = told.metadata ?? {};
    this.supportedVersions = told.supportedVersions;
    this.allow = told.allow;
    this.challenge = told.challenge;
    this.isRetryable = told.isRetryable ?? false;
  }
}

/** A refusal of the face itself. */
export function refusal(kind: Kind, code: ErrorCode, words: string, told?: Told): A2aError {
  return new A2aError(kind, new SdlError(code, words), words, told);
}

export function invalidInput(violations: readonly Violation[]): A2aError {
  const [first] = violations;
  const words = `the request is not valid: ${first!.field === '' ? 'it' : first!.field} ${first!.description}`;
  return refusal('INVALID_PARAMS', 'PAYLOAD_INVALID', words, { violations });
}

export function noSuchTask(): A2aError {
  const error = new SdlError('TASK_UNKNOWN', 'there is no such task');
  return new A2aError(MAP[error.code], error, error.row.words);
}

/** What the same request may be free of later. Of the others what is retryable on our own wire is so in another form. */
const PASSING: ReadonlySet<Kind> = new Set([
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'ABORTED',
]);

/** Whatever was thrown, in the words of A2A: the fixed words of the table, and what an agent said when it refused. */
export function toA2aError(thrown: unknown): A2aError {
  if (thrown instanceof A2aError) return thrown;
  const error = toSdlError(thrown);
  const { code, row, details } = error;
  const { max_hooks: maxHooks } = details;
  if (maxHooks !== undefined) {
    const words = `a task has at most ${String(maxHooks)} push notification configs`;
    return new A2aError(MAP[code], error, words);
  }
  const { member, expected } = details;
  if (code === 'PAYLOAD_INVALID' && typeof member === 'string' && typeof expected === 'string') {
    return invalidInput([{ field: wireName(member), description: `expected ${expected}` }]);
  }
  const said = code === 'TASK_REFUSED' ? details['message'] : undefined;
  const words = typeof said === 'string' ? `${row.words}: ${said}` : row.words;
  const kind = MAP[code];
  return new A2aError(kind, error, words, { isRetryable: row.retryable && PASSING.has(kind) });
}

/** The same with a challenge. */
export function challenged(error: A2aError, challenge: string | undefined): A2aError {
  if (challenge === undefined) return error;
  const { kind, words, violations, metadata, isRetryable } = error;
  return new A2aError(kind, error.error, words, { violations, metadata, isRetryable, challenge });
}

/** What the wires call a member of a message by another name. */
function wireName(member: string): string {
  return member
    .replace(/^message\.id$/, 'message.messageId')
    .replace(/^message\.references$/, 'message.referenceTaskIds');
}
