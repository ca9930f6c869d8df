// Owns what is wrong with the length of a frame, as the SWP wire says it. SPEC.md section 19 (#swp-frame, #swp-refusals).

import { SdlError } from '../../../src/door/index.ts';
import { SwpRefusal } from './refusal.ts';

/** What the reader of frames has thrown, as the wire says it. */
export function frameRefusal(thrown: unknown): SwpRefusal {
  if (thrown instanceof SwpRefusal) return thrown;
  if (!(thrown instanceof SdlError)) throw thrown;
  return thrown.code === 'LIMIT_BYTES'
    ? new SwpRefusal('INVALID_FRAME', thrown.reason, {
        detail: 'ERR_FRAME_TOO_LARGE',
        cause: 'LIMIT_BYTES',
      })
    : new SwpRefusal('INVALID_FRAME', thrown.reason);
}
