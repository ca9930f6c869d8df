// Owns sets of values, for `const`, `enum` and `uniqueItems`: one look costs the value, not the set. SPEC.md section 5.2 (#schema-work).

import type { JsonValue } from '../../codec/value.ts';
import { kindOf } from './kind.ts';
import { valueKey } from './value-key.ts';
import type { Work } from './work.ts';

export class ValueSet {
  // Texts apart from the rest: they are the common case, and their own key.
  readonly #texts = new TextSet();
  readonly #keys = new TextSet();
  #kinds = 0;

  /** False when an equal value was there already. */
  add(value: JsonValue, work: Work): boolean {
    this.#kinds |= kindOf(value);
    return typeof value === 'string'
      ? this.#texts.add(value, work)
      : this.#keys.add(valueKey(value, work), work);
  }

  has(value: JsonValue, work: Work): boolean {
    if (typeof value === 'string') return this.#texts.has(value, work);
    // No key is made of a large object just to find it in a set of numbers.
    return (this.#kinds & kindOf(value)) !== 0 && this.#keys.has(valueKey(value, work), work);
  }
}

/** Engines stop hashing long texts by content: enough of one length would make a `Set` of them a list. */
const LONG_TEXT = 4_096;

class TextSet {
  readonly #short = new Set<string>();
  #long: Map<number, string[]> | undefined;

  add(text: string, work: Work): boolean {
    work.spend(1 + (text.length >> 4));
    if (text.length <= LONG_TEXT) {
      const { size } = this.#short;
      return this.#short.add(text).size > size;
    }
    this.#long ??= new Map();
    const hash = hashOf(text, work);
    const bucket = this.#long.get(hash);
    if (bucket === undefined) this.#long.set(hash, [text]);
    else if (isIn(bucket, text, work)) return false;
    else bucket.push(text);
    return true;
  }

  has(text: string, work: Work): boolean {
    work.spend(1 + (text.length >> 4));
    if (text.length <= LONG_TEXT) return this.#short.has(text);
    const bucket = this.#long?.get(hashOf(text, work));
    return bucket !== undefined && isIn(bucket, text, work);
  }
}

function hashOf(text: string, work: Work): number {
  work.spend(text.length >> 5);
  let hash = text.length;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}

function isIn(bucket: readonly string[], text: string, work: Work): boolean {
  for (const other of bucket) {
    // A sender that provokes equal hashes pays for every comparison.
    work.spend(1 + (text.length >> 6));
    if (other === text) return true;
  }
  return false;
}
