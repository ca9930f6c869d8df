// Owns what an agent sees when the other end refuses its request: the `error.v1` that came back. SPEC.md section 12 (#errors).

import type { JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';

/** What is known of where an error came from. */
interface RemoteErrorProof {
  readonly isProven: boolean;
  readonly isSigned: boolean;
  readonly knowsSeq: number | undefined;
}

/** Match on `code`, and on `reason` for the finer code where the other end tells it. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  /** The wire code, such as `SECURITY_UNSUPPORTED`. */
  readonly code: string;
  /** `details.reason`: a code of the error table. */
  readonly reason: string | undefined;
  readonly details: Readonly<Record<string, JsonValue>>;
  readonly retryable: boolean;
  /** The agent that was asked signed it for these very bytes of ours. */
  readonly isProven: boolean;
  /** It signed it for a request of this id. Whoever has seen the id can bring that about with a broken copy. */
  readonly isSigned: boolean;
  /** The `seq` of the key bundle of ours that the other end has; none when it does not know us. */
  readonly knowsSeq: number | undefined;

  constructor(payload: JsonValue, proof: RemoteErrorProof) {
    const error = isJsonObject(payload) ? payload : {};
    const { code, message, details, retryable } = error;
    super(`${textOf(code, 'INTERNAL')}: ${textOf(message, 'the request was refused')}`);
    this.code = textOf(code, 'INTERNAL');
    this.details = isJsonObject(details) ? details : {};
    const { reason } = this.details;
    this.reason = typeof reason === 'string' ? reason : undefined;
    this.retryable = retryable === true;
    this.isProven = proof.isProven;
    this.isSigned = proof.isSigned;
    this.knowsSeq = proof.knowsSeq;
  }
}

function textOf(value: JsonValue | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
