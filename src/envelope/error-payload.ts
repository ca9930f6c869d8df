// Owns what `error.v1` tells the peer, and no more. SPEC.md section 12 (#errors, #errors-opaque).

import type { JsonObject } from '../codec/value.ts';
import type { SdlError } from '../errors.ts';

/** Fixed words and declared details only; the reason stays in the local log. */
export function toErrorPayload(error: SdlError): JsonObject {
  const { wire, words, retryable } = error.row;
  const isOpaque = wire === 'SECURITY_UNSUPPORTED';
  return {
    code: wire,
    message: words,
    details: isOpaque ? {} : { reason: error.code, ...error.details },
    retryable,
  };
}
