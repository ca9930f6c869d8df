// Owns what is said of the bytes that something came in: their hash, their size, their media type. SPEC.md section 17
// (#assay-raw).

import { sha256Hex } from './canonical.ts';
import { ConvertError } from './error.ts';

export interface RawReference {
  /** Of the exact bytes, in bare hexadecimal digits. */
  readonly sha256: string;
  readonly size_bytes: number;
  /** Lower case, without parameters. */
  readonly media_type: string;
}

const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** Throws `config` for what is no media type. */
export function rawReference(bytes: Uint8Array, mediaType: string): RawReference {
  const bare = mediaType.split(';', 1)[0]!.trim().toLowerCase();
  if (!MEDIA_TYPE.test(bare)) {
    throw new ConvertError('config', '"mediaType" expected type/subtype');
  }
  return { sha256: sha256Hex(bytes), size_bytes: bytes.length, media_type: bare };
}
