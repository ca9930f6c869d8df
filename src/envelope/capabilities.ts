// Owns `cap`, what an agent says of itself. SPEC.md sections 3 and 8 (#limits-announce, #cap-x).

import type { JsonObject } from '../codec/value.ts';
import type { Limits } from '../limits.ts';
import { resolveLimits } from '../limits.ts';

export interface CapabilityOptions {
  readonly tools?: readonly string[];
  readonly limits?: Partial<Limits>;
}

/** The additions to version 1 that are understood here. */
export const ADDITIONS: readonly string[] = ['re', 'bind', 'canon', 'stream', 'parts'];

/** Both body encodings, the algorithms of version 1 and the additions that are understood. */
export function defaultCapabilities(options: CapabilityOptions = {}): JsonObject {
  const { tools = [] } = options;
  const limits = resolveLimits(options.limits);
  return {
    a2a_sdl: {
      v: 1,
      enc: ['json', 'cbor'],
      sig: ['ed25519'],
      kex: ['x25519'],
      comp: [],
      x: [...ADDITIONS],
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
