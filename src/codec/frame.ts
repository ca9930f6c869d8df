// Owns frames: a message behind its length as an unsigned 32-bit big-endian integer. SPEC.md section 11 (#transport-ipc).

import { SdlError } from '../errors.ts';

const HEADER_BYTES = 4;
/** What is held for a frame before any of it has come. */
const FIRST_BODY_BYTES = 4_096;

/** One frame with this body. */
export function writeFrame(body: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, HEADER_BYTES);
  return frame;
}

/**
 * Takes a stream of bytes apart, however it was cut into chunks. The memory that it holds is at most twice what has
 * come of the frame, never what its header promises; and each byte is copied a bounded number of times.
 */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #header = new Uint8Array(HEADER_BYTES);
  #headerLength = 0;
  #body: Uint8Array = new Uint8Array(0);
  #bodyLength = 0;
  /** Of the frame whose header is complete. */
  #expected = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** A frame has begun and is not complete. */
  get isInsideFrame(): boolean {
    return this.#headerLength > 0;
  }

  /** So many bytes complete what has begun: the header, or the body behind it. */
  get missingBytes(): number {
    return this.#headerLength < HEADER_BYTES
      ? HEADER_BYTES - this.#headerLength
      : this.#expected - this.#bodyLength;
  }

  /**
   * Yields the body of each frame that this chunk completes. Go through all of them before the next chunk.
   * Throws LIMIT_BYTES or ENCODING_INVALID at a header that is refused; the stream cannot be read on then.
   */
  *read(chunk: Uint8Array): Generator<Uint8Array, void> {
    let at = 0;
    while (at < chunk.length) {
      at += this.#headerLength < HEADER_BYTES ? this.#takeHeader(chunk, at) : this.#take(chunk, at);
      if (this.#headerLength < HEADER_BYTES || this.#bodyLength < this.#expected) continue;
      const body = this.#body;
      this.#headerLength = 0;
      this.#bodyLength = 0;
      this.#body = new Uint8Array(0);
      yield body;
    }
  }

  #takeHeader(chunk: Uint8Array, at: number): number {
    const part = chunk.subarray(at, at + HEADER_BYTES - this.#headerLength);
    this.#header.set(part, this.#headerLength);
    this.#headerLength += part.length;
    if (this.#headerLength === HEADER_BYTES) this.#start();
    return part.length;
  }

  #start(): void {
    const length = new DataView(this.#header.buffer).getUint32(0);
    if (length === 0) throw new SdlError('ENCODING_INVALID', 'a frame is empty');
    if (length > this.#maxBytes) {
      throw new SdlError('LIMIT_BYTES', `a frame of ${length} bytes exceeds ${this.#maxBytes}`, {
        details: { limit: this.#maxBytes },
      });
    }
    this.#expected = length;
    this.#body = new Uint8Array(Math.min(length, FIRST_BODY_BYTES));
  }

  #take(chunk: Uint8Array, at: number): number {
    const part = chunk.subarray(at, at + this.#expected - this.#bodyLength);
    const needed = this.#bodyLength + part.length;
    if (needed > this.#body.length) {
      // Doubling keeps the copying linear; the last step ends at the exact length, so the body is handed out as it is.
      const grown = new Uint8Array(
        Math.min(this.#expected, Math.max(needed, 2 * this.#body.length)),
      );
      grown.set(this.#body.subarray(0, this.#bodyLength));
      this.#body = grown;
    }
    this.#body.set(part, this.#bodyLength);
    this.#bodyLength = needed;
    return part.length;
  }
}
