// Owns the first limit of every reader: nothing is looked at when there is too much of it. SPEC.md section 3 (#limits).

import { SdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';

export function assertByteLimit(bytes: Uint8Array, { maxBytes }: Limits): void {
  if (bytes.length > maxBytes) {
    throw new SdlError('LIMIT_BYTES', `${bytes.length} bytes exceed ${maxBytes}`, {
      details: { limit: maxBytes },
    });
  }
}
