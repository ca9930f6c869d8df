// Owns a list kept in order that stays fast at a million items: short chunks, found by bisection.

import type { ListPlace } from './listing.ts';

const CHUNK = 512;

/** Below 0 when the first comes earlier. Unequal for any two items of one list. */
export type PlaceOrder = (one: ListPlace, other: ListPlace) => number;

export const byCreation: PlaceOrder = (one, other) => one.sequence - other.sequence;

export const byRank: PlaceOrder = (one, other) =>
  one.rank - other.rank || one.sequence - other.sequence;

export class OrderedList<T extends ListPlace> {
  readonly #order: PlaceOrder;
  readonly #chunks: T[][] = [];
  #size = 0;

  constructor(order: PlaceOrder) {
    this.#order = order;
  }

  get size(): number {
    return this.#size;
  }

  insert(item: T): void {
    this.#size += 1;
    const last = this.#chunks.at(-1);
    if (last === undefined || this.#order(last.at(-1)!, item) < 0) {
      // New items come last nearly always: full chunks stay full instead of being split.
      if (last === undefined || last.length >= CHUNK) this.#chunks.push([item]);
      else last.push(item);
      return;
    }
    const at = this.#chunkOf(item);
    const chunk = this.#chunks[at]!;
    chunk.splice(this.#firstFrom(chunk, item), 0, item);
    if (chunk.length > CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK / 2));
  }

  remove(item: T): void {
    const at = this.#chunkOf(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    const index = this.#firstFrom(chunk, item);
    const found = chunk[index];
    if (found === undefined || this.#order(found, item) !== 0) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    this.#size -= 1;
  }

  /** Upwards from what comes after `start`. The list must not change meanwhile. */
  *up(start: ListPlace): Generator<T, void> {
    let at = this.#chunkOf(start);
    let index = this.#firstFrom(this.#chunks[at] ?? [], start);
    const first = this.#chunks[at]?.[index];
    if (first !== undefined && this.#order(first, start) === 0) index += 1;
    for (; at < this.#chunks.length; at += 1, index = 0) {
      const chunk = this.#chunks[at]!;
      for (; index < chunk.length; index += 1) yield chunk[index]!;
    }
  }

  /** Downwards from what comes before `start`. The list must not change meanwhile. */
  *down(start: ListPlace): Generator<T, void> {
    let at = Math.min(this.#chunkOf(start), this.#chunks.length - 1);
    let index = this.#firstFrom(this.#chunks[at] ?? [], start) - 1;
    for (; at >= 0; at -= 1, index = (this.#chunks[at]?.length ?? 0) - 1) {
      const chunk = this.#chunks[at]!;
      for (; index >= 0; index -= 1) yield chunk[index]!;
    }
  }

  /** The first chunk that ends at this place or later. */
  #chunkOf(place: ListPlace): number {
    let low = 0;
    let high = this.#chunks.length;
    // Most of what is looked for is among the last or the first.
    if (high > 1 && this.#endsBefore(high - 2, place)) low = high - 1;
    else if (high > 0 && !this.#endsBefore(0, place)) return 0;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#endsBefore(middle, place)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #endsBefore(chunk: number, place: ListPlace): boolean {
    return this.#order(this.#chunks[chunk]!.at(-1)!, place) < 0;
  }

  /** Index of the first item of a chunk at this place or later. */
  #firstFrom(chunk: readonly T[], place: ListPlace): number {
    let low = 0;
    let high = chunk.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#order(chunk[middle]!, place) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
