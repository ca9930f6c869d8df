// Owns how what an author returns becomes answers: one value or many, of the usual content type or an explicit one.
// SPEC.md section 8 (#exchange).

import type { JsonValue } from '../codec/value.ts';
import type { Answer } from '../content.ts';

class ExplicitAnswer implements Answer {
  readonly ct: string;
  readonly payload: JsonValue;
  declare readonly generation?: number;

  constructor(ct: string, payload: JsonValue, generation: number | undefined) {
    if (typeof ct !== 'string' || ct === '') throw new TypeError('"ct" expected a content type');
    this.ct = ct;
    this.payload = payload;
    if (generation !== undefined) this.generation = generation;
    Object.freeze(this);
  }
}

/** An answer of another content type than the usual one, returned or yielded instead of a payload. */
export function answer(ct: string, payload: JsonValue, generation?: number): Answer {
  return new ExplicitAnswer(ct, payload, generation);
}

/** Made by {@link answer}; a payload that merely has the same members is a payload. */
export function isAnswer(value: unknown): value is Answer {
  return value instanceof ExplicitAnswer;
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
  );
}
