// Owns what is told of a message that is not what it should be: a code, and where it was found. SPEC.md section 22
// (#sealed-verdict).

import type { ErrorCode } from '../../../src/door/index.ts';
import { SdlError } from '../../../src/transport.ts';

/**
 * Beside the codes of the checks. `NOT_PROTECTED`: there is no envelope. `REQUEST_UNKNOWN`: it is not known what was
 * asked. `CONTENT_CHANGED`: not what was signed. `EVENT_REPEATED`, `EVENT_ORDER`, `EVENT_MISSING`: the numbers of the
 * events. `ARTIFACT_MIXED`, `ARTIFACT_INCOMPLETE`: the updates of an artifact. `END_UNPROVEN`, `END_REPEATED`: none, or
 * more than one, says how the exchange came to rest. `STATE_CHANGED`: the path says another state than the agent.
 * `RECEIPT_MISMATCH`: the agent's word on all that it said is not what came.
 */
export type SealedFault =
  | 'NOT_PROTECTED'
  | 'REQUEST_UNKNOWN'
  | 'CONTENT_CHANGED'
  | 'EVENT_REPEATED'
  | 'EVENT_ORDER'
  | 'EVENT_MISSING'
  | 'ARTIFACT_MIXED'
  | 'ARTIFACT_INCOMPLETE'
  | 'END_UNPROVEN'
  | 'END_REPEATED'
  | 'STATE_CHANGED'
  | 'RECEIPT_MISMATCH';

export type SealedCode = ErrorCode | SealedFault;

export class SealedError extends Error {
  override readonly name = 'SealedError';
  readonly code: SealedCode;
  /** Such as `artifacts[0].parts[2]`. */
  readonly where: string;

  constructor(code: SealedCode, message: string, where = '', cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.where = where;
  }
}

/** One thing that is wrong, where nothing is thrown. */
export interface Problem {
  readonly code: SealedCode;
  readonly where: string;
}

/** What fails a check keeps its code. Anything else is a fault of this program. */
export function toSealedError(thrown: unknown, where: string): SealedError {
  if (thrown instanceof SealedError) return thrown;
  if (!(thrown instanceof SdlError)) throw thrown;
  const place = where === '' ? '' : `${where}: `;
  return new SealedError(thrown.code, `${place}${thrown.reason}`, where, thrown);
}
