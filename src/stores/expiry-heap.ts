// Owns finding what has expired without looking at what has not: a binary heap by expiry.
// Items that were removed elsewhere stay until they reach the top, or until they are more than half of the heap.

interface Expiring {
  readonly expiresAt: number | undefined;
  /** No longer stored; the heap may forget it. */
  readonly isGone: boolean;
}

export class ExpiryHeap<T extends Expiring> {
  #items: T[] = [];
  #gone = 0;

  /** How many items it holds, with those that are gone. */
  get size(): number {
    return this.#items.length;
  }

  push(item: T): void {
    if (item.expiresAt === undefined) return;
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (timeOf(items[parent]!) <= item.expiresAt) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  /** Tells the heap that one of its items has become gone. */
  noteGone(item: T): void {
    if (item.expiresAt === undefined) return;
    this.#gone += 1;
    if (this.#gone <= 64 || this.#gone * 2 <= this.#items.length) return;
    // Ascending order is a heap too.
    this.#items = this.#items.filter(({ isGone }) => !isGone).sort((a, b) => timeOf(a) - timeOf(b));
    this.#gone = 0;
  }

  /** Takes out the next item that is still stored and has expired at `moment`. */
  pop(moment: number): T | undefined {
    for (;;) {
      const top = this.#items[0];
      if (top === undefined || (!top.isGone && timeOf(top) > moment)) return undefined;
      this.#removeTop();
      if (!top.isGone) return top;
      this.#gone -= 1;
    }
  }

  #removeTop(): void {
    const items = this.#items;
    const last = items.pop()!;
    const size = items.length;
    if (size === 0) return;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && timeOf(items[child + 1]!) < timeOf(items[child]!)) child += 1;
      if (timeOf(items[child]!) >= timeOf(last)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
  }
}

function timeOf(item: Expiring): number {
  return item.expiresAt ?? Infinity;
}
