// Owns what an agent sees when the other end refuses its request: the `error.v1` that came back. SPEC.md section 12 (#errors).

import type { JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { fineCode } from '../errors.ts';

/** What is known of where an error came from. */
interface RemoteErrorProof {
  readonly isProven: boolean;
  readonly isSigned: boolean;
  readonly knowsSeq: number | undefined;
}

/** Match on `code`. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  /** The finest code that the other end tells: one of the error table, such as `TASK_UNKNOWN`, else {@link wireCode}. */
  readonly code: string;
  /** The coarse code, such as `SECURITY_UNSUPPORTED`. */
  readonly wireCode: string;
  readonly details: Readonly<Record<string, JsonValue>>;
  readonly retryable: boolean;
  /** The agent that was asked signed it for these very bytes of ours. */
  readonly isProven: boolean;
  /** It signed it for a request of this id. Who has seen the id can bring that about with a broken copy. */
  readonly isSigned: boolean;
  /** The `seq` of the key bundle of ours that the other end has; none when it does not know us. */
  readonly knowsSeq: number | undefined;

  constructor(payload: JsonValue, proof: RemoteErrorProof) {
    const error = isJsonObject(payload) ? payload : {};
    const { message, retryable } = error;
    const details = isJsonObject(error['details']) ? error['details'] : {};
    const wireCode = textOf(error['code'], 'INTERNAL');
    const code = fineCode(wireCode, details);
    super(`${code}: ${textOf(message, 'the request was refused')}`);
    this.code = code;
    this.wireCode = wireCode;
    this.details = details;
    this.retryable = retryable === true;
    this.isProven = proof.isProven;
    this.isSigned = proof.isSigned;
    this.knowsSeq = proof.knowsSeq;
  }
}

function textOf(value: JsonValue | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
