// Owns what no writer accepts, in JSON or CBOR, and the words for it. SPEC.md section 4.1 (#values).

import type { Path } from './pointer.ts';
import { quoteForLog, toPointer } from './pointer.ts';

/** Deeper than any reader goes: what is nested deeper in a value to write is a cycle. */
const MAX_DEPTH = 1_024;

const LONE_SURROGATE = /\p{Surrogate}/u;

export function assertWellFormed(text: string, path: Path): void {
  if (LONE_SURROGATE.test(text)) throw unwritable(path, 'text with a lone surrogate');
}

/** Refuses to go down into the container at `path` when only a cycle can have led there. */
export function assertDepth(path: Path): void {
  if (path.length >= MAX_DEPTH) throw unwritable(path.slice(0, 4), 'a cycle or very deep nesting');
}

export function assertPlainObject(value: object, path: Path): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) {
    throw unwritable(path, `an instance of ${value.constructor?.name ?? 'a class'}`);
  }
}

/** For a `number` that is not plain. */
export function unwritableNumber(value: number, path: Path): TypeError {
  return unwritable(
    path,
    Number.isFinite(value)
      ? `an integer beyond 2^53-1; pass it as new LosslessNumber('<digits>')`
      : `${value}, which JSON does not have`,
  );
}

/** For a value of a type that no {@link JsonValue} has. */
export function unwritableType(value: unknown, path: Path): TypeError {
  return unwritable(path, describe(value));
}

function describe(value: unknown): string {
  if (typeof value === 'bigint') return `a bigint; pass it as numberFromBigInt(value)`;
  if (value === undefined) return 'undefined; leave the member out or use null';
  return `a ${typeof value}`;
}

function unwritable(path: Path, what: string): TypeError {
  return new TypeError(
    `the value at ${quoteForLog(toPointer(path))} cannot be written: it is ${what}`,
  );
}
