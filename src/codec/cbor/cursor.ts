// Owns the walk over CBOR bytes: heads, arguments and content, never past the end, errors by byte. SPEC.md section 4.5 (#cbor).

import type { ErrorCode } from '../../errors.ts';
import { SdlError } from '../../errors.ts';
import { numberFromHalf } from './float.ts';
import { decodeUtf8 } from '../utf8.ts';

export const UNSIGNED = 0;
export const NEGATIVE = 1;
export const BYTES = 2;
export const TEXT = 3;
export const ARRAY = 4;
export const MAP = 5;
export const TAG = 6;

const TWO_POW_32 = 0x1_0000_0000;

/** Text up to here is put together by hand: the decoder's call costs more, and V8 makes no ropes of it. */
const SHORT_TEXT = 12;

export class CborCursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  /** Where the item at hand starts, for errors. */
  #start = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get at(): number {
    return this.#at;
  }

  /** The bytes from a position that {@link at} gave up to here. */
  since(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.#at);
  }

  /** Goes on to the next item and answers its first byte; one that no item may have is refused here. */
  head(): number {
    this.#start = this.#at;
    const head = this.#bytes[this.#at];
    if (head === undefined) this.fail('ends where an item is expected');
    this.#at += 1;
    const info = head & 0x1f;
    if (info < 28) return head;
    const major = head >> 5;
    if (info === 31 && major >= BYTES && major <= MAP) this.fail('has an indefinite length');
    if (head === 0xff) this.fail('has a break outside an indefinite length');
    return this.fail('has reserved additional information');
  }

  /** The argument of a head. Beyond 2^53 it is rounded, which no comparison with a limit can feel. */
  argument(head: number): number {
    const info = head & 0x1f;
    if (info < 24) return info;
    const size = 1 << (info - 24);
    const at = this.#skip(size);
    switch (size) {
      case 1:
        return this.#bytes[at]!;
      case 2:
        return this.#view.getUint16(at);
      case 4:
        return this.#view.getUint32(at);
      default:
        return this.#view.getUint32(at) * TWO_POW_32 + this.#view.getUint32(at + 4);
    }
  }

  /** The 64-bit argument that was just read, without rounding. */
  exactArgument(): bigint {
    return this.#view.getBigUint64(this.#at - 8);
  }

  /** The float that the head announces; infinities and NaN included. */
  float(head: number): number {
    switch (head) {
      case 0xf9:
        return numberFromHalf(this.#view.getUint16(this.#skip(2)));
      case 0xfa:
        return this.#view.getFloat32(this.#skip(4));
      default:
        return this.#view.getFloat64(this.#skip(8));
    }
  }

  text(length: number): string {
    const start = this.#skip(length);
    const ascii = length <= SHORT_TEXT ? shortAscii(this.#bytes, start, this.#at) : undefined;
    if (ascii !== undefined) return ascii;
    try {
      return decodeUtf8(this.#bytes.subarray(start, this.#at));
    } catch (cause) {
      return this.fail('has text that is not valid UTF-8', cause);
    }
  }

  /** So many bytes as a big-endian integer. */
  magnitude(length: number): bigint {
    const start = this.#skip(length);
    let hex = '0x0';
    for (let at = start; at < this.#at; at += 1) {
      hex += this.#bytes[at]!.toString(16).padStart(2, '0');
    }
    return BigInt(hex);
  }

  /** Refuses a declared size that the bytes which remain cannot hold. */
  need(count: number): void {
    if (count > this.#bytes.length - this.#at) this.fail('ends inside an item');
  }

  end(): void {
    this.#start = this.#at;
    if (this.#at < this.#bytes.length) this.fail('has data after the item');
  }

  fail(what: string, cause?: unknown): never {
    throw new SdlError('ENCODING_INVALID', `CBOR ${what} at byte ${this.#start}`, {
      details: { at: this.#start },
      cause,
    });
  }

  /** Refuses an item that is larger than a limit allows. */
  exceed(code: ErrorCode, limit: number, what: string): never {
    throw new SdlError(code, `more than ${limit} ${what} at byte ${this.#start}`, {
      details: { limit },
    });
  }

  /** Goes past so many bytes and answers where they start. */
  #skip(count: number): number {
    this.need(count);
    const at = this.#at;
    this.#at = at + count;
    return at;
  }
}

/** Text of ASCII bytes, or `undefined` when a byte is not ASCII. */
function shortAscii(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = '';
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const a = bytes[at]!;
    const b = bytes[at + 1]!;
    const c = bytes[at + 2]!;
    const d = bytes[at + 3]!;
    if ((a | b | c | d) > 0x7f) return undefined;
    text += String.fromCharCode(a, b, c, d);
  }
  for (; at < end; at += 1) {
    const unit = bytes[at]!;
    if (unit > 0x7f) return undefined;
    text += String.fromCharCode(unit);
  }
  return text;
}
