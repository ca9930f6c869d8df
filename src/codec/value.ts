// Owns the value that every reader yields and every writer takes. SPEC.md section 4.1 (#values).

import { scanNumber } from './number-grammar.ts';

export type JsonValue = null | boolean | number | string | LosslessNumber | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [member: string]: JsonValue;
}
/** An object that is still being built; everything that is handed out is a {@link JsonObject}. */
export type MutableJsonObject = Record<string, JsonValue>;

/**
 * A number that a JavaScript `number` would change: `1.0`, `-0`, `1E2`, an integer beyond 2^53−1.
 * Every other number is a plain `number`; {@link lexemeOf} says what text a plain one stands for.
 */
export class LosslessNumber {
  readonly lexeme: string;

  constructor(lexeme: string) {
    if (scanNumber(lexeme, 0, lexeme.length) < 0) {
      throw new TypeError('"lexeme" expected a JSON number');
    }
    this.lexeme = lexeme;
  }

  /** True when the lexeme has neither fraction nor exponent; only then is it an integer to CBOR and Python. */
  get isInteger(): boolean {
    return scanNumber(this.lexeme, 0, this.lexeme.length) === 0;
  }

  /** The nearest double. Use it only where rounding is meant. */
  toNumber(): number {
    return Number(this.lexeme);
  }

  /** The integer, whole. A float has none, also when its value is whole. */
  toBigInt(): bigint {
    if (!this.isInteger)
      throw new TypeError('"lexeme" expected an integer without fraction or exponent');
    return BigInt(this.lexeme);
  }

  /** Adding to it or comparing it as it is would join texts: say which number is meant. */
  [Symbol.toPrimitive](hint: string): number | string {
    if (hint === 'default') {
      throw new TypeError('a LosslessNumber is not a number: call toNumber() or toBigInt()');
    }
    return hint === 'number' ? this.toNumber() : this.lexeme;
  }

  /** For `JSON.stringify` by a user: the nearest double. Our own writers keep the lexeme. */
  toJSON(): number {
    return this.toNumber();
  }

  toString(): string {
    return this.lexeme;
  }
}

/** The one JSON text that a plain `number` stands for; the reader yields it for this text only. */
export function lexemeOf(value: number): string {
  return Object.is(value, -0) ? '-0.0' : String(value);
}

/** A plain `number` that has an exact text: finite, and safe if it is written as an integer. */
export function isPlainNumber(value: number): boolean {
  if (!Number.isFinite(value)) return false;
  return !Number.isInteger(value) || Math.abs(value) >= 1e21 || Number.isSafeInteger(value);
}

export function numberFromBigInt(value: bigint): number | LosslessNumber {
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : new LosslessNumber(value.toString());
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof LosslessNumber)
  );
}

export function isJsonArray(value: JsonValue | undefined): value is JsonArray {
  return Array.isArray(value);
}

/** A new object that inherits nothing: `__proto__` and `constructor` are ordinary members of it. */
export function newJsonObject(): MutableJsonObject {
  // Not Object.create(null): that is a hash table to V8, slower to fill and to read.
  return Object.setPrototypeOf({}, null) as MutableJsonObject;
}
