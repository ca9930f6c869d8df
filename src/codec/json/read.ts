// Owns how JSON bytes become a value: strict, lossless, limited while reading. SPEC.md section 4.2 (#json).

import { SdlError } from '../../errors.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import { resolveLimits } from '../../limits.ts';
import { assertByteLimit } from '../byte-limit.ts';
import type { PlainJson } from './plain.ts';
import { readPlainJson } from './plain.ts';
import { numberFromText } from '../number-text.ts';
import { decodeUtf8 } from '../utf8.ts';
import type { JsonArray, JsonObject, JsonValue, LosslessNumber } from '../value.ts';
import { newJsonObject } from '../value.ts';

/** Reads one JSON document. Throws a table error for everything that two readers could read differently. */
export function readJson(bytes: Uint8Array, limits?: Partial<Limits>): JsonValue {
  return readJsonMarking(bytes, resolveLimits(limits)).value;
}

/**
 * The same, and the bytes of one top-level member, to recognise text that was seen before.
 * They are there only when the document was written compactly and held nothing special.
 */
export function readJsonMarking(bytes: Uint8Array, limits: Limits, mark?: Uint8Array): PlainJson {
  assertByteLimit(bytes, limits);
  const plain = readPlainJson(bytes, limits, mark);
  if (plain !== undefined) return plain;
  return { value: new StrictReader(decodeUtf8(bytes), limits).document(), marked: undefined };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Recursive descent over the text. Depth is limited, so the call stack is too. */
class StrictReader {
  readonly #text: string;
  readonly #limits: Limits;
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(text: string, limits: Limits) {
    this.#text = text;
    this.#limits = limits;
  }

  document(): JsonValue {
    if (this.#text.charCodeAt(0) === 0xfeff) this.#fail('starts with a byte order mark');
    this.#space();
    const value = this.#value();
    this.#space();
    if (this.#at < this.#text.length) this.#fail('has data after the document');
    return value;
  }

  #value(): JsonValue {
    this.#values += 1;
    this.#count(this.#values, this.#limits.maxValues, 'LIMIT_VALUES', 'values');
    switch (this.#text.charCodeAt(this.#at)) {
      case 0x7b:
        return this.#object();
      case 0x5b:
        return this.#array();
      case QUOTE:
        return this.#string();
      case 0x74:
        return this.#word('true', true);
      case 0x66:
        return this.#word('false', false);
      case 0x6e:
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(): JsonObject {
    this.#enter();
    const members = newJsonObject();
    let count = 0;
    if (!this.#closes(0x7d)) {
      do {
        this.#space();
        if (this.#text.charCodeAt(this.#at) !== QUOTE) this.#fail('expects a member name');
        const nameAt = this.#at;
        const name = this.#string();
        if (members[name] !== undefined) this.#fail('has a member twice', nameAt);
        this.#count(++count, this.#limits.maxMembers, 'LIMIT_MEMBERS', 'members');
        this.#space();
        if (this.#text.charCodeAt(this.#at) !== 0x3a) this.#fail('expects ":"');
        this.#at += 1;
        this.#space();
        members[name] = this.#value();
        this.#space();
      } while (this.#continues(0x7d));
    }
    this.#depth -= 1;
    return members;
  }

  #array(): JsonArray {
    this.#enter();
    const elements: JsonValue[] = [];
    if (!this.#closes(0x5d)) {
      do {
        this.#count(elements.length + 1, this.#limits.maxArrayLength, 'LIMIT_ARRAY', 'elements');
        this.#space();
        elements.push(this.#value());
        this.#space();
      } while (this.#continues(0x5d));
    }
    this.#depth -= 1;
    return elements;
  }

  #enter(): void {
    this.#depth += 1;
    this.#count(this.#depth, this.#limits.maxDepth, 'LIMIT_DEPTH', 'levels');
    this.#at += 1;
  }

  /** Right after an opening bracket: is the container empty? */
  #closes(bracket: number): boolean {
    this.#space();
    if (this.#text.charCodeAt(this.#at) !== bracket) return false;
    this.#at += 1;
    return true;
  }

  /** Behind an element: a comma goes on, the bracket ends, anything else is an error. */
  #continues(bracket: number): boolean {
    const unit = this.#text.charCodeAt(this.#at);
    if (unit !== COMMA && unit !== bracket) this.#fail('expects "," or the end of the container');
    this.#at += 1;
    return unit === COMMA;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let at = start + 1;
    let bytes = 0;
    for (; ; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) break;
      if (Number.isNaN(unit)) this.#fail('ends inside a string', at);
      if (unit < 0x20) this.#fail('has a control character inside a string', at);
      if (unit === BACKSLASH) {
        const end = this.#escape(at);
        bytes += end - at;
        at = end - 1;
      } else {
        // Each half of a surrogate pair counts 2 of the pair's 4 bytes.
        bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
      }
      this.#count(bytes, this.#limits.maxStringBytes, 'LIMIT_STRING', 'string bytes');
    }
    this.#at = at + 1;
    // The lexeme is proven, so JSON.parse cannot differ; it also copies, where a slice would keep the whole text alive.
    return JSON.parse(text.slice(start, at + 1)) as string;
  }

  /** Checks the escape at `at` and answers where it ends. A surrogate is only accepted as a whole pair. */
  #escape(at: number): number {
    const kind = this.#text.charAt(at + 1);
    if (kind !== 'u') {
      if (kind === '' || !'"\\/bfnrt'.includes(kind)) this.#fail('has an unknown escape', at);
      return at + 2;
    }
    const unit = this.#hex4(at + 2);
    if (unit < 0xd800 || unit > 0xdfff) return at + 6;
    const low = unit < 0xdc00 && this.#text.startsWith('\\u', at + 6) ? this.#hex4(at + 8) : 0;
    if (low < 0xdc00 || low > 0xdfff) this.#fail('has a lone surrogate', at);
    return at + 12;
  }

  #hex4(at: number): number {
    const digits = this.#text.slice(at, at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.#fail('has an escape without four hex digits', at);
    return Number.parseInt(digits, 16);
  }

  #number(): number | LosslessNumber {
    const start = this.#at;
    let at = start;
    // The run of number characters is measured before it is cut out, whatever stands in it.
    while (isNumberUnit(this.#text.charCodeAt(at))) at += 1;
    this.#count(at - start, this.#limits.maxNumberLength, 'LIMIT_NUMBER', 'number characters');
    const value = numberFromText(this.#text.slice(start, at));
    if (value === 'malformed') {
      return this.#fail(at === start ? 'expects a value' : 'has a malformed number');
    }
    if (value === 'out of range') {
      throw new SdlError(
        'LIMIT_NUMBER',
        `number at character ${start} is outside a double's range`,
      );
    }
    this.#at = at;
    return value;
  }

  #word<T extends boolean | null>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail('expects a value');
    this.#at += word.length;
    return value;
  }

  #space(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at += 1;
    }
  }

  #count(value: number, limit: number, code: ErrorCode, what: string): void {
    if (value > limit) {
      throw new SdlError(code, `more than ${limit} ${what} at character ${this.#at}`, {
        details: { limit },
      });
    }
  }

  #fail(what: string, at: number = this.#at): never {
    throw new SdlError('ENCODING_INVALID', `JSON ${what} at character ${at}`, {
      details: { at },
    });
  }
}

function isNumberUnit(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    unit === 0x2d ||
    unit === 0x2b ||
    unit === 0x2e ||
    (unit | 0x20) === 0x65
  );
}
