// Owns the bytes of canonical CBOR items while they are written: shortest heads, shortest exact floats. SPEC.md section 4.5 (#cbor-canonical).

import { ByteSink, SHORT_TEXT } from '../byte-sink.ts';
import { halfFromNumber } from './float.ts';
import { utf8Length } from '../name-order.ts';

const UNSIGNED = 0x00;
const NEGATIVE = 0x20;
const BYTES = 0x40;
const TEXT = 0x60;
export const ARRAY = 0x80;
export const MAP = 0xa0;
const TAG = 0xc0;

/** A head is at most one byte and a 64-bit argument. */
const MAX_HEAD = 9;
const TWO_POW_32 = 0x1_0000_0000;
const TWO_POW_64 = 1n << 64n;

/** Every method appends one item or head. */
export class CborSink extends ByteSink {
  /** Major type and argument, in the fewest bytes. The argument is a safe integer. */
  head(major: number, argument: number): void {
    this.reserve(MAX_HEAD);
    const at = this.at;
    const bytes = this.bytes;
    if (argument < 24) {
      bytes[at] = major | argument;
      this.at = at + 1;
    } else if (argument <= 0xff) {
      bytes[at] = major | 24;
      bytes[at + 1] = argument;
      this.at = at + 2;
    } else if (argument <= 0xffff) {
      bytes[at] = major | 25;
      this.view.setUint16(at + 1, argument);
      this.at = at + 3;
    } else if (argument < TWO_POW_32) {
      bytes[at] = major | 26;
      this.view.setUint32(at + 1, argument);
      this.at = at + 5;
    } else {
      bytes[at] = major | 27;
      this.view.setUint32(at + 1, Math.floor(argument / TWO_POW_32));
      this.view.setUint32(at + 5, argument % TWO_POW_32);
      this.at = at + 9;
    }
  }

  safeInteger(value: number): void {
    if (value < 0) this.head(NEGATIVE, -1 - value);
    else this.head(UNSIGNED, value);
  }

  /** An integer that is not safe: a 64-bit argument where it fits, else a bignum. */
  bigInteger(value: bigint): void {
    const isNegative = value < 0n;
    const argument = isNegative ? -1n - value : value;
    if (argument < TWO_POW_64) {
      this.reserve(MAX_HEAD);
      this.bytes[this.at] = (isNegative ? NEGATIVE : UNSIGNED) | 27;
      this.view.setBigUint64(this.at + 1, argument);
      this.at += MAX_HEAD;
      return;
    }
    const magnitude = bigEndian(argument);
    this.head(TAG, isNegative ? 3 : 2);
    this.head(BYTES, magnitude.length);
    this.#append(magnitude);
  }

  /** A finite number as the shortest of half, single and double that is exactly it. */
  float(value: number): void {
    this.reserve(MAX_HEAD);
    const at = this.at;
    const half = halfFromNumber(value);
    if (half >= 0) {
      this.bytes[at] = 0xf9;
      this.view.setUint16(at + 1, half);
      this.at = at + 3;
    } else if (Math.fround(value) === value) {
      this.bytes[at] = 0xfa;
      this.view.setFloat32(at + 1, value);
      this.at = at + 5;
    } else {
      this.bytes[at] = 0xfb;
      this.view.setFloat64(at + 1, value);
      this.at = at + 9;
    }
  }

  /** Writes short ASCII text and answers true; writes nothing and answers false for any other. */
  shortAscii(text: string): boolean {
    const length = text.length;
    if (length > SHORT_TEXT) return false;
    const start = this.at;
    this.head(TEXT, length);
    this.reserve(length);
    const bytes = this.bytes;
    let at = this.at;
    for (let index = 0; index < length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) {
        this.at = start;
        return false;
      }
      bytes[at++] = unit;
    }
    this.at = at;
    return true;
  }

  /** Text that the caller has found to be well formed. Answers whether it is ASCII. */
  text(text: string): boolean {
    // Most text is ASCII; to measure it first would cost more than a second try.
    if (this.#textOfLength(text, text.length)) return true;
    this.#textOfLength(text, utf8Length(text));
    return false;
  }

  /** Writes text and answers true if it has this many bytes; else writes nothing. */
  #textOfLength(text: string, byteLength: number): boolean {
    const start = this.at;
    this.head(TEXT, byteLength);
    const fits = this.utf8(text) === byteLength;
    if (!fits) this.at = start;
    return fits;
  }

  #append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }
}

/** The bytes of a positive integer without leading zeros. */
function bigEndian(value: bigint): Uint8Array {
  const digits = value.toString(16);
  const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
  const bytes = new Uint8Array(hex.length / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16);
  }
  return bytes;
}
