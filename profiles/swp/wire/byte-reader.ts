// Owns reading numbers and octets from bytes that nobody has checked: nothing is taken that is not there.
// SPEC.md section 19 (#swp-envelope).

/** What was not there, or no number. The reader of a form says which refusal that is. */
export class ReadFault extends Error {
  override readonly name = 'ReadFault';
  readonly kind: 'uvarint' | 'cut';

  constructor(kind: 'uvarint' | 'cut', words: string) {
    super(words);
    this.kind = kind;
  }
}

const NOTHING: Uint8Array = Buffer.alloc(0);
const MAX_OCTETS = 10;
/** Seven octets hold 49 bits: a plain number without loss. */
const PLAIN_OCTETS = 7;
/** Most numbers of an envelope are small. */
const SMALL: readonly bigint[] = Array.from({ length: 128 }, (_, value) => BigInt(value));
const LAST_OCTET = MAX_OCTETS - 1;

export class ByteReader {
  readonly bytes: Uint8Array;
  readonly #end: number;
  at: number;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.at = start;
    this.#end = end;
  }

  get rest(): number {
    return this.#end - this.at;
  }

  /** Low group first, at most ten octets and 64 bits; a form that is longer than needed counts. */
  uvarint(): bigint {
    const value = this.#number();
    if (typeof value === 'bigint') return value;
    return value < SMALL.length ? SMALL[value]! : BigInt(value);
  }

  /** The same as a plain number; `Infinity` for what is larger than any that is used. */
  plain(): number {
    const value = this.#number();
    if (typeof value === 'number') return value;
    return value <= Number.MAX_SAFE_INTEGER ? Number(value) : Infinity;
  }

  /** Octets behind their length. They stand where they stood: nothing is copied. */
  octets(): Uint8Array {
    const length = this.plain();
    if (length === 0) return NOTHING;
    if (length > this.rest) throw new ReadFault('cut', 'a field is longer than what is left');
    const taken = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return taken;
  }

  skip(length: number): void {
    if (length > this.rest) throw new ReadFault('cut', 'a field is longer than what is left');
    this.at += length;
  }

  #number(): number | bigint {
    const { bytes } = this;
    let value = 0;
    let scale = 1;
    for (let count = 0; count < PLAIN_OCTETS; count += 1) {
      if (this.at >= this.#end) throw new ReadFault('uvarint', 'a number is cut off');
      const octet = bytes[this.at]!;
      this.at += 1;
      value += (octet & 0x7f) * scale;
      if (octet < 0x80) return value;
      scale *= 128;
    }
    return this.#long(BigInt(value));
  }

  #long(low: bigint): bigint {
    let value = low;
    for (let count = PLAIN_OCTETS; count < MAX_OCTETS; count += 1) {
      if (this.at >= this.#end) throw new ReadFault('uvarint', 'a number is cut off');
      const octet = this.bytes[this.at]!;
      this.at += 1;
      if (count === LAST_OCTET && octet > 1) break;
      value |= BigInt(octet & 0x7f) << BigInt(7 * count);
      if (octet < 0x80) return value;
    }
    throw new ReadFault('uvarint', 'a number has more than 64 bits');
  }
}
