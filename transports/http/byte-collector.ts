// Owns how pieces of something become one run of bytes within a limit. Memory follows what has arrived, not how small
// the pieces are. SPEC.md section 3 (#limits).

const FIRST_CAPACITY = 4_096;

export class ByteCollector {
  readonly #maxBytes: number;
  #buffer = new Uint8Array(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False when the piece does not fit any more; it is not kept then. */
  add(piece: Uint8Array): boolean {
    const length = this.#length + piece.length;
    if (length > this.#maxBytes) return false;
    if (length > this.#buffer.length) {
      const doubled = Math.max(length, 2 * this.#buffer.length, FIRST_CAPACITY);
      const grown = new Uint8Array(Math.min(doubled, this.#maxBytes));
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = length;
    return true;
  }

  /** A copy of everything since the last time. */
  take(): Uint8Array {
    const whole = this.#buffer.slice(0, this.#length);
    this.#length = 0;
    return whole;
  }
}
