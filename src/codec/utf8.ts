// Owns UTF-8 in and out, strictly: invalid bytes and lone surrogates are refused, a BOM is kept. SPEC.md section 4.2 (#json).

import { SdlError } from '../errors.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new SdlError('ENCODING_INVALID', 'the text is not valid UTF-8', { cause });
  }
}

/** Text of ours to bytes; the caller has made sure that it is well formed. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}
