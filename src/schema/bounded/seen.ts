// Owns the record of what a schema has evaluated of one array or object, for `unevaluated…`. SPEC.md section 5.2 (#schema-dialect).

import type { Work } from './work.ts';

/** Kept only below a schema that has an `unevaluated…` keyword. */
export class Seen {
  #isComplete = false;
  #prefix = 0;
  readonly #tokens = new Set<string | number>();

  /** Everything has been evaluated. */
  addAll(): void {
    this.#isComplete = true;
  }

  /** The first elements of an array. */
  addPrefix(length: number): void {
    if (length > this.#prefix) this.#prefix = length;
  }

  add(token: string | number, work: Work): void {
    work.spend(1);
    this.#tokens.add(token);
  }

  has(token: string | number): boolean {
    if (this.#isComplete || this.#tokens.has(token)) return true;
    return typeof token === 'number' && token < this.#prefix;
  }

  /** Takes over what a subschema that held has evaluated. */
  merge(other: Seen, work: Work): void {
    work.spend(1 + 2 * other.#tokens.size);
    if (other.#isComplete) this.#isComplete = true;
    this.addPrefix(other.#prefix);
    for (const token of other.#tokens) this.#tokens.add(token);
  }
}
