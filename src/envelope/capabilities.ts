// Owns `cap`, what an agent says of itself. SPEC.md sections 3 and 8 (#limits-announce, #cap-x).

import type { JsonObject } from '../codec/value.ts';
import type { Limits } from '../limits.ts';
import { DEFAULT_LIMITS } from '../limits.ts';

export interface CapabilityOptions {
  readonly tools?: readonly string[];
  readonly limits?: Limits;
}

/** Both body encodings, the v1 algorithms, and the additions that are understood. */
export function defaultCapabilities(options: CapabilityOptions = {}): JsonObject {
  const { tools = [], limits = DEFAULT_LIMITS } = options;
  return {
    a2a_sdl: {
      v: 1,
      enc: ['json', 'cbor'],
      sig: ['ed25519'],
      kex: ['x25519'],
      comp: [],
      x: ['re'],
    },
    tools: [...tools],
    modalities: ['text'],
    limits: {
      max_bytes: limits.maxBytes,
      max_depth: limits.maxDepth,
      max_array_len: limits.maxArrayLength,
      max_hops: limits.maxHops,
    },
  };
}
