// Owns how CBOR bytes become a value: strict, JSON's data model only, limited before memory is held. SPEC.md section 4.5 (#cbor).

import type { Limits } from '../../limits.ts';
import { resolveLimits } from '../../limits.ts';
import { assertByteLimit } from '../byte-limit.ts';
import { pythonFloat } from '../canonical-python.ts';
import { ARRAY, BYTES, CborCursor, MAP, NEGATIVE, TAG, TEXT, UNSIGNED } from './cursor.ts';
import type { JsonArray, JsonObject, JsonValue } from '../value.ts';
import { LosslessNumber, lexemeOf, newJsonObject, numberFromBigInt } from '../value.ts';

/**
 * Reads one CBOR item that fills the bytes. Lengths, integers, bignums and floats need not be in their shortest form
 * and members may come in any order; whatever has no JSON value, and every indefinite length, is a table error.
 */
export function readCbor(bytes: Uint8Array, limits?: Partial<Limits>): JsonValue {
  return readCborMarking(bytes, resolveLimits(limits)).value;
}

export interface MarkedCbor {
  readonly value: JsonValue;
  /** The bytes of the marked top-level member, if it is there. */
  readonly marked: Uint8Array | undefined;
}

/** The same, and the bytes of one top-level member, to recognise bytes that were seen before. */
export function readCborMarking(bytes: Uint8Array, limits: Limits, mark?: string): MarkedCbor {
  assertByteLimit(bytes, limits);
  const reader = new StrictReader(bytes, limits, mark);
  return { value: reader.document(), marked: reader.marked };
}

const POSITIVE_BIGNUM = 2;
const NEGATIVE_BIGNUM = 3;

/** No number but an integer beyond 2^53 has a longer text. */
const LONGEST_PLAIN_TEXT = '-0.0000012345678901234567'.length;

/** Recursive descent over the items. Depth is limited, so the call stack is too. */
class StrictReader {
  readonly #cursor: CborCursor;
  readonly #limits: Limits;
  readonly #mark: string | undefined;
  #depth = 0;
  #values = 0;
  marked: Uint8Array | undefined;

  constructor(bytes: Uint8Array, limits: Limits, mark: string | undefined) {
    this.#cursor = new CborCursor(bytes);
    this.#limits = limits;
    this.#mark = mark;
  }

  document(): JsonValue {
    const value = this.#value();
    this.#cursor.end();
    return value;
  }

  #value(): JsonValue {
    const head = this.#cursor.head();
    this.#values += 1;
    const limit = this.#limits.maxValues;
    if (this.#values > limit) this.#cursor.exceed('LIMIT_VALUES', limit, 'values');
    switch (head >> 5) {
      case UNSIGNED:
      case NEGATIVE:
        return this.#integer(head);
      case BYTES:
        return this.#cursor.fail('has a byte string outside a bignum');
      case TEXT:
        return this.#text(head);
      case ARRAY:
        return this.#array(head);
      case MAP:
        return this.#map(head);
      case TAG:
        return this.#bignum(head);
      default:
        return this.#simpleOrFloat(head);
    }
  }

  #integer(head: number): number | LosslessNumber {
    const isNegative = head >> 5 === NEGATIVE;
    const argument = this.#cursor.argument(head);
    const value = isNegative ? -1 - argument : argument;
    if (Number.isSafeInteger(value)) return this.#limited(value);
    const exact = this.#cursor.exactArgument();
    return this.#limited(numberFromBigInt(isNegative ? -1n - exact : exact));
  }

  #bignum(head: number): number | LosslessNumber {
    const tag = this.#cursor.argument(head);
    if (tag !== POSITIVE_BIGNUM && tag !== NEGATIVE_BIGNUM) {
      this.#cursor.fail('has a tag other than 2 and 3');
    }
    const content = this.#cursor.head();
    if (content >> 5 !== BYTES) this.#cursor.fail('has a bignum that is not a byte string');
    const length = this.#cursor.argument(content);
    // Leading zeros count: the limit is on what was sent, and nothing longer is ever gathered.
    if (length > bytesForDigits(this.#limits.maxNumberLength)) this.#exceedNumber();
    const magnitude = this.#cursor.magnitude(length);
    return this.#limited(numberFromBigInt(tag === NEGATIVE_BIGNUM ? -1n - magnitude : magnitude));
  }

  #simpleOrFloat(head: number): JsonValue {
    switch (head) {
      case 0xf4:
        return false;
      case 0xf5:
        return true;
      case 0xf6:
        return null;
      case 0xf9:
      case 0xfa:
      case 0xfb:
        return this.#float(this.#cursor.float(head));
      default:
        return this.#cursor.fail('has a simple value other than false, true and null');
    }
  }

  /** A plain number only where its text is a float's; an integer's text would make it an integer. */
  #float(value: number): number | LosslessNumber {
    if (!Number.isFinite(value)) this.#cursor.fail('has a float that is not finite');
    const readsAsInteger =
      Number.isInteger(value) && Math.abs(value) < 1e21 && !Object.is(value, -0);
    return this.#limited(readsAsInteger ? new LosslessNumber(pythonFloat(value)) : value);
  }

  #text(head: number): string {
    const length = this.#cursor.argument(head);
    const limit = this.#limits.maxStringBytes;
    if (length > limit) this.#cursor.exceed('LIMIT_STRING', limit, 'string bytes');
    return this.#cursor.text(length);
  }

  #array(head: number): JsonArray {
    const length = this.#cursor.argument(head);
    const limit = this.#limits.maxArrayLength;
    if (length > limit) this.#cursor.exceed('LIMIT_ARRAY', limit, 'elements');
    this.#enter(length); // an element has at least one byte
    const elements: JsonValue[] = [];
    for (let left = length; left > 0; left -= 1) elements.push(this.#value());
    this.#depth -= 1;
    return elements;
  }

  #map(head: number): JsonObject {
    const length = this.#cursor.argument(head);
    const limit = this.#limits.maxMembers;
    if (length > limit) this.#cursor.exceed('LIMIT_MEMBERS', limit, 'members');
    this.#enter(length * 2); // a member has at least two
    const members = newJsonObject();
    for (let left = length; left > 0; left -= 1) {
      const nameHead = this.#cursor.head();
      if (nameHead >> 5 !== TEXT) this.#cursor.fail('has a member name that is not text');
      const name = this.#text(nameHead);
      if (members[name] !== undefined) this.#cursor.fail('has a member twice');
      const start = this.#cursor.at;
      members[name] = this.#value();
      if (name === this.#mark && this.#depth === 1) this.marked = this.#cursor.since(start);
    }
    this.#depth -= 1;
    return members;
  }

  #enter(fewestBytes: number): void {
    this.#cursor.need(fewestBytes);
    this.#depth += 1;
    const limit = this.#limits.maxDepth;
    if (this.#depth > limit) this.#cursor.exceed('LIMIT_DEPTH', limit, 'levels');
  }

  /** The limit on numbers is on their JSON text, so that both encodings admit the same values. */
  #limited(value: number | LosslessNumber): number | LosslessNumber {
    const limit = this.#limits.maxNumberLength;
    if (typeof value === 'number' && limit >= LONGEST_PLAIN_TEXT) return value;
    const text = typeof value === 'number' ? lexemeOf(value) : value.lexeme;
    if (text.length > limit) this.#exceedNumber();
    return value;
  }

  #exceedNumber(): never {
    this.#cursor.exceed('LIMIT_NUMBER', this.#limits.maxNumberLength, 'number characters');
  }
}

/** The most bytes that an integer of so many decimal digits can have. */
function bytesForDigits(digits: number): number {
  return Math.ceil((digits * Math.log2(10)) / 8);
}
