// Owns writing the wire of protobuf: lengths of what is nested are put in when they are known. SPEC.md section 20
// (#a2a-protobuf).

const FIRST_BYTES = 1_024;
/** A number of 32 bits, or the length of a message. */
const MAX_VARINT = 5;
/** A text has at most so many octets for each unit of UTF-16. */
const MAX_OCTETS = 3;
const ONE_OCTET = 0x80;
const LONE_SURROGATE = /\p{Surrogate}/u;

export class Sink {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;

  /** What was written. Nothing is written afterwards. */
  taken(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  uint32(value: number): void {
    this.#reserve(MAX_VARINT);
    this.#at = putVarint(this.#bytes, this.#at, value);
  }

  /** Negative numbers have 64 bits. */
  int64(value: number): void {
    if (value >= 0 && value < 2 ** 31) {
      this.uint32(value);
      return;
    }
    this.#reserve(2 * MAX_VARINT);
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 128n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 127n) | ONE_OCTET;
    this.#bytes[this.#at++] = Number(rest);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  /** Throws for text that has no form in UTF-8. */
  text(value: string): void {
    const most = value.length * MAX_OCTETS;
    const length = most < ONE_OCTET ? undefined : Buffer.byteLength(value);
    this.#reserve(MAX_VARINT + (length ?? most));
    const start = length === undefined ? this.#at + 1 : putVarint(this.#bytes, this.#at, length);
    const written = this.#bytes.write(value, start, 'utf8');
    if (length === undefined) this.#bytes[this.#at] = written;
    if (written !== value.length && LONE_SURROGATE.test(value)) {
      throw new TypeError('a text with a lone surrogate cannot be written');
    }
    this.#at = start + written;
  }

  /** From base64. */
  bytes(base64: string): void {
    const length = Buffer.byteLength(base64, 'base64');
    this.#reserve(MAX_VARINT + length);
    const start = putVarint(this.#bytes, this.#at, length);
    this.#at = start + this.#bytes.write(base64, start, 'base64');
  }

  /** What follows is nested, until {@link end}. */
  begin(): number {
    this.#reserve(1);
    this.#at += 1;
    return this.#at;
  }

  /** @param start what {@link begin} gave. */
  end(start: number): void {
    const length = this.#at - start;
    if (length < ONE_OCTET) {
      this.#bytes[start - 1] = length;
      return;
    }
    this.#reserve(MAX_VARINT);
    const more = varintLength(length) - 1;
    this.#bytes.copyWithin(start + more, start, this.#at);
    putVarint(this.#bytes, start - 1, length);
    this.#at += more;
  }

  #reserve(length: number): void {
    const needed = this.#at + length;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** Where the next octet stands. */
function putVarint(bytes: Buffer, at: number, value: number): number {
  let next = at;
  let rest = value;
  for (; rest >= ONE_OCTET; rest >>>= 7) bytes[next++] = (rest & 0x7f) | ONE_OCTET;
  bytes[next] = rest;
  return next + 1;
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) length += 1;
  return length;
}
