// Owns what `error.v1` tells the peer, and no more. SPEC.md section 12 (#errors, #errors-opaque).

import type { JsonObject } from '../codec/value.ts';
import type { ErrorCode, ErrorRow, SdlError, WireCode } from '../errors.ts';

/** As exactly as the peer may know it: why a seal is not accepted is nobody's business, in a receipt neither. */
export function toldCode({ code, row }: SdlError): ErrorCode | WireCode {
  return isOpaque(row) ? row.wire : code;
}

/** Fixed words and declared details only; the reason stays in the local log. */
export function toErrorPayload(error: SdlError): JsonObject {
  const { wire, words, retryable } = error.row;
  return {
    code: wire,
    message: words,
    details: isOpaque(error.row) ? {} : { reason: error.code, ...error.details },
    retryable,
  };
}

function isOpaque({ wire }: ErrorRow): boolean {
  return wire === 'SECURITY_UNSUPPORTED';
}
