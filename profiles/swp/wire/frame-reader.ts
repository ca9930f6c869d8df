// Owns cutting a stream of octets into the bodies of frames, however it came in chunks. A frame that lies within one chunk
// is handed out where it stands, without a copy. SPEC.md section 19 (#swp-frame).

import { FrameReader } from '../../../src/transport.ts';
import { frameRefusal } from './frame-refusal.ts';

const LENGTH_BYTES = 4;

export class SwpFrameReader {
  readonly #maxBytes: number;
  /** For a frame whose parts come in several chunks. */
  #parts: FrameReader | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** A frame has begun and is not complete. */
  get isInsideFrame(): boolean {
    return this.#parts?.isInsideFrame === true;
  }

  /**
   * Hands over each body that this chunk completes, until one is not wanted. Who keeps octets of a body copies them: they
   * are those of the whole chunk. Throws a refusal at a length that cannot be; the stream cannot be read on then.
   */
  read(chunk: Uint8Array, take: (body: Uint8Array) => boolean): void {
    let at = 0;
    if (this.isInsideFrame) {
      at = this.#finish(chunk, take);
      if (at < 0) return;
    }
    while (chunk.length - at >= LENGTH_BYTES) {
      const length =
        chunk[at]! * 0x1_00_00_00 +
        ((chunk[at + 1]! << 16) | (chunk[at + 2]! << 8) | chunk[at + 3]!);
      const end = at + LENGTH_BYTES + length;
      // What is wrong with a length is said in one place.
      if (length === 0 || length > this.#maxBytes || end > chunk.length) break;
      at = end;
      if (!take(chunk.subarray(end - length, end))) return;
    }
    if (at < chunk.length) this.#begin(chunk.subarray(at));
  }

  /** The rest of a frame that began earlier. @returns where the next one begins; −1 when no more is wanted. */
  #finish(chunk: Uint8Array, take: (body: Uint8Array) => boolean): number {
    for (let at = 0; at < chunk.length;) {
      // In pieces, so that nothing of the next frame is taken with it.
      const step = Math.min(chunk.length - at, this.#missing());
      const [body] = this.#read(chunk.subarray(at, at + step));
      at += step;
      if (body !== undefined) return take(body) ? at : -1;
    }
    return chunk.length;
  }

  #begin(rest: Uint8Array): void {
    this.#read(rest);
  }

  #missing(): number {
    return this.#parts!.missingBytes;
  }

  #read(part: Uint8Array): readonly Uint8Array[] {
    const parts = (this.#parts ??= new FrameReader(this.#maxBytes));
    try {
      return [...parts.read(part)];
    } catch (thrown) {
      throw frameRefusal(thrown);
    }
  }
}
