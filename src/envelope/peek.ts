// Owns what tells which request a message answers, read before anything of it is proven.
// SPEC.md section 11 (#transport-correlation).

import { isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { resolveLimits } from '../limits.ts';
import type { Encoding } from './decode.ts';
import { DecodedMessage } from './decoded.ts';
import type { MessageType } from './types.ts';

/** What a message says of itself. A member that is missing or is not what it should be is absent. */
export interface AnswerHead {
  readonly type?: MessageType;
  readonly re?: string;
  /** `trace.parent_span_id`: the `span_id` of the request, also from v1 peers, which send no `re`. */
  readonly parentSpanId?: string;
  /** To go on with the answer, so that it is not read again. */
  readonly decoded: DecodedMessage;
}

/** `undefined` for bytes that are no message at all. */
export function peekAnswer(
  bytes: Uint8Array,
  encoding: Encoding,
  limits?: Partial<Limits>,
): AnswerHead | undefined {
  const known = resolveLimits(limits);
  const decoded = decodedOf(bytes, encoding, known);
  const value = DecodedMessage.valueOf(decoded, bytes, encoding, known);
  if (decoded === undefined || !isJsonObject(value)) return undefined;
  const { type, re, trace } = value;
  const parentSpanId = isJsonObject(trace) ? trace['parent_span_id'] : undefined;
  return {
    ...((type === 'req' || type === 'res' || type === 'evt') && { type }),
    ...(typeof re === 'string' && { re }),
    ...(typeof parentSpanId === 'string' && { parentSpanId }),
    decoded,
  };
}

function decodedOf(
  bytes: Uint8Array,
  encoding: Encoding,
  limits: Limits,
): DecodedMessage | undefined {
  try {
    return new DecodedMessage(bytes, encoding, limits);
  } catch (thrown) {
    if (thrown instanceof SdlError) return undefined;
    throw thrown;
  }
}
