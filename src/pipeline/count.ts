// Owns how many there are, and the wait for none. SPEC.md section 13 (#admit).

export class Count {
  readonly #waiting: (() => void)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(): void {
    this.#size += 1;
  }

  /** One that was added is there no more. */
  take(): void {
    this.#size -= 1;
    if (this.#size > 0 || this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  none(): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
