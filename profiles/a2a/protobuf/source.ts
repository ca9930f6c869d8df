// Owns reading the wire of protobuf from bytes that nobody has checked: nothing is taken that is not there, and nothing
// beyond the limits. SPEC.md section 20 (#a2a-protobuf).

import type { ErrorCode } from '../../../src/door/index.ts';
import { SdlError } from '../../../src/door/index.ts';
import type { Limits } from '../../../src/transport.ts';
import { FIXED64, LENGTH, VARINT } from './layout.ts';

const FIXED32 = 5;
const GROUP = 3;
const END_GROUP = 4;
const MAX_OCTETS = 10;
const REPLACEMENT = '\ufffd';
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class Source {
  readonly #bytes: Buffer;
  readonly #limits: Limits;
  #values = 0;
  /** The last number that was read: its lower and upper 32 bits. */
  #low = 0;
  #high = 0;
  /** Where the next octet stands. */
  at = 0;

  constructor(bytes: Uint8Array, limits: Limits) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#limits = limits;
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** Number and wire type of the next field. */
  tag(end: number): number {
    this.#varint(end);
    const tag = this.#low;
    // A number of a field has 29 bits, and is not 0.
    if (this.#high !== 0 || tag < 8) throw malformed('a field has no number');
    return tag;
  }

  /** Where the value ends that begins with its length. */
  until(end: number): number {
    this.#varint(end);
    if (this.#high !== 0 || this.#low > end - this.at) {
      throw malformed('a field is longer than what is left');
    }
    return this.at + this.#low;
  }

  int32(end: number): number {
    this.#varint(end);
    return this.#low | 0;
  }

  /** As text where no `number` holds it. */
  int64(end: number): number | string {
    this.#varint(end);
    const value = BigInt.asIntN(64, (BigInt(this.#high) << 32n) | BigInt(this.#low));
    const plain = Number(value);
    return Number.isSafeInteger(plain) ? plain : value.toString();
  }

  bool(end: number): boolean {
    this.#varint(end);
    return this.#low !== 0 || this.#high !== 0;
  }

  double(end: number): number {
    const at = this.at;
    this.#pass(8, end);
    return this.#bytes.readDoubleLE(at);
  }

  text(end: number): string {
    const stop = this.until(end);
    const { at } = this;
    if (stop - at > this.#limits.maxStringBytes)
      throw tooMuch('LIMIT_STRING', 'a text is too long');
    this.at = stop;
    const text = this.#bytes.toString('utf8', at, stop);
    // Only what is no UTF-8, or says so itself, has one of these.
    return text.includes(REPLACEMENT) ? this.#strictly(at, stop) : text;
  }

  /** A copy: what was received as one piece can be let go. */
  bytes(end: number): Uint8Array {
    const stop = this.until(end);
    const taken = Uint8Array.prototype.slice.call(this.#bytes, this.at, stop);
    this.at = stop;
    return taken;
  }

  /** Passes by a field that nobody knows. */
  skip(tag: number, end: number): void {
    const groups: number[] = [];
    for (let next = tag; ; next = this.tag(end)) {
      const number = next >>> 3;
      switch (next & 7) {
        case VARINT:
          this.#varint(end);
          break;
        case FIXED64:
          this.#pass(8, end);
          break;
        case LENGTH:
          this.at = this.until(end);
          break;
        case FIXED32:
          this.#pass(4, end);
          break;
        case GROUP:
          this.assertDepth(groups.push(number));
          break;
        case END_GROUP:
          if (groups.pop() === number) break;
          throw malformed('a group ends that did not begin');
        default:
          throw malformed('a field is of no wire type');
      }
      if (groups.length === 0) return;
    }
  }

  assertDepth(depth: number): void {
    if (depth > this.#limits.maxDepth) throw tooMuch('LIMIT_DEPTH', 'it is nested too deeply');
  }

  /** One more value of the whole message. */
  count(): void {
    this.#values += 1;
    if (this.#values > this.#limits.maxValues) throw tooMuch('LIMIT_VALUES', 'too many values');
  }

  assertRoomIn(list: readonly unknown[]): void {
    if (list.length >= this.#limits.maxArrayLength) {
      throw tooMuch('LIMIT_ARRAY', 'a list is too long');
    }
  }

  assertMembers(count: number): void {
    if (count > this.#limits.maxMembers) throw tooMuch('LIMIT_MEMBERS', 'too many members');
  }

  #pass(length: number, end: number): void {
    if (length > end - this.at) throw malformed('a field is longer than what is left');
    this.at += length;
  }

  #strictly(start: number, stop: number): string {
    try {
      return strict.decode(this.#bytes.subarray(start, stop));
    } catch {
      throw malformed('a text is not valid UTF-8');
    }
  }

  #varint(end: number): void {
    const bytes = this.#bytes;
    if (this.at < end) {
      const octet = bytes[this.at]!;
      if (octet < 0x80) {
        this.at += 1;
        this.#low = octet;
        this.#high = 0;
        return;
      }
    }
    let low = 0;
    let high = 0;
    for (let count = 0; count < MAX_OCTETS; count += 1) {
      if (this.at >= end) throw malformed('a number is cut off');
      const octet = bytes[this.at]!;
      this.at += 1;
      const bits = octet & 0x7f;
      if (count < 4) low |= bits << (7 * count);
      else if (count === 4) {
        low |= bits << 28;
        high = bits >> 4;
      } else high |= bits << (7 * count - 32);
      if (octet >= 0x80) continue;
      this.#low = low >>> 0;
      this.#high = high >>> 0;
      return;
    }
    throw malformed('a number has more than 64 bits');
  }
}

export function malformed(words: string): SdlError {
  return new SdlError('ENCODING_INVALID', words);
}

function tooMuch(code: ErrorCode, words: string): SdlError {
  return new SdlError(code, words);
}
