// Owns what tells which request a message answers, read before anything of it is proven.
// SPEC.md section 11 (#transport-correlation).

import type { JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Encoding } from './decode.ts';
import { decodeMessage } from './decode.ts';
import type { MessageType } from './types.ts';

/** What a message says of itself. A member that is missing or is not what it should be is absent. */
export interface AnswerHead {
  readonly type?: MessageType;
  readonly re?: string;
  /** `trace.parent_span_id`: the `span_id` of the request, also from v1 peers, which send no `re`. */
  readonly parentSpanId?: string;
}

/** `undefined` for bytes that are no message at all. */
export function peekAnswer(
  bytes: Uint8Array,
  encoding: Encoding,
  limits?: Partial<Limits>,
): AnswerHead | undefined {
  const value = decoded(bytes, encoding, limits);
  if (!isJsonObject(value)) return undefined;
  const { type, re, trace } = value;
  const parentSpanId = isJsonObject(trace) ? trace['parent_span_id'] : undefined;
  return {
    ...((type === 'req' || type === 'res' || type === 'evt') && { type }),
    ...(typeof re === 'string' && { re }),
    ...(typeof parentSpanId === 'string' && { parentSpanId }),
  };
}

function decoded(
  bytes: Uint8Array,
  encoding: Encoding,
  limits?: Partial<Limits>,
): JsonValue | undefined {
  try {
    return decodeMessage(bytes, encoding, limits);
  } catch (thrown) {
    if (thrown instanceof SdlError) return undefined;
    throw thrown;
  }
}
