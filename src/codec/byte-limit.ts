// Owns the first limit of every reader: nothing is looked at when there is too much of it. SPEC.md section 3 (#limits).

import { SdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';

export function assertByteLimit(bytes: Uint8Array, { maxBytes }: Limits): void {
  // A buffer or a view of another kind has no `length`, and everything below would see nothing.
  if (Object.prototype.toString.call(bytes) !== '[object Uint8Array]') {
    throw new TypeError('"bytes" expected a Uint8Array; wrap a buffer in new Uint8Array(buffer)');
  }
  if (bytes.length > maxBytes) {
    throw new SdlError('LIMIT_BYTES', `${bytes.length} bytes exceed ${maxBytes}`, {
      details: { limit: maxBytes },
    });
  }
}
