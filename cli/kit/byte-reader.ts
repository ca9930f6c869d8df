// Owns reading a stream of bytes as lines and counted pieces, holding no more of it than is asked for.

const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);

export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = NOTHING;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Without its newline. `undefined` when there is none within `most` bytes. */
  async line(most: number): Promise<Uint8Array | undefined> {
    for (;;) {
      const at = this.#rest.indexOf(NEWLINE);
      if (at >= 0 && at <= most) return this.#take(at + 1).subarray(0, at);
      if (at > most || this.#rest.length > most || !(await this.#more())) return undefined;
    }
  }

  /** Exactly so many; `undefined` when the stream ends before. */
  async bytes(count: number): Promise<Uint8Array | undefined> {
    const bytes = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      if (this.#rest.length === 0 && !(await this.#more())) return undefined;
      const piece = this.#take(Math.min(count - filled, this.#rest.length));
      bytes.set(piece, filled);
      filled += piece.length;
    }
    return bytes;
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#more());
  }

  #take(count: number): Uint8Array {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  async #more(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return false;
      if (value.length === 0) continue;
      const joined = new Uint8Array(this.#rest.length + value.length);
      joined.set(this.#rest);
      joined.set(value, this.#rest.length);
      this.#rest = joined;
      return true;
    }
  }
}
