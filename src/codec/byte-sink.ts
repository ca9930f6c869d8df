// Owns the one growing buffer that writers fill. SPEC.md section 4.2 (#json-write).

const encoder = new TextEncoder();

const FIRST_SIZE = 4_096;

/** Up to here a loop over the characters beats a call into the encoder. */
export const SHORT_TEXT = 24;

export class ByteSink {
  protected bytes: Uint8Array = new Uint8Array(FIRST_SIZE);
  protected view: DataView = new DataView(this.bytes.buffer);
  protected at = 0;

  /** A copy of what was written, no larger than that. */
  take(): Uint8Array {
    return this.bytes.slice(0, this.at);
  }

  byte(byte: number): void {
    this.reserve(1);
    this.bytes[this.at++] = byte;
  }

  /** Well-formed text in UTF-8. Answers how many bytes it took. */
  protected utf8(text: string): number {
    // A UTF-16 unit becomes three bytes at the most.
    this.reserve(text.length * 3);
    const { written } = encoder.encodeInto(text, this.bytes.subarray(this.at));
    this.at += written;
    return written;
  }

  protected reserve(count: number): void {
    const needed = this.at + count;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}
