// Owns canonical CBOR, the binary form that v1 peers sign: the walk, the member order, integer or float. SPEC.md section 4.5 (#cbor-canonical).

import { SdlError } from '../../errors.ts';
import { ARRAY, CborSink, MAP } from './sink.ts';
import { inAsciiLengthOrder, inUtf8LengthOrder } from '../name-order.ts';
import type { Path } from '../pointer.ts';
import { quoteForLog, toPointer } from '../pointer.ts';
import {
  assertDepth,
  assertPlainObject,
  assertWellFormed,
  unwritableNumber,
  unwritableType,
} from '../unwritable.ts';
import type { JsonArray, JsonObject, JsonValue } from '../value.ts';
import { LosslessNumber, isPlainNumber } from '../value.ts';

/**
 * Canonical bytes as `cbor2.dumps(value, canonical=True)` of cbor2 6 gives them: member names by encoded length, then
 * bytewise; every integer and float in its shortest form. `1` is an integer, `1.0` and `1e2` are floats.
 */
export function writeCbor(value: JsonValue): Uint8Array {
  // Names are nearly always ASCII. That shows for free while they are written, so the order assumes it once.
  const quick = new CanonicalWriter(inAsciiLengthOrder);
  const bytes = quick.document(value);
  return quick.hasOnlyAsciiNames ? bytes : new CanonicalWriter(inUtf8LengthOrder).document(value);
}

/** May sort the array in place. */
type Order = (names: string[]) => string[];

class CanonicalWriter {
  readonly #order: Order;
  readonly #sink = new CborSink();
  readonly #path: Path = [];
  hasOnlyAsciiNames = true;

  constructor(order: Order) {
    this.#order = order;
  }

  document(value: JsonValue): Uint8Array {
    this.#value(value);
    return this.#sink.take();
  }

  #value(value: JsonValue): void {
    switch (typeof value) {
      case 'string':
        this.#text(value);
        return;
      case 'number':
        return this.#number(value);
      case 'boolean':
        return this.#sink.byte(value ? 0xf5 : 0xf4);
      case 'object':
        break;
      default:
        throw unwritableType(value, this.#path);
    }
    if (value === null) return this.#sink.byte(0xf6);
    if (value instanceof LosslessNumber) return this.#lossless(value);
    assertDepth(this.#path);
    if (Array.isArray(value)) return this.#array(value as JsonArray);
    return this.#object(value as JsonObject);
  }

  #array(elements: JsonArray): void {
    this.#sink.head(ARRAY, elements.length);
    for (let index = 0; index < elements.length; index += 1) {
      this.#path.push(index);
      // Index access instead of iteration: a hole reads as undefined and is refused.
      this.#value(elements[index]!);
      this.#path.pop();
    }
  }

  #object(members: JsonObject): void {
    assertPlainObject(members, this.#path);
    const names = this.#order(Object.keys(members));
    this.#sink.head(MAP, names.length);
    for (const name of names) {
      this.#path.push(name);
      if (!this.#text(name)) this.hasOnlyAsciiNames = false;
      this.#value(members[name]!);
      this.#path.pop();
    }
  }

  /** Answers whether the text is ASCII. */
  #text(text: string): boolean {
    if (this.#sink.shortAscii(text)) return true;
    assertWellFormed(text, this.#path);
    return this.#sink.text(text);
  }

  #number(value: number): void {
    if (!isPlainNumber(value)) throw unwritableNumber(value, this.#path);
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) this.#sink.safeInteger(value);
    else this.#sink.float(value);
  }

  #lossless(value: LosslessNumber): void {
    const double = value.toNumber();
    if (value.isInteger) {
      if (Number.isSafeInteger(double)) this.#sink.safeInteger(double);
      else this.#sink.bigInteger(value.toBigInt());
      return;
    }
    if (!Number.isFinite(double)) {
      const pointer = toPointer(this.#path);
      throw new SdlError(
        'LIMIT_NUMBER',
        `the number at ${quoteForLog(pointer)} is outside a double's range`,
      );
    }
    this.#sink.float(double);
  }
}
