// Owns a list kept in order of creation that stays fast at a million items: short chunks, found by bisection.

const CHUNK = 512;

interface Sequenced {
  /** Larger for what was created later; unique in one list. */
  readonly sequence: number;
}

export class SequenceList<T extends Sequenced> {
  readonly #chunks: T[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  insert(item: T): void {
    this.#size += 1;
    const last = this.#chunks.at(-1);
    if (last === undefined || last.at(-1)!.sequence < item.sequence) {
      // New items come last nearly always: full chunks stay full instead of being split.
      if (last === undefined || last.length >= CHUNK) this.#chunks.push([item]);
      else last.push(item);
      return;
    }
    const at = this.#chunkOf(item.sequence);
    const chunk = this.#chunks[at]!;
    chunk.splice(firstFrom(chunk, item.sequence), 0, item);
    if (chunk.length > CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK / 2));
  }

  remove(item: T): void {
    const at = this.#chunkOf(item.sequence);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    const index = firstFrom(chunk, item.sequence);
    if (chunk[index]?.sequence !== item.sequence) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    this.#size -= 1;
  }

  /** Upwards from what is larger than `after`. The list must not change meanwhile. */
  *up(after = -1): Generator<T, void> {
    let at = this.#chunkOf(after + 1);
    let index = firstFrom(this.#chunks[at] ?? [], after + 1);
    for (; at < this.#chunks.length; at += 1, index = 0) {
      const chunk = this.#chunks[at]!;
      for (; index < chunk.length; index += 1) yield chunk[index]!;
    }
  }

  /** Downwards from what is smaller than `before`. The list must not change meanwhile. */
  *down(before: number = Number.MAX_SAFE_INTEGER): Generator<T, void> {
    let at = Math.min(this.#chunkOf(before), this.#chunks.length - 1);
    let index = firstFrom(this.#chunks[at] ?? [], before) - 1;
    for (; at >= 0; at -= 1, index = (this.#chunks[at]?.length ?? 0) - 1) {
      const chunk = this.#chunks[at]!;
      for (; index >= 0; index -= 1) yield chunk[index]!;
    }
  }

  /** The first chunk that ends at `sequence` or later. */
  #chunkOf(sequence: number): number {
    let low = 0;
    let high = this.#chunks.length;
    // Most of what is looked for is among the newest or the oldest.
    if (high > 1 && this.#endOf(high - 2) < sequence) low = high - 1;
    else if (high > 0 && this.#endOf(0) >= sequence) return 0;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#endOf(middle) < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #endOf(chunk: number): number {
    return this.#chunks[chunk]!.at(-1)!.sequence;
  }
}

/** Index of the first item of a chunk whose number is `sequence` or larger. */
function firstFrom(chunk: readonly Sequenced[], sequence: number): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chunk[middle]!.sequence < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
