// Owns the one growing buffer that writers fill. SPEC.md section 4.2 (#json-write).

const encoder = new TextEncoder();

const FIRST_SIZE = 4_096;
/** One long message must not hold its memory for ever. */
const MAX_SPARE = 65_536;
const NONE = new Uint8Array(0);

/** Up to here a loop over the characters beats a call into the encoder. */
export const SHORT_TEXT = 24;

/** The buffer of a writer that is done: a fresh one costs more than most of what is written. */
let spare: Uint8Array | undefined;

export class ByteSink {
  protected bytes: Uint8Array;
  protected view: DataView;
  protected at = 0;

  constructor() {
    this.bytes = spare ?? new Uint8Array(FIRST_SIZE);
    // Not to be had twice, should one writer start while another is at work.
    spare = undefined;
    this.view = new DataView(this.bytes.buffer);
  }

  /** A copy of what was written, no larger than that. To be called once, at the end. */
  take(): Uint8Array {
    const written = this.bytes.slice(0, this.at);
    if (this.bytes.length <= MAX_SPARE) spare = this.bytes;
    this.bytes = NONE;
    return written;
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
