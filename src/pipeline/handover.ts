// Owns the hand-over of replies from a run to who writes them: one at a time, so that a slow reader slows the run,
// and the run goes on when the reader leaves. SPEC.md section 8 (#exchange).

export class Handover<T> implements AsyncIterable<T> {
  readonly #queue: T[] = [];
  #isClosed = false;
  #isAbandoned = false;
  /** Resolves the reader that waits for a value or for the end. */
  #wake: (() => void) | undefined;
  /** Resolves the writer that waits for its value to be taken. */
  #taken: (() => void) | undefined;

  /** Nobody reads any more. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Resolves once the value was taken, or at once when nobody reads any more. */
  put(value: T): Promise<void> {
    if (this.#isAbandoned) return Promise.resolve();
    this.#queue.push(value);
    this.#wakeReader();
    return new Promise((resolve) => {
      this.#taken = resolve;
    });
  }

  /** The last value: nothing waits for it to be taken. */
  end(value?: T): void {
    if (value !== undefined && !this.#isAbandoned) this.#queue.push(value);
    this.#isClosed = true;
    this.#wakeReader();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    try {
      for (;;) {
        while (this.#queue.length > 0) {
          yield this.#queue.shift()!;
          this.#releaseWriter();
        }
        if (this.#isClosed) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#isAbandoned = true;
      this.#queue.length = 0;
      this.#releaseWriter();
    }
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #releaseWriter(): void {
    this.#taken?.();
    this.#taken = undefined;
  }
}
