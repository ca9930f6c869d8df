// Owns the wait for things that end by themselves, such as connections, and cutting off those that take too long.
// SPEC.md section 11 (#transport-timeouts).

export class LiveSet<T extends { destroy(): unknown }> {
  readonly #live = new Set<T>();
  #whenEmpty: (() => void)[] = [];
  #isGraceOver = false;

  /** What comes after the grace of a drain is destroyed at once. */
  add(item: T): void {
    this.#live.add(item);
    if (this.#isGraceOver) item.destroy();
  }

  /** It has ended. */
  delete(item: T): void {
    this.#live.delete(item);
    if (this.#live.size > 0 || this.#whenEmpty.length === 0) return;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#live.values();
  }

  /** Resolves when all have ended. What is left after `graceMs` is destroyed. */
  async drain(graceMs: number): Promise<void> {
    if (this.#live.size === 0) return;
    const emptied = new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
    const grace = setTimeout(() => {
      this.#isGraceOver = true;
      for (const item of this.#live) item.destroy();
    }, graceMs);
    await emptied;
    clearTimeout(grace);
  }
}
