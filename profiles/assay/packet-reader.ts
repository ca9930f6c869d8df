// Owns how the bytes of a packet become a value: every number as it was written, nothing twice, nothing that two readers
// could read differently, and the limits on its shape. SPEC.md section 17 (#assay-reading).

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { LosslessNumber } from '../../src/codec/index.ts';
import { ConvertError } from './error.ts';

interface ShapeLimits {
  /** The root counts 1, everything in a container one more than the container. @default none */
  readonly maxJsonDepth?: number | undefined;
  /** @default none */
  readonly maxArrayLength?: number | undefined;
}

/** Containers in one another: the next one is refused, whatever the options say. */
const MAX_NESTING = 127;

/** How the text itself is bounded, which is an error of reading. */
export interface ReadLimits extends ShapeLimits {
  /** Containers in one another. @default 127 */
  readonly maxNesting?: number | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LONE_SURROGATE = /\p{Surrogate}/u;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws `measurement`: for what is no JSON first, then for the first value that is beyond a limit. */
export function readPacket(bytes: Uint8Array, limits: ReadLimits = {}): JsonValue {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw notJson('it is not UTF-8');
  }
  return new PacketReader(text, limits).document();
}

/** The name of a limit that a value is beyond, and how early the value stands in the document. */
interface Fault {
  readonly order: number;
  readonly limit: 'max_json_depth' | 'max_array_length';
}

class PacketReader {
  readonly #text: string;
  readonly #limits: ReadLimits;
  #at = 0;
  #nesting = 0;
  #order = 0;
  #fault: Fault | undefined;

  constructor(text: string, limits: ReadLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  document(): JsonValue {
    this.#space();
    const value = this.#value();
    this.#space();
    if (this.#at < this.#text.length) this.#fail('has more behind its end');
    if (this.#fault === undefined) return value;
    const { limit } = this.#fault;
    const { maxJsonDepth, maxArrayLength } = this.#limits;
    const bound = limit === 'max_json_depth' ? maxJsonDepth : maxArrayLength;
    throw new ConvertError('measurement', `the packet is beyond ${limit} (${bound})`);
  }

  #value(): JsonValue {
    const order = (this.#order += 1);
    const { maxJsonDepth = Infinity } = this.#limits;
    if (this.#nesting + 1 > maxJsonDepth) this.#note({ order, limit: 'max_json_depth' });
    switch (this.#text.charCodeAt(this.#at)) {
      case 0x7b:
        return this.#object();
      case 0x5b:
        return this.#array(order);
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
    // It inherits nothing: `__proto__` is a member like any other.
    const members = Object.setPrototypeOf({}, null) as Record<string, JsonValue>;
    if (!this.#closes(0x7d)) {
      do {
        this.#space();
        if (this.#text.charCodeAt(this.#at) !== QUOTE) this.#fail('expects the name of a member');
        const name = this.#string();
        if (Object.hasOwn(members, name)) this.#fail('has a member twice');
        this.#space();
        if (this.#text.charCodeAt(this.#at) !== 0x3a) this.#fail('expects ":"');
        this.#at += 1;
        this.#space();
        members[name] = this.#value();
        this.#space();
      } while (this.#continues(0x7d));
    }
    this.#nesting -= 1;
    return members;
  }

  #array(order: number): JsonValue[] {
    this.#enter();
    const items: JsonValue[] = [];
    if (!this.#closes(0x5d)) {
      do {
        this.#space();
        items.push(this.#value());
        this.#space();
      } while (this.#continues(0x5d));
    }
    this.#nesting -= 1;
    const { maxArrayLength = Infinity } = this.#limits;
    if (items.length > maxArrayLength) this.#note({ order, limit: 'max_array_length' });
    return items;
  }

  /** What stands first in the document counts; of one array its depth before its length. */
  #note(fault: Fault): void {
    if (this.#fault === undefined || fault.order < this.#fault.order) this.#fault = fault;
  }

  #enter(): void {
    this.#nesting += 1;
    const { maxNesting = MAX_NESTING } = this.#limits;
    if (this.#nesting > maxNesting) {
      throw notJson(`it has more than ${maxNesting} containers in one another`);
    }
    this.#at += 1;
  }

  #closes(bracket: number): boolean {
    this.#space();
    if (this.#text.charCodeAt(this.#at) !== bracket) return false;
    this.#at += 1;
    return true;
  }

  #continues(bracket: number): boolean {
    const unit = this.#text.charCodeAt(this.#at);
    if (unit !== 0x2c && unit !== bracket) this.#fail('expects "," or the end of a container');
    this.#at += 1;
    return unit === 0x2c;
  }

  #string(): string {
    const start = this.#at;
    let at = start + 1;
    for (;;) {
      const unit = this.#text.charCodeAt(at);
      if (unit === QUOTE) break;
      if (Number.isNaN(unit)) this.#fail('ends inside a string');
      at += unit === BACKSLASH ? 2 : 1;
    }
    this.#at = at + 1;
    let value: string;
    try {
      value = JSON.parse(this.#text.slice(start, at + 1)) as string;
    } catch {
      return this.#fail('has a string with a wrong escape or a control character', start);
    }
    if (LONE_SURROGATE.test(value)) this.#fail('has half of a surrogate pair', start);
    return value;
  }

  #number(): number | LosslessNumber {
    NUMBER.lastIndex = this.#at;
    const lexeme = NUMBER.exec(this.#text)?.[0];
    if (lexeme === undefined) return this.#fail('expects a value');
    const double = Number(lexeme);
    if (!Number.isFinite(double)) this.#fail('has a number beyond the range of a double');
    this.#at += lexeme.length;
    const isPlain = Number.isSafeInteger(double) && String(double) === lexeme;
    return isPlain ? double : new LosslessNumber(lexeme);
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

  #fail(what: string, at: number = this.#at): never {
    throw notJson(`it ${what} at character ${at}`);
  }
}

function notJson(why: string): ConvertError {
  return new ConvertError('measurement', `no JSON that can be used: ${why}`);
}
