// Owns a message that was read already, on its way to who reads it next: so that an answer is read once, although two
// need what is in it. SPEC.md section 11 (#transport-correlation).

import type { JsonValue } from '../codec/value.ts';
import type { Limits } from '../limits.ts';
import type { Encoding } from './decode.ts';
import { decodeMessage } from './decode.ts';

/** Opaque: nobody can make one that says something else than its bytes do. */
export class DecodedMessage {
  readonly #bytes: Uint8Array;
  readonly #encoding: Encoding;
  readonly #limits: Limits;
  readonly #value: JsonValue;

  /** Throws as `decodeMessage` does. */
  constructor(bytes: Uint8Array, encoding: Encoding, limits: Limits) {
    this.#bytes = bytes;
    this.#encoding = encoding;
    this.#limits = limits;
    this.#value = decodeMessage(bytes, encoding, limits);
  }

  /** What these very bytes were read as within these very limits; `undefined` for any others. */
  static valueOf(
    decoded: DecodedMessage | undefined,
    bytes: Uint8Array,
    encoding: Encoding,
    limits: Limits,
  ): JsonValue | undefined {
    // A transport may be anybody's.
    if (decoded === undefined || !(#value in decoded)) return undefined;
    const isSame =
      decoded.#bytes === bytes && decoded.#encoding === encoding && decoded.#limits === limits;
    return isSame ? decoded.#value : undefined;
  }
}
