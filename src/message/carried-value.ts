// Owns how an envelope is read that another dialect has written anew: its numbers are those that JCS writes, since a wire
// of doubles says 1.0 for 1. SPEC.md sections 4.3 and 22 (#jcs-merge, #sealed-message).

import { mergeJcsNumbers } from '../codec/jcs-merge.ts';
import type { JsonValue } from '../codec/value.ts';
import { decodeMessage } from '../envelope/decode.ts';
import type { Limits } from '../limits.ts';
import type { PassageMessage } from '../pipeline/passage.ts';
import type { PeerFacts } from '../transport.ts';

export function readCarried(bytes: Uint8Array, limits: Limits): JsonValue {
  return mergeJcsNumbers(decodeMessage(bytes, 'json', limits));
}

/** For the checks. */
export function carriedMessage(bytes: Uint8Array, peer: PeerFacts, limits: Limits): PassageMessage {
  return { bytes, encoding: 'json', peer, value: readCarried(bytes, limits) };
}
