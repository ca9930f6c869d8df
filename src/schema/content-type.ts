// Owns the refusal of a content type that nobody registered. SPEC.md section 9 (#ct-unknown).

import { quoteForLog } from '../codec/pointer.ts';
import { SdlError } from '../errors.ts';

/** Tells the peer what it may send instead. */
export function unknownContentType(ct: string, known: ReadonlySet<string>): SdlError {
  return new SdlError('CT_UNSUPPORTED', `the content type ${quoteForLog(ct)} is not registered`, {
    details: { supported_ct: [...known].sort() },
  });
}
